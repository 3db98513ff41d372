/**
 * Deletes a collection. After this commit nothing in it can be found, and a job erases its content.
 */
import { sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { cancelIngestion } from '../documents/delete-document.ts'
import { submitJob } from '../ingestion/submit-job.ts'
import { isDeleted, lockCollection } from './find-collection.ts'

type Dropped = { readonly tenant_id: string; readonly id: string; readonly submitter_id: string }

/** Returns the id of the job; null if the collection was deleted before. */
export async function deleteCollection(
  tx: Tx,
  deps: Pick<Deps, 'jobs'>,
  caller: Caller,
  { id: submitter_id }: Pick<Principal, 'id'>,
  id: string,
): Promise<string | null> {
  if (await isDeleted(tx, caller, id)) return null
  await lockCollection(tx, caller, id, 'manage')
  return await dropCollection(tx, deps, { tenant_id: caller.tenant_id, id, submitter_id })
}

/** The same for a caller that has locked the row and checked the right to delete it. */
export async function dropCollection(
  tx: Tx,
  deps: Pick<Deps, 'jobs'>,
  { tenant_id, id, submitter_id }: Dropped,
): Promise<string> {
  await tx.run(sql`
    update retrieval.collections set state = 'deleted', deleted_at = kernel.now()
    where tenant_id = ${tenant_id} and id = ${id}`)
  await tx.run(sql`
    update retrieval.connectors set state = 'deleted', due_at = null, config = '{}', acl = null
    where tenant_id = ${tenant_id} and collection_id = ${id}`)
  await cancelIngestion(tx, deps, tenant_id, sql`j.collection_id = ${id}`)
  return await submitJob(tx, deps, { tenant_id, kind: 'purge', collection_id: id, submitter_id })
}
