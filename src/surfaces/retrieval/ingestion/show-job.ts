/**
 * A job of retrieval with its stages, for callers who may write its document or collection, and for
 * its submitter. The state comes from the engine while the job runs, and from our row afterwards.
 */
import { Type, type Static } from 'typebox'
import { columnsOf, Id, nullable, oneOf, sql, Time, type Reader } from '#dodeca/kernel'
import type { Asker, Caller } from '../access/principals.ts'
import { mayCollection, mayDocument } from '../access/rights.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { job_kinds, Stage, stagesOf } from './stages.ts'

const states = [
  'pending',
  'retryable',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const
const statuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const

export const IngestionJob = Type.Object(
  {
    id: Id,
    job_id: Id,
    kind: oneOf(...job_kinds),
    collection_id: Id,
    document_id: nullable(Id),
    document_version: nullable(Type.Integer()),
    index_version: nullable(Type.Integer()),
    pipeline_version: nullable(Type.String()),
    state: oneOf(...states),
    status: oneOf(...statuses),
    stage: nullable(Type.String()),
    stages: Type.Array(Stage, { maxItems: 20 }),
    attempts: Type.Integer(),
    unchanged: nullable(Type.Boolean()),
    result: nullable(Type.Record(Type.String(), Type.Unknown())),
    error_code: nullable(Type.String()),
    created_at: Time,
    completed_at: nullable(Time),
  },
  { title: 'IngestionJob' },
)
export type IngestionJob = Static<typeof IngestionJob>

const Row = Type.Object({
  ...Type.Omit(IngestionJob, ['job_id', 'status', 'stages', 'attempts']).properties,
  connector_id: nullable(Id),
  kept: Type.Unknown(),
})
export type JobRow = Static<typeof Row>

export async function requireJob(
  reader: Reader,
  { tenant_id, ...caller }: Caller,
  { id: asker_id }: Pick<Asker, 'id'>,
  id: string,
): Promise<JobRow> {
  const who = { tenant_id, ...caller }
  const found = await reader.maybe(
    Row,
    sql`
      select ${columnsOf(Row, 'j', { kept: sql`j.stages` })} from retrieval.ingestion_jobs j
      join retrieval.collections c on c.tenant_id = j.tenant_id and c.id = j.collection_id
      left join retrieval.documents d on d.tenant_id = j.tenant_id and d.id = j.document_id
      where j.tenant_id = ${tenant_id} and j.id = ${id} and (j.submitter_id = ${asker_id}
        or ${mayCollection(who, 'manage')}
        or case when d.id is null then ${mayCollection(who, 'write')}
          else ${mayDocument(who, 'write')} end)`,
  )
  if (!found) throw problem('job_not_found')
  return found
}

const Writable = Type.Object({ id: Type.String() })

export async function requireWriter(reader: Reader, caller: Caller, id: string): Promise<void> {
  const found = await reader.maybe(
    Writable,
    sql`
      select d.id from retrieval.documents d
      where d.tenant_id = ${caller.tenant_id} and d.id = ${id} and ${mayDocument(caller, 'write')}`,
  )
  if (found) return
  throw problem('permission_denied', { detail: 'You may not write to this document any more.' })
}

/**
 * Reads the job engine first and our row second. If the job ends between the two reads, our row has
 * its state and its result. In the other order, a reader could see `succeeded` without a result.
 */
export async function showJob(
  reader: Reader,
  { jobs }: Pick<Deps, 'jobs'>,
  caller: Caller,
  asker: Pick<Asker, 'id'>,
  id: string,
): Promise<IngestionJob> {
  const own = await jobs.view(reader, { tenant_id: caller.tenant_id, job_id: id })
  return viewOf(await requireJob(reader, caller, asker, id), own)
}

/** For a row that this transaction has written. */
export async function jobView(
  reader: Reader,
  { jobs }: Pick<Deps, 'jobs'>,
  tenant_id: string,
  row: JobRow,
): Promise<IngestionJob> {
  return viewOf(row, await jobs.view(reader, { tenant_id, job_id: row.id }))
}

function viewOf(
  { kept, connector_id: _connector, ...row }: JobRow,
  own: Awaited<ReturnType<Deps['jobs']['view']>>,
): IngestionJob {
  const state = row.completed_at === null ? (own?.state ?? row.state) : row.state
  const status = state === 'pending' || state === 'retryable' ? 'queued' : state
  const error_code = row.completed_at === null ? (own?.error?.code ?? null) : row.error_code
  const stages = stagesOf(row.kind, kept).map(stage =>
    stage.state === 'running' && status !== 'running'
      ? { ...stage, state: status === 'queued' ? ('pending' as const) : ('failed' as const) }
      : stage,
  )
  return {
    ...row,
    job_id: row.id,
    state,
    status,
    error_code,
    stages,
    attempts: own?.attempt_count ?? 0,
  }
}
