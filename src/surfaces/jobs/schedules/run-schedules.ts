/**
 * Submits the due jobs of schedules. Any process may lock a due schedule's row, submit the job and
 * set the next time, all in one transaction, so there is no leader. The key of each job is its
 * schedule and instant, so that one instant never creates two jobs. The same transaction checks
 * whether the owner may still schedule the type; if not, the schedule pauses. If a run is refused,
 * the schedule stores the reason; if it fails, it is tried again. Other schedules continue.
 */
import { Type, type Static } from 'typebox'
import {
  allowsType,
  isUnavailable,
  nullable,
  parseTime,
  Problem,
  rfc3339,
  sql,
} from '#dodeca/kernel'
import type { Loop, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { submitJob, type SubmitDeps } from '../jobs/submit-job.ts'
import { dueRuns, type CatchUp, runTimes } from './run-times.ts'

const Due = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  name: Type.String(),
  principal_id: Type.String(),
  session_id: nullable(Type.String()),
  type: Type.String(),
  schema_version: Type.Integer(),
  parameters: Type.Unknown(),
  cron: Type.String(),
  timezone: Type.String(),
  catch_up: Type.Unsafe<CatchUp>(Type.String()),
  overlap: Type.String(),
  priority: Type.Integer(),
  next_run_at: Type.String(),
  last_job_id: nullable(Type.String()),
  now: Type.String(),
})
type Due = Static<typeof Due>
type Named = Pick<Due, 'tenant_id' | 'id' | 'name' | 'type'>

type RunDeps = SubmitDeps & Pick<Deps, 'rights'>

export function scheduleLoop(deps: RunDeps): Loop {
  return {
    name: 'jobs.schedules',
    every_ms: 60_000,
    due: sql`
      -- any tenant: schedules run for all of them
      select exists (select from jobs.job_schedules
        where enabled and next_run_at <= kernel.now())`,
    run: signal => runAllDue(deps, signal),
  }
}

async function runAllDue(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { db, log } = deps.kernel
  const failed: string[] = []
  let first: unknown
  while (!signal.aborted) {
    let taken: Due | undefined
    try {
      await db.tx(async tx => {
        taken = await takeDue(tx, failed)
        if (!taken) return
        if (await mayRun(tx, deps, taken)) await runDue(tx, deps, taken)
        else await pause(tx, taken)
      })
    } catch (error) {
      if (!taken || isUnavailable(error)) throw error
      const { tenant_id, id: schedule_id } = taken
      if (error instanceof Problem) {
        log.warn({ tenant_id, schedule_id, code: error.code }, 'a scheduled run was refused')
        await passOver(deps, taken, error.code)
      } else {
        // It stays due, behind all others.
        log.error({ tenant_id, schedule_id, err: error }, 'a scheduled run failed')
        first ??= error
        failed.push(schedule_id)
      }
    }
    if (!taken) break
  }
  // The loop waits before it tries the failed ones again.
  if (failed.length > 0) throw first
}

async function takeDue(tx: Tx, except: readonly string[]): Promise<Due | undefined> {
  return await tx.maybe(
    Due,
    sql`
    -- any tenant: schedules run for all of them
    select tenant_id, id, name, principal_id, session_id, type, schema_version, parameters, cron,
      timezone, catch_up, overlap, priority, next_run_at, last_job_id, kernel.now() as now
    from jobs.job_schedules
    where enabled and next_run_at <= kernel.now() and id <> all(${except}::uuid[])
    order by next_run_at
    limit 1
    for update skip locked`,
  )
}

async function mayRun(tx: Tx, { rights }: RunDeps, due: Due): Promise<boolean> {
  const { tenant_id, principal_id, session_id, type } = due
  const [grants] = await rights.grantsOf(tx, [{ tenant_id, principal_id, session_id }])
  return grants !== undefined && allowsType(grants, 'jobs.schedules.write', type)
}

const Paused = Type.Object({ version: Type.Integer() })

/** Until an account that may schedule the type replaces it. */
export async function pause(tx: Tx, { tenant_id, id, name, type }: Named): Promise<void> {
  const reason = 'owner_revoked'
  const { version } = await tx.one(
    Paused,
    sql`
    update jobs.job_schedules
    set enabled = false, next_run_at = null, paused_at = kernel.now(), paused_reason = ${reason},
      version = version + 1, updated_at = kernel.now()
    where tenant_id = ${tenant_id} and id = ${id}
    returning version`,
  )
  tx.emit({
    type: 'job_schedule.paused',
    tenant_id,
    aggregate_type: 'job_schedule',
    aggregate_id: id,
    aggregate_version: version,
    data: { schedule_id: id, name, type, reason },
  })
}

function dueOf({ kernel: { settings } }: SubmitDeps, due: Due) {
  const times = runTimes(due.cron, due.timezone)
  // An update of the machine may remove a time zone. A schedule in that zone pauses.
  if (!times) return { runs: [], next_ms: null }
  return dueRuns(times, parseTime(due.next_run_at), parseTime(due.now), {
    catch_up: due.catch_up,
    made_up_max: settings['jobs.schedule_catch_up_max'],
    on_time_ms: settings['jobs.schedule_on_time_seconds'] * 1000,
  })
}

async function runDue(tx: Tx, deps: SubmitDeps, due: Due): Promise<void> {
  const { runs, next_ms } = dueOf(deps, due)
  let last_job_id = due.last_job_id
  let last_run_ms: number | null = null
  for (const run_ms of runs) {
    if (due.overlap === 'skip' && last_job_id && (await isUnderWay(tx, due, last_job_id))) break
    last_job_id = await submitRun(tx, deps, due, rfc3339(run_ms))
    last_run_ms = run_ms
  }
  await deps.kernel.fault('jobs.after_scheduled')
  await tx.run(sql`
    update jobs.job_schedules
    set next_run_at = ${next_ms === null ? null : rfc3339(next_ms)},
      last_run_at = coalesce(${last_run_ms === null ? null : rfc3339(last_run_ms)}, last_run_at),
      last_job_id = ${last_job_id},
      last_error_code = case when ${last_run_ms === null} then last_error_code end
    where tenant_id = ${due.tenant_id} and id = ${due.id}`)
}

async function submitRun(tx: Tx, deps: SubmitDeps, due: Due, instant: string): Promise<string> {
  const { tenant_id, principal_id, session_id, type, schema_version, parameters, priority } = due
  const { id } = await submitJob(tx, deps, {
    tenant_id,
    principal_id,
    session_id,
    type,
    schema_version,
    parameters,
    priority,
    scheduled_at: instant,
    operation: 'schedule',
    idempotency_key: `schedule:${due.id}:${instant}`,
  })
  return id
}

const UnderWay = Type.Object({ under_way: Type.Boolean() })

async function isUnderWay(tx: Tx, { tenant_id }: Due, job_id: string): Promise<boolean> {
  const { under_way } = await tx.one(
    UnderWay,
    sql`
    select exists (select from jobs.jobs
      where tenant_id = ${tenant_id} and id = ${job_id} and completed_at is null) as under_way`,
  )
  return under_way
}

/** The run is lost; the next one may succeed. */
async function passOver(deps: SubmitDeps, due: Due, code: string): Promise<void> {
  const { next_ms } = dueOf(deps, due)
  await deps.kernel.db.run(sql`
    update jobs.job_schedules
    set next_run_at = ${next_ms === null ? null : rfc3339(next_ms)}, last_error_code = ${code}
    where tenant_id = ${due.tenant_id} and id = ${due.id} and next_run_at = ${due.next_run_at}`)
}
