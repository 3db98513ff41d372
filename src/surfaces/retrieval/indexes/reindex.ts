/**
 * Starts a new index version beside the active one. From this commit on, every document that
 * changes is written to both. The job writes the others.
 */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import { profileOf } from '../collections/create-collection.ts'
import { lockCollection } from '../collections/find-collection.ts'
import type { Deps } from '../deps.ts'
import { submitJob } from '../ingestion/submit-job.ts'
import type { Reindex } from './schemas.ts'

const Next = Type.Object({ version: Type.Integer(), embedding_profile: Type.String() })
const min_delta_usual = -0.01

export async function reindex(
  tx: Tx,
  deps: Pick<Deps, 'jobs' | 'profiles'>,
  caller: Caller,
  submitter_id: string,
  collection_id: string,
  given: Reindex,
): Promise<{ job_id: string; index_version: number }> {
  await lockCollection(tx, caller, collection_id, 'manage')
  const { tenant_id } = caller
  const next = await tx.one(
    Next,
    sql`
      select max(i.version) + 1 as version, c.embedding_profile
      from retrieval.index_versions i
      join retrieval.collections c on c.tenant_id = i.tenant_id and c.id = i.collection_id
      where i.tenant_id = ${tenant_id} and i.collection_id = ${collection_id}
      group by c.embedding_profile`,
  )
  const profile = profileOf(deps.profiles, given.embedding_profile ?? next.embedding_profile, '')
  const plan = {
    activation: given.activation ?? 'manual',
    min_delta_ndcg: given.min_delta_ndcg ?? min_delta_usual,
  }
  const { version } = next
  await tx.run(sql`
    insert into retrieval.index_versions
      (tenant_id, collection_id, version, embedding_profile, table_id, state, plan)
    values (${tenant_id}, ${collection_id}, ${version}, ${profile}, ${newId()}, 'building',
      ${sql.json(plan)})`)
  const order = { tenant_id, kind: 'reindex', collection_id, index_version: version } as const
  return { job_id: await submitJob(tx, deps, { ...order, submitter_id }), index_version: version }
}
