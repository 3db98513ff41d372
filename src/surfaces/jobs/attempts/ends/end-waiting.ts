/**
 * Ends jobs that no worker had yet: cancelled, past their deadline, or failed with a parent. The
 * transaction that deletes the queue row ends the job. If the row is already gone, a claim or
 * another end came first.
 */
import { Type, type Static } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { announceEnds, type EndListeners, type JobEnd } from './announce-ends.ts'

const End = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  version: Type.Integer(),
  attempt_count: Type.Integer(),
  has_dependents: Type.Boolean(),
  created_at: Type.String(),
  started_at: Type.Union([Type.String(), Type.Null()]),
  completed_at: Type.String(),
  traceparent: Type.Union([Type.String(), Type.Null()]),
})

/** A job that should end, and the failed ancestor that causes this. */
export type Waiting = {
  readonly tenant_id: string
  readonly job_id: string
  readonly cause_job_id?: string | null
}

export type WaitingEnd =
  | {
      readonly state: 'cancelled'
      readonly reason: string | null
      /** Who gave the reason. */
      readonly principal_id?: string | null
    }
  | { readonly state: 'failed' | 'expired'; readonly error_code: string }

/** Ends the jobs that still wait and emits their events. Returns their ids. */
export async function endWaiting(
  listeners: EndListeners,
  tx: Tx,
  jobs: readonly Waiting[],
  end: WaitingEnd,
): Promise<readonly JobEnd[]> {
  const error_code = end.state === 'cancelled' ? null : end.error_code
  const cancelled = end.state === 'cancelled' ? end : null
  const reason = cancelled?.reason ?? null
  const said_by = reason === null ? null : (cancelled?.principal_id ?? null)
  const rows: Static<typeof End>[] = await tx.many(
    End,
    sql`
    with taken as (
      delete from jobs.job_queue q
      using unnest(
        ${jobs.map(one => one.tenant_id)}::uuid[],
        ${jobs.map(one => one.job_id)}::uuid[],
        ${jobs.map(one => one.cause_job_id ?? null)}::uuid[]
      ) given (tenant_id, job_id, cause_job_id)
      where q.tenant_id = given.tenant_id and q.job_id = given.job_id
      returning q.tenant_id, q.job_id, given.cause_job_id
    ),
    over as (
      update jobs.jobs j
      set state = ${end.state}, version = version + 1, last_sequence = last_sequence + 1,
        completed_at = kernel.now(), dead_at = kernel.now(),
        cancel_requested_at = case when ${end.state} = 'cancelled'
          then coalesce(cancel_requested_at, kernel.now()) else cancel_requested_at end,
        error_code = ${error_code},
        error_retryable = case when ${error_code}::text is not null then false end,
        cause_job_id = taken.cause_job_id
      from taken
      where j.tenant_id = taken.tenant_id and j.id = taken.job_id
      returning j.id, j.tenant_id, j.type, j.schema_version, j.version, j.attempt_count,
        j.has_dependents, j.created_at, j.completed_at, j.last_sequence, j.cause_job_id,
        j.traceparent
    ),
    remembered as (
      insert into jobs.job_events (job_id, sequence, tenant_id, type, data, occurred_at,
        principal_id)
      select id, last_sequence, tenant_id, ${end.state}, jsonb_strip_nulls(jsonb_build_object(
        'error_code', ${error_code}::text, 'reason', ${reason}::text, 'cause_job_id', cause_job_id)),
        completed_at, ${said_by}::uuid
      from over
    )
    select id, tenant_id, type, schema_version, version, attempt_count, has_dependents, created_at,
      (select max(a.started_at) from jobs.job_attempts a where a.job_id = over.id) as started_at,
      completed_at, traceparent
    from over`,
  )
  const ends = rows.map((row): JobEnd => ({
    ...row,
    state: end.state,
    error_code,
    has_result: false,
  }))
  await announceEnds(listeners, tx, ends)
  return ends
}
