/**
 * Each different list of readers in a collection is stored once and has a number. Each chunk in the
 * index contains the number of its list. A search is limited to the numbers of the lists that name
 * the caller.
 */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { limit, sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { AclEntry } from './acl-entries.ts'

const Id = Type.Object({ id: Type.Integer() })
const Count = Type.Object({ n: Type.Integer() })
const sets_max = limit(
  'retrieval.access_lists',
  10_000,
  'lists',
  'Most different access lists of a collection',
)

type Place = { readonly tenant_id: string; readonly collection_id: string }

/** Returns the number of a list. Every entry of the list has at least the right `read`. */
async function internSet(
  tx: Tx,
  { tenant_id, collection_id }: Place,
  acl: readonly AclEntry[],
): Promise<number> {
  const entries = acl.map(one => one.principal_or_group).toSorted()
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest()
  const at = sql`tenant_id = ${tenant_id} and collection_id = ${collection_id}`
  const known = await tx.maybe(
    Id,
    // Until the commit the list is not deleted as unused.
    sql`select id from retrieval.acl_sets where ${at} and digest = ${digest} for key share`,
  )
  if (known) return known.id
  const place = { tenant_id, collection_id }
  if ((await countSets(tx, place)) >= sets_max) {
    await deleteUnused(tx, place)
    if ((await countSets(tx, place)) >= sets_max) throw problem('too_many_access_lists')
  }
  const { id } = await tx.one(
    Id,
    sql`
      insert into retrieval.acl_sets (tenant_id, collection_id, digest, entries)
      values (${tenant_id}, ${collection_id}, ${digest}, ${entries}::text[])
      on conflict on constraint acl_sets_digest do update set digest = excluded.digest
      returning id`,
  )
  return id
}

async function countSets(tx: Tx, { tenant_id, collection_id }: Place): Promise<number> {
  const { n } = await tx.one(
    Count,
    sql`
      select count(*)::int as n from retrieval.acl_sets
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}`,
  )
  return n
}

/**
 * Deletes lists that no document has any more. They are locked first: the second statement sees the
 * documents of every transaction that had used one of them until then. Rows of an index that still
 * have the number are found by no caller until the queue of access lists has written them.
 */
async function deleteUnused(tx: Tx, { tenant_id, collection_id }: Place): Promise<void> {
  const unused = sql`s.tenant_id = ${tenant_id} and s.collection_id = ${collection_id}
    and not exists (select from retrieval.documents d
      where d.tenant_id = s.tenant_id and d.collection_id = s.collection_id
        and d.acl_set_id = s.id and d.deleted_at is null)`
  const held = await tx.many(
    Id,
    sql`select s.id from retrieval.acl_sets s where ${unused} for update skip locked`,
  )
  await tx.run(sql`
    delete from retrieval.acl_sets s
    where s.id = any(${held.map(one => one.id)}::bigint[]) and ${unused}`)
}

/**
 * Replaces the list of a document. Null means that the document has no list of its own. Returns the
 * number of the list.
 */
export async function writeDocumentAcl(
  tx: Tx,
  place: Place,
  document_id: string,
  acl: readonly AclEntry[] | null,
  version: number,
): Promise<number> {
  const { tenant_id } = place
  await tx.run(sql`
    delete from retrieval.document_acl
    where tenant_id = ${tenant_id} and document_id = ${document_id}`)
  if (acl === null) return 0
  // First, because it may refuse the list.
  const set = await internSet(tx, place, acl)
  await tx.run(sql`
    insert into retrieval.document_acl
      (tenant_id, document_id, principal_or_group, permission, version)
    select ${tenant_id}, ${document_id}, e.principal_or_group, e.permission, ${version}
    from ${sql.table(acl, { principal_or_group: 'text', permission: 'text' })} e`)
  return set
}
