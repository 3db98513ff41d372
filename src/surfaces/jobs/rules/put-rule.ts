/**
 * Creates a rule or replaces it completely; the caller becomes its owner. The order is checked now,
 * so that its author sees a mistake before the first event. Older events do not start it, also not
 * after it was paused.
 */
import { Type } from 'typebox'
import {
  allowsType,
  cellId,
  events_read,
  lacks,
  mayRead,
  narrowSession,
  newId,
  requireConditions,
  sql,
} from '#dodeca/kernel'
import type { Conditions, Principal, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { priority_default } from '../schemas.ts'
import { faultsOfConditions, hasTooMany, referencesIn } from './conditions.ts'
import { permission, Rule, ruleColumns, type PutRule } from './schemas.ts'

type PutDeps = Pick<Deps, 'kernel' | 'types'>

export type PutBy = {
  readonly principal: Principal
  readonly grants: ReadonlySet<string>
  readonly conditions: Conditions
}

export async function putRule(
  tx: Tx,
  deps: PutDeps,
  name: string,
  asked: PutRule,
  by: PutBy,
): Promise<{ readonly rule: Rule; readonly made: boolean }> {
  const { tenant_id, id: principal_id } = by.principal
  const { event, job, where = [], paused = false } = asked
  if (!allowsType(by.grants, permission, job.type)) throw lacks(`${permission}:${job.type}`)
  await requireEvents(tx, deps, event, by.grants)
  const errors = faultsOfConditions(where)
  if (errors.length > 0) throw problem('validation_failed', { errors })
  const { schema_version } = await checkJob(tx, deps, job)
  const before = await holdName(tx, tenant_id, name)
  if (before && !allowsType(by.grants, permission, before.type)) {
    throw lacks(`${permission}:${before.type}`)
  }
  requireConditions(by.conditions, before?.version ?? null)
  if (!before) {
    const most = deps.kernel.settings['jobs.rules_per_tenant']
    const rows = sql`
      select from jobs.job_rules where tenant_id = ${tenant_id} and state <> 'deleted'`
    await deps.kernel.counted(tx, `jobs.rules:${tenant_id}`, most, rows)
  }
  const from_cell = await cellId(tx)
  const rule = await tx.one(
    Rule,
    sql`
    insert into jobs.job_rules as r (tenant_id, name, id, principal_id, session_id, event,
      conditions, type, schema_version, parameters, priority, delay_seconds, state, from_position,
      from_cell)
    values (${tenant_id}, ${name}, ${newId()}, ${principal_id}, ${narrowSession(by.principal)},
      ${event}, ${sql.json(where)}, ${job.type}, ${schema_version},
      ${sql.json(job.parameters ?? {})}, ${job.priority ?? priority_default},
      ${job.delay_seconds ?? 0}, ${paused ? 'paused' : 'active'},
      (select position from kernel.event_counter), ${from_cell})
    on conflict (tenant_id, name) do update set
      id = case when r.state = 'deleted' then excluded.id else r.id end,
      created_at = case when r.state = 'deleted' then kernel.now() else r.created_at end,
      runs = case when r.state = 'deleted' then 0 else r.runs end,
      missed = case when r.state = 'deleted' then 0 else r.missed end,
      principal_id = excluded.principal_id, session_id = excluded.session_id,
      event = excluded.event, conditions = excluded.conditions, type = excluded.type,
      schema_version = excluded.schema_version, parameters = excluded.parameters,
      priority = excluded.priority, delay_seconds = excluded.delay_seconds,
      state = excluded.state, reason = null, from_position = excluded.from_position,
      from_cell = excluded.from_cell, hour_began = kernel.now(), runs_in_hour = 0,
      last_error_code = null, missed_said_at = null, version = r.version + 1,
      updated_at = kernel.now()
    returning ${ruleColumns}`,
  )
  return { rule, made: !before }
}

async function requireEvents(
  tx: Tx,
  { kernel }: PutDeps,
  pattern: string,
  grants: ReadonlySet<string>,
): Promise<void> {
  const { eventTypes } = kernel.declared
  await eventTypes.fresh(tx)
  if (!eventTypes.known(pattern)) {
    throw problem('event_type_unknown', {
      errors: [{ location: 'body', pointer: '/event', constraint: 'event_type' }],
    })
  }
  if (!mayRead(grants, pattern)) throw lacks(`${events_read}:${pattern}`)
}

/** Parameters that refer to the event are checked with its values, at each event. */
async function checkJob(tx: Tx, deps: PutDeps, job: PutRule['job']) {
  const { parameters = {} } = job
  const type = await deps.types.resolve(tx, job.type, job.schema_version)
  if (!type.offered) throw problem('unknown_job_type')
  const most = deps.kernel.settings['jobs.parameters_bytes']
  if (Buffer.byteLength(JSON.stringify(parameters)) > most) throw problem('content_too_large')
  const references = referencesIn(parameters)
  const pointer = '/job/parameters'
  if (hasTooMany(references)) {
    const errors = [{ location: 'body', pointer, constraint: 'references' }] as const
    throw problem('validation_failed', { errors })
  }
  const errors = references > 0 ? [] : await type.fits.parameters(parameters, pointer)
  if (errors.length > 0) throw problem('validation_failed', { errors })
  return type
}

const Before = Type.Object({ type: Type.String(), version: Type.Integer() })

/** Of two requests that create a name at once, the second sees the row of the first. */
async function holdName(tx: Tx, tenant_id: string, name: string) {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtext('jobs.rule'), hashtext(${`${tenant_id} ${name}`}))`)
  return await tx.maybe(
    Before,
    sql`
    select type, version from jobs.job_rules
    where tenant_id = ${tenant_id} and name = ${name} and state <> 'deleted' for update`,
  )
}
