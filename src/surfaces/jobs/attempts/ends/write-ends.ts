/**
 * Writes the ends of locked attempts in one statement. The attempts end, the jobs change state with
 * their next version, the history gets its entry, and results get their row. Jobs that run again go
 * back into the queue. All times were read under the lock, so they are the same. Rows are passed as
 * arrays, so that no wrong estimate can turn a look-up into a scan.
 */
import { sql, type Sql } from '#dodeca/kernel'
import type { Decision } from './decide-end.ts'
import type { Held } from './hold-attempts.ts'
import type { Result } from './result.ts'

export type Ended = {
  readonly held: Held
  readonly decision: Decision
  readonly result: Result | null
}

const history = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
} as const

/** The entry of the history: the end, or why the job waits again. */
function eventOf({ decision }: Ended): string {
  if (decision.job !== 'retryable') return history[decision.job]
  if (decision.attempt === 'lease_expired') return 'lease_expired'
  return decision.attempt === 'released' ? 'released' : 'retry_scheduled'
}

function dataOf({ held, decision }: Ended): string {
  const { attempt_no } = held
  const code = decision.error?.code
  const waits = decision.wait_ms > 0 ? { wait_ms: decision.wait_ms } : {}
  return sql.json({ attempt_no, ...(code ? { error_code: code } : {}), ...waits })
}

export function writeEnds(ends: readonly Ended[]): Sql {
  const of = <T>(pick: (one: Ended) => T): T[] => ends.map(pick)
  return sql`
    with given as materialized (
      select * from unnest(
        ${of(({ held }) => held.attempt_id)}::uuid[],
        ${of(({ held }) => held.tenant_id)}::uuid[],
        ${of(({ held }) => held.job_id)}::uuid[],
        ${of(({ decision }) => decision.attempt)}::text[],
        ${of(({ decision }) => decision.job)}::text[],
        ${of(({ decision }) => decision.error?.code ?? null)}::text[],
        ${of(({ decision }) => decision.error?.retryable ?? null)}::boolean[],
        ${of(({ decision }) => decision.failures)}::int[],
        ${of(({ decision }) => decision.losses)}::int[],
        ${of(({ decision }) => decision.wait_ms)}::int[],
        ${of(({ decision }) => decision.wake_at ?? null)}::timestamptz[],
        ${of(({ held }) => held.now)}::timestamptz[],
        ${of(({ held }) => held.last_sequence + 1)}::int[],
        ${of(eventOf)}::text[],
        ${of(dataOf)}::text[],
        ${of(({ result }) => result?.id ?? null)}::uuid[]
      ) g (attempt_id, tenant_id, job_id, attempt_state, job_state, error_code, retryable, failures,
        losses, wait_ms, wake_at, at, sequence, event, data, result_id)
    ),
    attempts as (
      update jobs.job_attempts a
      set state = g.attempt_state, completed_at = g.at, error_code = g.error_code
      from given g
      where a.id = any (array(select attempt_id from given)) and a.id = g.attempt_id
    ),
    changed as (
      update jobs.jobs j
      set state = g.job_state,
        version = j.version + 1,
        last_sequence = g.sequence,
        failures = g.failures,
        losses = g.losses,
        error_code = g.error_code,
        error_retryable = g.retryable,
        cause_job_id = null,
        result_ref = (select r.id from jobs.job_results r
          where r.id = g.result_id and r.tenant_id = g.tenant_id and r.attempt_id = g.attempt_id),
        completed_at = case when g.job_state = 'retryable' then null else g.at end,
        dead_at = case when g.job_state in ('failed', 'cancelled', 'expired') then g.at end
      from given g
      where j.id = any (array(select job_id from given))
        and j.tenant_id = g.tenant_id and j.id = g.job_id
      returning j.id, j.tenant_id, j.type, j.schema_version, j.priority, j.deadline_at,
        j.state, g.wait_ms, g.wake_at
    ),
    waiting as (
      insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank, ready_at, wake_at,
        deadline_at)
      select tenant_id, id, type, schema_version, priority, now(),
        coalesce(wake_at,
          case when wait_ms > 0 then kernel.now() + make_interval(secs => wait_ms / 1000.0) end),
        deadline_at
      from changed where state = 'retryable'
    )
    insert into jobs.job_events (job_id, sequence, tenant_id, type, data, occurred_at)
    select job_id, sequence, tenant_id, event, data::jsonb, at from given`
}
