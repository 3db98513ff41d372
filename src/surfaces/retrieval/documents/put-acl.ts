/**
 * Replaces the access list of a document. With an empty list, the list of its collection applies
 * again. The new list applies from this commit on, and the indexes follow later. Until then a new
 * reader may not find the document. A former reader finds nothing, because every hit is checked
 * against these rows.
 */
import { dueNow, expectVersion, sql, type Tx } from '#dodeca/kernel'
import { merged, type AclEntry } from '../access/acl-entries.ts'
import { writeDocumentAcl } from '../access/acl-sets.ts'
import type { Caller } from '../access/principals.ts'
import { topics } from '../deps.ts'
import { announce } from '../events.ts'
import { problem } from '../errors.ts'
import { lockDocument } from './find-document.ts'

export async function putDocumentAcl(
  tx: Tx,
  caller: Caller,
  id: string,
  given: readonly AclEntry[],
  if_match: string | string[] | undefined,
): Promise<{ acl: AclEntry[]; version: number }> {
  const { tenant_id } = caller
  const document = await lockDocument(tx, caller, id, 'manage')
  if (document.deleted) throw problem('document_not_found')
  expectVersion(if_match, document.acl_version)
  const { collection_id } = document
  const acl = merged(given)
  const version = document.acl_version + 1
  const own = acl.length === 0 ? null : acl
  const set = await writeDocumentAcl(tx, { tenant_id, collection_id }, id, own, version)
  await tx.run(sql`
    update retrieval.documents set acl_set_id = ${set}, acl_version = ${version},
      version = version + 1, ${dueNow()}
    where tenant_id = ${tenant_id} and id = ${id}`)
  const of = { tenant_id, aggregate_type: 'document', id, version: document.version + 1 } as const
  announce(tx, 'document.acl_changed', of, { document_id: id, collection_id, version })
  tx.wake(topics.projections)
  return { acl, version }
}
