/**
 * Documents for their readers: documents that the caller may read, in collections that the caller
 * may read.
 */
import { Type, type Static } from 'typebox'
import { columnsOf, nullable, sql, type ListContext, type Reader, type Sql } from '#dodeca/kernel'
import type { Right } from '../access/acl-entries.ts'
import { type Caller, callerOf } from '../access/principals.ts'
import { isPresentTo, mayCollection, mayDocument } from '../access/rights.ts'
import { inCollection } from '../collections/find-collection.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Document } from './schemas.ts'

export function checksumOf(document: 'd' | 't'): Sql {
  return sql`'sha256:' || encode(${sql.id(document, 'checksum')}, 'hex')`
}

const columns = columnsOf(Document, 'd', { checksum: checksumOf('d') })

export async function requireDocument(
  reader: Reader,
  caller: Caller,
  id: string,
): Promise<Document> {
  const found = await reader.maybe(
    Document,
    sql`
      select ${columns} from retrieval.documents d
      join retrieval.collections c on c.tenant_id = d.tenant_id and c.id = d.collection_id
      where d.tenant_id = ${caller.tenant_id} and d.id = ${id}
        and ${mayCollection(caller, 'read')} and ${isPresentTo(caller)}`,
  )
  if (!found) throw problem('document_not_found')
  return found
}

/** For the list of a collection `t`: the documents that the caller may read. */
export async function readableDocuments(
  context: ListContext<{ readonly collection_id: string }>,
  deps: Pick<Deps, 'people'>,
): Promise<Sql> {
  const inside = await inCollection('read')(context, deps)
  const caller = await callerOf(context.tx, deps, context.principal)
  return sql`${inside} and ${isPresentTo(caller, 't')}`
}

const Locked = Type.Object({
  id: Type.String(),
  no: Type.Integer(),
  collection_id: Type.String(),
  state: Type.String(),
  current_version: nullable(Type.Integer()),
  latest_version: Type.Integer(),
  acl_set_id: Type.Integer(),
  acl_version: Type.Integer(),
  version: Type.Integer(),
  deleted: Type.Boolean(),
  purge_job_id: nullable(Type.String()),
})
export type LockedDocument = Static<typeof Locked>

/**
 * Locks a document for a change. A caller who manages the collection may delete the document and
 * change its list without being named in it. A deleted document is found too, with the rights that
 * it had.
 */
export async function lockDocument(
  reader: Reader,
  caller: Caller,
  id: string,
  right: Right,
): Promise<LockedDocument> {
  const found = await reader.maybe(
    Locked,
    sql`
      select ${columnsOf(Locked, 'd', { deleted: sql`d.deleted_at is not null` })}
      from retrieval.documents d
      join retrieval.collections c on c.tenant_id = d.tenant_id and c.id = d.collection_id
      where d.tenant_id = ${caller.tenant_id} and d.id = ${id} and c.state = 'active'
        and (${mayDocument(caller, right)} or ${mayCollection(caller, 'manage')})
      for update of d`,
  )
  if (!found) throw problem('document_not_found')
  return found
}
