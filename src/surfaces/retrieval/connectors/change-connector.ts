/** Pauses, resumes, changes and deletes connectors, and starts their syncs. */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import { mayCollection } from '../access/rights.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { announce } from '../events.ts'
import { submitJob } from '../ingestion/submit-job.ts'
import { scheduleSeconds } from './create-connector.ts'
import type { ChangeConnector, Connector } from './schemas.ts'

/** The caller has locked the row. */
export async function changeConnector(
  tx: Tx,
  tenant_id: string,
  before: Connector,
  { state: wanted, schedule, ...rest }: ChangeConnector,
): Promise<void> {
  const state = wanted ?? before.state
  const { id, collection_id } = before
  const given = schedule && scheduleSeconds(schedule)
  const seconds = given === undefined ? before.schedule_seconds : given || null
  await tx.run(sql`
    update retrieval.connectors set state = ${state}, version = version + 1,
      error_code = case when ${state} = 'active' then null else error_code end,
      schedule_seconds = ${seconds},
      delete_policy = ${rest.delete_policy ?? before.delete_policy},
      max_documents = ${rest.max_documents ?? before.max_documents},
      due_at = case when ${state} = 'active'
        then kernel.now() + make_interval(secs => ${seconds}::float8) end
    where tenant_id = ${tenant_id} and id = ${id}`)
  if (state === before.state) return
  const version = before.version + 1
  const of = { tenant_id, aggregate_type: 'connector', id, version } as const
  const type = state === 'active' ? 'connector.resumed' : 'connector.paused'
  announce(tx, type, of, { connector_id: id, collection_id, reason: null })
}

const Found = Type.Object({ state: Type.String() })

/** Its documents stay but are not updated any more. */
export async function deleteConnector(tx: Tx, caller: Caller, id: string): Promise<void> {
  const { tenant_id } = caller
  const found = await tx.maybe(
    Found,
    sql`
      select n.state from retrieval.connectors n
      join retrieval.collections c on c.tenant_id = n.tenant_id and c.id = n.collection_id
      where n.tenant_id = ${tenant_id} and n.id = ${id} and ${mayCollection(caller, 'manage')}
      for update of n`,
  )
  if (!found) throw problem('connector_not_found')
  if (found.state === 'deleted') return
  await tx.run(sql`
    update retrieval.connectors set state = 'deleted', config = '{}', acl = null, due_at = null,
      version = version + 1
    where tenant_id = ${tenant_id} and id = ${id}`)
}

const Open = Type.Object({ open: Type.Boolean() })

/** `confirmed` means that this run may delete all documents whose pages are gone. */
export async function beginRun(
  tx: Tx,
  deps: Pick<Deps, 'jobs'>,
  tenant_id: string,
  {
    id: connector_id,
    collection_id,
    job_id: last,
  }: Pick<Connector, 'id' | 'collection_id' | 'job_id'>,
  submitter_id: string,
  confirmed: boolean,
): Promise<string> {
  const { open } = await tx.one(
    Open,
    sql`
      select exists (select from retrieval.ingestion_jobs
        where tenant_id = ${tenant_id} and id = ${last} and completed_at is null) as open`,
  )
  if (open) throw problem('sync_in_progress')
  const order = { tenant_id, kind: 'sync', collection_id, connector_id, submitter_id } as const
  const job_id = await submitJob(tx, deps, order)
  await tx.run(sql`
    update retrieval.connectors set job_id = ${job_id}
    where tenant_id = ${tenant_id} and id = ${connector_id}`)
  await tx.run(sql`
    update retrieval.ingestion_jobs set input = ${sql.json({ confirmed })}
    where tenant_id = ${tenant_id} and id = ${job_id}`)
  return job_id
}
