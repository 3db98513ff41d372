/**
 * The part of `jobs.reactions` that runs rules. In the commit of the event it asks whether the owner
 * still may: with the grants of now, within the scope of the rule's session. The rows of the rules
 * are locked, in one order, so that two events count one after the other. A rule ignores events from
 * before its PUT, and the ends of its own jobs.
 */
import { Type } from 'typebox'
import {
  allowsType,
  columnsOf,
  mayRead,
  parseTime,
  patternsOf,
  sql,
  type LoggedEvent,
  type Sql,
  type Tx,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { concerned } from '../reactions/concerned.ts'
import { factsOf } from '../reactions/event-facts.ts'
import type { ReactionPart } from '../reactions/reactions.ts'
import { announce, owner_revoked, too_many_runs, type Stop } from './change-state.ts'
import { holds } from './conditions.ts'
import { ActiveRule, permission } from './schemas.ts'
import { rule_operation, ruleOf, submitRuns, type Match, type SubmitDeps } from './submit-runs.ts'

type RuleDeps = SubmitDeps & Pick<Deps, 'rights'>

const hour_ms = 3_600_000

export function rules(deps: RuleDeps): ReactionPart {
  const { eventTypes } = deps.kernel.declared
  const visible = (events: readonly LoggedEvent[]) =>
    events.filter(one => !eventTypes.find(one.type)?.internal)
  return {
    wants: async (tx, events) => {
      const found = await concerned(tx, visible(events), patternsOf, some)
      return new Set(found.map(event => event.id))
    },
    react: async (tx, events) => {
      const seen = visible(events)
      if (seen.length === 0) return
      const found = await lockRules(tx, seen)
      if (found.length > 0) await runAll(tx, deps, found, seen)
    },
  }
}

const some = sql`
  select from jobs.job_rules r
  where r.tenant_id = g.tenant_id and r.event = g.key and r.state = 'active'`

/** Positions count in the log of one cell. After a move, all events there are younger. */
const fromPosition = sql`
  case when r.from_cell = (select c.id from kernel.cell c) then r.from_position else 0 end`

function rulesFor(events: readonly LoggedEvent[]): Sql {
  const keys = events.flatMap(event => patternsOf(event.type).map(pattern => ({ event, pattern })))
  return sql`
    from unnest(
      ${keys.map(({ event }) => event.position)}::bigint[],
      ${keys.map(({ event }) => event.tenant_id)}::uuid[],
      ${keys.map(({ pattern }) => pattern)}::text[]
    ) g (position, tenant_id, pattern)
    join jobs.job_rules r on r.tenant_id = g.tenant_id and r.event = g.pattern
    where r.state = 'active' and ${fromPosition} < g.position`
}

const Locked = Type.Object({ ...ActiveRule.properties, now: Type.String() })
type Locked = ActiveRule & { readonly now: string }

const lockedColumns = columnsOf(Locked, 'r', {
  from_position: fromPosition,
  now: sql`kernel.now()`,
})

async function lockRules(tx: Tx, events: readonly LoggedEvent[]): Promise<Locked[]> {
  return await tx.many(
    Locked,
    sql`
    select ${lockedColumns} from jobs.job_rules r
    where r.state = 'active' and (r.tenant_id, r.id) in (select r.tenant_id, r.id ${rulesFor(events)})
    order by r.tenant_id, r.id
    for no key update`,
  )
}

/** What the batch does to one rule. */
type Course = {
  readonly rule: Locked
  hour_began: string
  in_hour: number
  stop: Stop | null
  runs: number
  last_job_id: string | null
  missed: number
  error_code: string | null
}

async function runAll(
  tx: Tx,
  deps: RuleDeps,
  found: readonly Locked[],
  events: readonly LoggedEvent[],
): Promise<void> {
  const grants = await deps.rights.grantsOf(tx, found)
  const courses = found.map((rule, at) => beginCourse(rule, grants[at]))
  const own = await ownJobs(tx, events)
  const most = deps.kernel.settings['jobs.rule_runs_per_hour']
  const matches: (Match & { readonly course: Course })[] = []
  for (const event of events) {
    const facts = factsOf(event)
    for (const [at, course] of courses.entries()) {
      const { rule } = course
      if (course.stop || !concerns(rule, event, own)) continue
      if (!mayRead(grants[at] ?? none, event.type) || !holds(facts, rule.conditions)) continue
      if (course.in_hour >= most) course.stop = too_many_runs
      else {
        course.in_hour++
        matches.push({ rule, event, course })
      }
    }
  }
  if (matches.length > 0) {
    const outcomes = await submitRuns(tx, deps, matches)
    for (const [at, outcome] of outcomes.entries()) {
      const course = matches[at]?.course
      if (!course) continue
      if ('job_id' in outcome) {
        course.runs++
        course.last_job_id = outcome.job_id
      } else {
        course.missed++
        course.error_code = outcome.missed
      }
    }
  }
  await deps.kernel.fault('jobs.after_rules')
  await settle(tx, courses)
}

const none: ReadonlySet<string> = new Set()

/** Whoever lost the type, or the events as the rule names them, does nothing any more. */
function beginCourse(rule: Locked, held = none): Course {
  const may = allowsType(held, permission, rule.type) && mayRead(held, rule.event)
  const fresh = parseTime(rule.now) - parseTime(rule.hour_began) >= hour_ms
  return {
    rule,
    hour_began: fresh ? rule.now : rule.hour_began,
    in_hour: fresh ? 0 : rule.runs_in_hour,
    stop: may ? null : owner_revoked,
    runs: 0,
    last_job_id: null,
    missed: 0,
    error_code: null,
  }
}

function concerns(rule: Locked, event: LoggedEvent, own: ReadonlyMap<string, string>): boolean {
  if (event.tenant_id !== rule.tenant_id || event.position <= rule.from_position) return false
  if (!patternsOf(event.type).includes(rule.event)) return false
  return event.aggregate_id !== rule.id && own.get(event.id) !== rule.id
}

const Own = Type.Object({ id: Type.String(), key: Type.String() })

/** The rule whose job the event is about, by event. */
async function ownJobs(
  tx: Tx,
  events: readonly LoggedEvent[],
): Promise<ReadonlyMap<string, string>> {
  const about = events.filter(one => one.aggregate_type === 'job')
  if (about.length === 0) return new Map()
  const rows = await tx.many(
    Own,
    sql`
    select j.id, j.idempotency_key as key
    from unnest(${about.map(one => one.tenant_id)}::uuid[],
      ${about.map(one => one.aggregate_id)}::uuid[]) as e (tenant_id, id)
    join jobs.jobs j on j.tenant_id = e.tenant_id and j.id = e.id
    where j.operation = ${rule_operation} and j.idempotency_key is not null`,
  )
  const keys = new Map(rows.map(row => [row.id, ruleOf(row.key)]))
  return new Map(
    about.flatMap(event => {
      const rule_id = keys.get(event.aggregate_id)
      return rule_id ? [[event.id, rule_id] as const] : []
    }),
  )
}

/** Misses are said once an hour. */
function saysMiss({ rule, missed }: Course): boolean {
  const said = rule.missed_said_at
  return missed > 0 && (said === null || parseTime(rule.now) - parseTime(said) >= hour_ms)
}

async function settle(tx: Tx, courses: readonly Course[]): Promise<void> {
  const changed = courses.filter(one => one.stop !== null || one.runs + one.missed > 0)
  if (changed.length === 0) return
  const of = <T>(pick: (one: Course) => T): T[] => changed.map(pick)
  const versionOf = (one: Course) => one.rule.version + (saysMiss(one) ? 1 : 0) + (one.stop ? 1 : 0)
  await tx.run(sql`
    update jobs.job_rules r
    set state = coalesce(g.state, r.state), reason = coalesce(g.reason, r.reason),
      hour_began = g.hour_began, runs_in_hour = g.in_hour, runs = r.runs + g.runs,
      last_run_at = case when g.runs > 0 then kernel.now() else r.last_run_at end,
      last_job_id = coalesce(g.last_job_id, r.last_job_id), missed = r.missed + g.missed,
      last_error_code = coalesce(g.error_code, r.last_error_code),
      missed_said_at = case when g.says then kernel.now() else r.missed_said_at end,
      version = g.version,
      updated_at = case when g.state is null then r.updated_at else kernel.now() end
    from unnest(
      ${of(one => one.rule.tenant_id)}::uuid[], ${of(one => one.rule.id)}::uuid[],
      ${of(one => one.stop?.state ?? null)}::text[], ${of(one => one.stop?.reason ?? null)}::text[],
      ${of(one => one.hour_began)}::timestamptz[], ${of(one => one.in_hour)}::int[],
      ${of(one => one.runs)}::int[], ${of(one => one.last_job_id)}::uuid[],
      ${of(one => one.missed)}::int[], ${of(one => one.error_code)}::text[],
      ${of(saysMiss)}::boolean[], ${of(versionOf)}::int[]
    ) g (tenant_id, id, state, reason, hour_began, in_hour, runs, last_job_id, missed, error_code,
      says, version)
    where r.tenant_id = g.tenant_id and r.id = g.id`)
  for (const one of changed) {
    const { rule, stop, error_code } = one
    const version = rule.version + 1
    if (saysMiss(one)) announce(tx, { ...rule, version }, 'missed', error_code ?? 'rule_failed')
    if (stop) announce(tx, { ...rule, version: versionOf(one) }, stop.state, stop.reason)
  }
}
