/**
 * A job as callers see it, read in one statement from its row, its queue row and its last progress.
 * The reason why it waits is read with it, so that the reply is consistent.
 */
import { Type, type Static } from 'typebox'
import { columnsOf, nullable, sql, type Reader, type Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { JobKey } from '../face.ts'
import { JobView, statusOf, type WaitingReason } from '../schemas.ts'
import { worker_alive_seconds } from '../types/stats.ts'

const Row = Type.Object({
  ...Type.Omit(JobView, ['status', 'waiting_reason', 'next_attempt_at', 'error']).properties,
  error_code: nullable(Type.String()),
  error_retryable: nullable(Type.Boolean()),
  cause_job_id: nullable(Type.String()),
  wake_at: nullable(Type.String()),
  backing_off: nullable(Type.Boolean()),
  paused: nullable(Type.Boolean()),
  capable: nullable(Type.Boolean()),
  steps_wait: Type.Boolean(),
  tenant_running: nullable(Type.Integer()),
  type_running: nullable(Type.Integer()),
})
const columns = columnsOf(Row, 'j', {
  wake_at: sql`q.wake_at`,
  backing_off: sql`j.scheduled_at is distinct from q.wake_at`,
  paused: sql`why.paused`,
  steps_wait: sql`q.wake_at is not null and exists (
    select from jobs.job_steps s where s.tenant_id = j.tenant_id and s.job_id = j.id
      and s.state in ('waiting', 'retrying'))`,
  capable: sql`why.capable`,
  tenant_running: sql`why.tenant_running`,
  type_running: sql`why.type_running`,
  progress: sql`p.progress`,
  depends_on: sql`coalesce(d.depends_on, '[]')`,
})
export type ViewRow = Static<typeof Row>

type ViewDeps = Pick<Deps, 'kernel' | 'types'>

export async function viewJob(
  reader: Reader,
  deps: ViewDeps,
  { tenant_id, job_id }: JobKey,
): Promise<JobView | undefined> {
  const [view] = await viewJobs(
    reader,
    deps,
    sql`
    select id, tenant_id from jobs.jobs where tenant_id = ${tenant_id} and id = ${job_id}`,
  )
  return view
}

/** The jobs that `picked` names by `id` and `tenant_id`, newest first. */
export async function viewJobs(
  reader: Reader,
  { kernel: { settings }, types }: ViewDeps,
  picked: Sql,
): Promise<JobView[]> {
  await types.fresh(reader)
  const tenant_limit = settings['jobs.tenant_running']
  const rows = await reader.many(Row, viewStatement(picked))
  return rows.map(row => {
    const { tenant_max_running } = types.rulesOf(row)
    return shown(row, { tenant_limit, type_limit: tenant_max_running })
  })
}

/**
 * Only waiting jobs need a reason. For all other jobs only their own rows are read. Running jobs
 * are counted once for each tenant, not once for each row.
 */
function viewStatement(picked: Sql): Sql {
  return sql`
    with picked as materialized (
      ${picked}
    ),
    running as materialized (
      select a.tenant_id, a.type, count(*) as running from jobs.job_attempts a
      where a.state = 'running' and a.tenant_id in (
        select q.tenant_id from picked
        join jobs.job_queue q on q.tenant_id = picked.tenant_id and q.job_id = picked.id
        where q.wake_at is null)
      group by a.tenant_id, a.type
    )
    select ${columns} from picked
    join jobs.jobs j on j.tenant_id = picked.tenant_id and j.id = picked.id
    left join jobs.job_queue q on q.tenant_id = j.tenant_id and q.job_id = j.id
      and j.state in ('pending', 'retryable')
    left join lateral (
      select exists (
          select from jobs.job_types t where t.type = q.type and t.paused_at is not null
            and (t.paused_until is null or t.paused_until > kernel.now())) as paused,
        exists (
          select from jobs.worker_capabilities w
          where w.capability = q.type and w.version = q.schema_version
            and (w.tenant_id is null or w.tenant_id = q.tenant_id)
            and w.last_seen_at > now() - make_interval(secs => ${worker_alive_seconds}::int))
          as capable,
        (select coalesce(sum(r.running), 0)::int from running r where r.tenant_id = q.tenant_id)
          as tenant_running,
        (select coalesce(sum(r.running), 0)::int from running r
          where r.tenant_id = q.tenant_id and r.type = q.type) as type_running
      where q.wake_at is null
    ) why on q.job_id is not null
    left join lateral (
      select jsonb_build_object('sequence', sequence, 'stage', stage, 'current', current,
        'total', total, 'message_code', message_code, 'recorded_at',
        to_char(recorded_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as progress
      from jobs.job_progress p
      where p.job_id = j.id and p.tenant_id = j.tenant_id
      order by p.sequence desc
      limit 1
    ) p on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('job_id', d.depends_on_job_id,
        'required_state', d.required_state, 'satisfied', d.satisfied_at is not null)
        order by d.depends_on_job_id) as depends_on
      from jobs.job_dependencies d
      where d.job_id = j.id and d.tenant_id = j.tenant_id
    ) d on true
    order by j.id desc`
}

function shown(
  row: ViewRow,
  limits: { readonly tenant_limit: number; readonly type_limit: number | null },
): JobView {
  const {
    wake_at,
    backing_off,
    paused,
    steps_wait,
    capable,
    tenant_running,
    type_running,
    error_code,
    error_retryable,
    cause_job_id,
    ...job
  } = row
  const waiting = waitingReason({
    ...limits,
    queued: statusOf(row.state) === 'queued',
    wake_at,
    backing_off: backing_off === true,
    paused: paused === true,
    steps_wait,
    capable: capable === true,
    tenant_running: tenant_running ?? 0,
    type_running: type_running ?? 0,
  })
  const over = error_code !== null && job.completed_at !== null
  return {
    ...job,
    status: statusOf(row.state),
    waiting_reason: waiting,
    next_attempt_at:
      waiting === 'schedule' || waiting === 'backoff' || waiting === 'step' ? wake_at : null,
    error:
      over || (error_code !== null && row.state === 'retryable')
        ? { code: error_code, retryable: error_retryable === true, cause_job_id }
        : null,
  }
}

/**
 * Returns the reason why a job does not run: the first reason that applies, from the job itself to
 * its tenant's share of the slots.
 */
export type WaitingFacts = {
  readonly queued: boolean
  /** Null if the job is ready. `infinity` while it waits for other jobs. */
  readonly wake_at: string | null
  /** True if the job waits for a time that differs from the requested one, as after a retry. */
  readonly backing_off: boolean
  readonly paused: boolean
  /** True if a workflow waits for its steps. */
  readonly steps_wait: boolean
  readonly capable: boolean
  readonly tenant_running: number
  readonly tenant_limit: number
  readonly type_running: number
  readonly type_limit: number | null
}

export function waitingReason(facts: WaitingFacts): WaitingReason | null {
  if (!facts.queued) return null
  if (facts.wake_at === 'infinity') return 'dependencies'
  if (facts.wake_at !== null && facts.steps_wait) return 'step'
  if (facts.wake_at !== null) return facts.backing_off ? 'backoff' : 'schedule'
  if (facts.paused) return 'type_paused'
  if (!facts.capable) return 'no_capable_worker'
  const type_full = facts.type_limit !== null && facts.type_running >= facts.type_limit
  if (type_full || facts.tenant_running >= facts.tenant_limit) return 'tenant_limit'
  return 'fair_share'
}
