/**
 * Inserts new jobs in one statement, however many there are: row, input, queue row and the first
 * entry of the history. A job whose key or id was used before is not written.
 */
import { Type } from 'typebox'
import { currentTraceparent, sql, type Tx } from '#dodeca/kernel'
import { insertRuns, type NewRun } from '../steps/insert-runs.ts'

export type NewJob = {
  readonly id: string
  readonly tenant_id: string
  readonly type: string
  readonly schema_version: number
  readonly parameters: unknown
  readonly input_ref: string | null
  readonly principal_id: string
  /** The narrow session that submits it. */
  readonly session_id: string | null
  readonly operation: string
  readonly idempotency_key: string | null
  readonly request_fingerprint: Buffer | null
  readonly priority: number
  readonly scheduled_at: string | null
  readonly deadline_at: string | null
  readonly max_attempts: number
  readonly retry_of_job_id: string | null
  /** Null for a job that is no workflow. */
  readonly run: NewRun | null
  /** The job waits for other jobs first. */
  readonly blocked: boolean
}

const Made = Type.Object({ id: Type.String() })

/** Returns the ids that were created. */
export async function insertJobs(tx: Tx, jobs: readonly NewJob[]): Promise<ReadonlySet<string>> {
  const of = <T>(pick: (job: NewJob) => T): T[] => jobs.map(pick)
  const rows = await tx.many(
    Made,
    sql`
    with given as materialized (
      select * from unnest(
        ${of(one => one.id)}::uuid[], ${of(one => one.tenant_id)}::uuid[],
        ${of(one => one.type)}::text[], ${of(one => one.schema_version)}::int[],
        ${of(parametersOf)}::json[], ${of(one => one.input_ref)}::uuid[],
        ${of(one => one.principal_id)}::uuid[], ${of(one => one.operation)}::text[],
        ${of(one => one.idempotency_key)}::text[], ${of(one => one.request_fingerprint)}::bytea[],
        ${of(one => one.priority)}::int[], ${of(one => one.scheduled_at)}::timestamptz[],
        ${of(one => one.deadline_at)}::timestamptz[], ${of(one => one.max_attempts)}::int[],
        ${of(one => one.retry_of_job_id)}::uuid[], ${of(one => one.blocked)}::boolean[],
        ${of(one => one.session_id)}::uuid[]
      ) g (id, tenant_id, type, schema_version, parameters, input_ref, principal_id, operation,
        idempotency_key, request_fingerprint, priority, scheduled_at, deadline_at, max_attempts,
        retry_of_job_id, blocked, session_id)
    ),
    made as (
      insert into jobs.jobs (id, tenant_id, type, schema_version, input_ref, principal_id,
        operation, idempotency_key, request_fingerprint, priority, scheduled_at, deadline_at,
        max_attempts, retry_of_job_id, session_id, traceparent)
      select id, tenant_id, type, schema_version, input_ref, principal_id, operation,
        idempotency_key, request_fingerprint, priority, scheduled_at, deadline_at, max_attempts,
        retry_of_job_id, session_id, ${currentTraceparent()}::text
      from given
      on conflict do nothing
      returning id
    ),
    kept as (
      insert into jobs.job_inputs (job_id, tenant_id, parameters)
      select g.id, g.tenant_id, g.parameters from given g join made on made.id = g.id
      where g.parameters is not null
    ),
    queued as (
      insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank, wake_at,
        deadline_at)
      select g.tenant_id, g.id, g.type, g.schema_version, g.priority,
        case when g.blocked then 'infinity'::timestamptz
          when g.scheduled_at > kernel.now() then g.scheduled_at end,
        g.deadline_at
      from given g join made on made.id = g.id
    ),
    remembered as (
      insert into jobs.job_events (job_id, sequence, tenant_id, type, data)
      select g.id, 1, g.tenant_id, 'submitted', jsonb_strip_nulls(jsonb_build_object(
        'principal_id', g.principal_id, 'retry_of_job_id', g.retry_of_job_id))
      from given g join made on made.id = g.id
    )
    select id from made`,
  )
  const ids = new Set(rows.map(row => row.id))
  await insertRuns(
    tx,
    jobs.filter(one => ids.has(one.id)),
  )
  return ids
}

/** A missing value and an empty one mean the same. */
function parametersOf({ parameters }: NewJob): string | null {
  if (parameters === undefined || parameters === null) return null
  const text = JSON.stringify(parameters)
  return text === '{}' ? null : text
}
