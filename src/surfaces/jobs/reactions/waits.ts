/**
 * Answers the waits of workflows: an event ends one wait of a run, in the consumer's commit, and the
 * run goes on. The row of the run is locked first: so either the release that puts the run off sees
 * the answer, or the answer sees the queue row of the release. A wait that is not open is left: the
 * run reads the log for it under the same lock, and finds this event there.
 */
import { Type, type Static } from 'typebox'
import { nil_id, sql, type Declared, type LoggedEvent, type Sql, type Tx } from '#dodeca/kernel'
import { runner_topic } from '../topics.ts'
import { concerned } from './concerned.ts'
import { factsOf, hasValues } from './event-facts.ts'
import type { ReactionPart } from './reactions.ts'

/** A run that waits for the end of another one waits for any of its end events. */
export const any_end = 'job.*'
const ends = new Set(['job.succeeded', 'job.failed', 'job.cancelled', 'job.expired'])

const Wanted = Type.Object({ event_id: Type.String() })
const Open = Type.Object({
  event_id: Type.String(),
  tenant_id: Type.String(),
  job_id: Type.String(),
  name: Type.String(),
  awaited: Type.String(),
  event_type: Type.String(),
  match: Type.Record(Type.String(), Type.Unknown()),
})
type Open = Static<typeof Open>
type Answer = { readonly wait: Open; readonly event: LoggedEvent }

export function waits({ eventTypes }: Pick<Declared, 'eventTypes'>): ReactionPart {
  const visible = (events: readonly LoggedEvent[]) =>
    events.filter(one => !eventTypes.find(one.type)?.internal)
  return {
    wants: async (tx, events) => {
      const awaited = await concerned(tx, visible(events), typesOf, some)
      if (awaited.length === 0) return new Set()
      const rows = await tx.many(Wanted, sql`select distinct g.event_id ${waitsFor(awaited)}`)
      return new Set(rows.map(row => row.event_id))
    },
    react: async (tx, events) => {
      const seen = visible(events)
      if (seen.length === 0) return
      // Sent together, and run one after the other: the second one sees what the locks waited for.
      const [, open] = await Promise.all([
        lockRuns(tx, seen),
        tx.many(
          Open,
          sql`
          select g.event_id, w.tenant_id, w.job_id, w.name, w.awaited, w.event_type, w.match
          ${waitsFor(seen)} and w.is_open
          order by w.job_id, w.name`,
        ),
      ])
      const answers = answersOf(seen, open)
      if (answers.length > 0) await answer(tx, answers)
    },
  }
}

function typesOf(type: string): readonly string[] {
  return ends.has(type) ? [type, any_end] : [type]
}

const some = sql`
  select from jobs.step_waits w where w.tenant_id = g.tenant_id and w.event_type = g.key`

/** The waits that these events may end. Each event is looked up by its type and aggregate. */
function waitsFor(events: readonly LoggedEvent[]): Sql {
  const keys = events.flatMap(event => {
    return typesOf(event.type).flatMap(type =>
      [event.aggregate_id, nil_id].map(aggregate_id => ({ event, type, aggregate_id })),
    )
  })
  return sql`
    from unnest(
      ${keys.map(({ event }) => event.id)}::uuid[],
      ${keys.map(({ event }) => event.position)}::bigint[],
      ${keys.map(({ event }) => event.tenant_id)}::uuid[],
      ${keys.map(({ type }) => type)}::text[],
      ${keys.map(({ aggregate_id }) => aggregate_id)}::uuid[]
    ) g (event_id, position, tenant_id, type, aggregate_id)
    join jobs.step_waits w on w.tenant_id = g.tenant_id and w.event_type = g.type
      and w.aggregate_id = g.aggregate_id
    where w.scanned_through < g.position`
}

/** In the order of their ids, as every statement that locks several runs. */
async function lockRuns(tx: Tx, events: readonly LoggedEvent[]): Promise<void> {
  await tx.run(sql`
    select from jobs.runs r
    where (r.tenant_id, r.job_id) in (select w.tenant_id, w.job_id ${waitsFor(events)})
    order by r.job_id
    for no key update`)
}

/** An event ends one wait of a run for the same, and each wait is ended by one event. */
function answersOf(events: readonly LoggedEvent[], open: readonly Open[]): Answer[] {
  const over = new Set<string>()
  return events.flatMap(event => {
    const facts = factsOf(event)
    const answered = new Set<string>()
    return open.flatMap(wait => {
      const { event_id, job_id, name, awaited, match } = wait
      const step = `${job_id} ${name}`
      const same = `${job_id} ${awaited}`
      if (event_id !== event.id || over.has(step) || answered.has(same)) return []
      if (!hasValues(facts, match)) return []
      over.add(step)
      answered.add(same)
      return [{ wait, event }]
    })
  })
}

/** The end of another run is kept with the step, which takes its result when the run goes on. */
async function answer(tx: Tx, answers: readonly Answer[]): Promise<void> {
  const of = <T>(pick: (one: Answer) => T): T[] => answers.map(pick)
  await tx.run(sql`
    with given as materialized (
      select * from unnest(
        ${of(({ wait }) => wait.tenant_id)}::uuid[],
        ${of(({ wait }) => wait.job_id)}::uuid[],
        ${of(({ wait }) => wait.name)}::text[],
        ${of(({ event }) => JSON.stringify(factsOf(event)))}::json[],
        ${of(({ event }) => event.position)}::bigint[],
        ${of(({ wait }) => wait.event_type === any_end)}::boolean[]
      ) g (tenant_id, job_id, name, event, position, is_end)
    ),
    closed as (
      delete from jobs.step_waits w using given g
      where w.tenant_id = g.tenant_id and w.job_id = g.job_id and w.name = g.name
    ),
    answered as (
      update jobs.job_steps s
      set state = case when g.is_end then s.state else 'done' end, result = g.event,
        position = g.position, until = null,
        completed_at = case when not g.is_end then kernel.now() end
      from given g
      where s.tenant_id = g.tenant_id and s.job_id = g.job_id and s.name = g.name
        and s.state = 'waiting'
      returning s.tenant_id, s.job_id
    )
    update jobs.job_queue q set wake_at = null, ready_at = now()
    from (select distinct tenant_id, job_id from answered) a
    where q.tenant_id = a.tenant_id and q.job_id = a.job_id and q.wake_at is not null`)
  tx.wake(runner_topic)
}
