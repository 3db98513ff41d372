/**
 * Creates a schedule or replaces it completely. Its order is checked now, so that its author sees a
 * mistake immediately and not at the first run. A changed schedule counts from now: missed runs of
 * the old one are not repeated.
 */
import { Type } from 'typebox'
import {
  allowsType,
  columnsOf,
  lacks,
  narrowSession,
  newId,
  parseTime,
  requireConditions,
  rfc3339,
  sql,
} from '#dodeca/kernel'
import type { Conditions, Principal, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { priority_default } from '../schemas.ts'
import { runTimes } from './run-times.ts'
import { Schedule, type PutSchedule } from './schemas.ts'

export const scheduleColumns = columnsOf(Schedule, null)

type PutDeps = Pick<Deps, 'kernel' | 'types'>

export type PutBy = {
  readonly principal: Principal
  readonly grants: ReadonlySet<string>
  readonly conditions: Conditions
}

export type PutResult = { readonly schedule: Schedule; readonly made: boolean }

const permission = 'jobs.schedules.write'

export async function putSchedule(
  tx: Tx,
  deps: PutDeps,
  name: string,
  asked: PutSchedule,
  by: PutBy,
): Promise<PutResult> {
  const { tenant_id, id: principal_id } = by.principal
  const parameters = asked.parameters ?? {}
  const { schema_version } = await checkRun(tx, deps, asked, parameters)
  const before = await holdName(tx, tenant_id, name)
  if (before && !allowsType(by.grants, permission, before.type)) {
    throw lacks(`${permission}:${before.type}`)
  }
  requireConditions(by.conditions, before?.version ?? null)
  if (!before) {
    const most = deps.kernel.settings['jobs.schedules_per_tenant']
    const rows = sql`select from jobs.job_schedules where tenant_id = ${tenant_id}`
    await deps.kernel.counted(tx, `jobs.schedules:${tenant_id}`, most, rows)
  }
  const timezone = asked.timezone ?? 'UTC'
  const enabled = asked.enabled ?? true
  // A schedule that is off is checked too: its author should not see a mistake when it is turned on.
  const next = await nextRun(tx, asked.cron, timezone)
  const next_run_at = enabled ? next : null
  const schedule = await tx.one(
    Schedule,
    sql`
    insert into jobs.job_schedules as s (tenant_id, name, id, principal_id, session_id, type,
      schema_version, parameters, cron, timezone, enabled, catch_up, overlap, priority, next_run_at)
    values (${tenant_id}, ${name}, ${newId()}, ${principal_id},
      ${narrowSession(by.principal)}, ${asked.type}, ${schema_version}, ${sql.json(parameters)}, ${asked.cron}, ${timezone}, ${enabled}, ${asked.catch_up ?? 'latest'},
      ${asked.overlap ?? 'allow'}, ${asked.priority ?? priority_default}, ${next_run_at})
    on conflict (tenant_id, name) do update set principal_id = excluded.principal_id,
      session_id = excluded.session_id,
      type = excluded.type, schema_version = excluded.schema_version,
      parameters = excluded.parameters, cron = excluded.cron, timezone = excluded.timezone,
      enabled = excluded.enabled, catch_up = excluded.catch_up, overlap = excluded.overlap,
      priority = excluded.priority, next_run_at = excluded.next_run_at, last_error_code = null,
      paused_at = null, paused_reason = null,
      version = s.version + 1, updated_at = kernel.now()
    returning ${scheduleColumns}`,
  )
  return { schedule, made: !before }
}

async function checkRun(tx: Tx, deps: PutDeps, asked: PutSchedule, parameters: object) {
  const type = await deps.types.resolve(tx, asked.type, asked.schema_version)
  if (!type.offered) throw problem('unknown_job_type')
  const most = deps.kernel.settings['jobs.parameters_bytes']
  if (Buffer.byteLength(JSON.stringify(parameters)) > most) throw problem('content_too_large')
  const errors = await type.fits.parameters(parameters, '/parameters')
  if (errors.length > 0) throw problem('validation_failed', { errors })
  return type
}

const Now = Type.Object({ now: Type.String() })

async function nextRun(tx: Tx, cron: string, timezone: string): Promise<string> {
  const { now } = await tx.one(Now, sql`select kernel.now() as now`)
  const next_ms = runTimes(cron, timezone)?.next(parseTime(now)) ?? null
  if (next_ms !== null) return rfc3339(next_ms)
  const pointer = runTimes('* * * * *', timezone) ? '/cron' : '/timezone'
  const constraint = pointer.slice(1)
  throw problem('schedule_invalid', { errors: [{ location: 'body', pointer, constraint }] })
}

const Before = Type.Object({ type: Type.String(), version: Type.Integer() })

/**
 * If two requests create the same name at the same time, the second one sees the row of the first.
 */
async function holdName(tx: Tx, tenant_id: string, name: string) {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtext('jobs.schedule'), hashtext(${`${tenant_id} ${name}`}))`)
  return await tx.maybe(
    Before,
    sql`
    select type, version from jobs.job_schedules
    where tenant_id = ${tenant_id} and name = ${name} for update`,
  )
}
