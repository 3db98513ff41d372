/** Collections as their readers see them, and the check of a caller's right on a collection. */
import { Type } from 'typebox'
import { columnsOf, sql, type ListContext, type Reader } from '#dodeca/kernel'
import type { Right } from '../access/acl-entries.ts'
import { type Caller, callerOf } from '../access/principals.ts'
import { mayCollection } from '../access/rights.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Collection } from './schemas.ts'

const counted_max = 10_000

/**
 * Counts what the caller may read, from an index. The number of all documents would reveal hidden
 * ones.
 */
const countFor = ({ tenant_id, names }: Caller) => sql`
  (select count(*)::int from (
    select from retrieval.documents d
    where d.tenant_id = ${tenant_id} and d.collection_id = t.id and d.deleted_at is null
      and d.acl_set_id = any(array(
        select 0::bigint union all
        select s.id from retrieval.acl_sets s
        where s.tenant_id = ${tenant_id} and s.collection_id = t.id
          and s.entries && ${names}::text[]))
    limit ${counted_max}) readable)`

const Found = Type.Object({ id: Type.String() })

/** Checks only the right. Counting the documents of a large collection takes much longer. */
export async function requireRight(
  reader: Reader,
  caller: Caller,
  id: string,
  right: Right,
): Promise<void> {
  const found = await reader.maybe(
    Found,
    sql`
      select c.id from retrieval.collections c
      where c.tenant_id = ${caller.tenant_id} and c.id = ${id} and ${mayCollection(caller, right)}`,
  )
  if (!found) throw problem('collection_not_found')
}

/** The rows of the collection in the path, for lists of callers with this right. */
export function inCollection(right: Right) {
  return async (
    { tx, principal, params }: ListContext<{ readonly collection_id: string }>,
    deps: Pick<Deps, 'people'>,
  ) => {
    await requireRight(tx, await callerOf(tx, deps, principal), params.collection_id, right)
    return sql`t.collection_id = ${params.collection_id}`
  }
}

/** The collection as the caller sees it. */
export async function requireCollection(
  reader: Reader,
  caller: Caller,
  id: string,
  right: Right,
): Promise<Collection> {
  const { is, columns } = seenBy(caller, right)
  const found = await reader.maybe(
    Collection,
    sql`
      select ${columnsOf(Collection, 't', columns)} from retrieval.collections t
      where t.tenant_id = ${caller.tenant_id} and t.id = ${id} and ${is}`,
  )
  if (!found) throw problem('collection_not_found')
  return found
}

/** The collections `t` on which the caller has this right, as the caller sees them. */
export function seenBy(caller: Caller, right: Right) {
  return {
    is: mayCollection(caller, right, 't'),
    columns: { document_count: countFor(caller) },
  }
}

const Locked = Type.Object({ access_policy_version: Type.Integer(), version: Type.Integer() })

const Deleted = Type.Object({ deleted: Type.Boolean() })

/** Whether a collection that the caller manages is already deleted. */
export async function isDeleted(
  reader: Reader,
  { tenant_id, names }: Caller,
  id: string,
): Promise<boolean> {
  const found = await reader.maybe(
    Deleted,
    sql`
      select c.state = 'deleted' as deleted from retrieval.collections c
      where c.tenant_id = ${tenant_id} and c.id = ${id} and exists (
        select from retrieval.collection_acl a
        where a.tenant_id = c.tenant_id and a.collection_id = c.id and a.permission = 'manage'
          and a.principal_or_group = any(${names}::text[]))`,
  )
  return found?.deleted ?? false
}

/** The same for a change. The lock prevents other changes of the collection meanwhile. */
export async function lockCollection(
  reader: Reader,
  caller: Caller,
  id: string,
  right: Right,
): Promise<{ access_policy_version: number; version: number }> {
  const found = await reader.maybe(
    Locked,
    sql`
      select c.access_policy_version, c.version from retrieval.collections c
      where c.tenant_id = ${caller.tenant_id} and c.id = ${id} and ${mayCollection(caller, right)}
      for update`,
  )
  if (!found) throw problem('collection_not_found')
  return found
}
