/**
 * A step that waits for an event. The wait is committed first, and then the run reads the log for it:
 * so an event that came before is found, and one that comes later finds the wait. Both happen under
 * the lock of the run, and the first change of the step wins. While the log is not read to its end,
 * the wait is not open, and the consumer leaves it alone.
 */
import { Type } from 'typebox'
import { JobFailure, JobPutOff, nil_id, readLog, sql } from '#dodeca/kernel'
import type { EventWait, StoredStep, Tx } from '#dodeca/kernel'
import { digestOf, factsOf, hasValues } from '../reactions/event-facts.ts'
import { after, holdRun, readStep, recordStep } from './record-step.ts'
import type { Attempting } from './attempting.ts'

/** After so many portions others get their turn. */
const portions_max = 200
const aggregate_pointer = '/aggregate_id'

type Awaited = {
  readonly type: string
  readonly aggregate_id: string | null
  /** Compared with the event itself; the aggregate is looked up. */
  readonly match: Readonly<Record<string, unknown>>
  readonly digest: string
}

function awaitedBy({ type, where = {} }: EventWait): Awaited {
  const { [aggregate_pointer]: aggregate, ...match } = where
  const aggregate_id = typeof aggregate === 'string' ? aggregate : null
  return { type, aggregate_id, match, digest: digestOf({ type, where }) }
}

export async function waitForEvent(
  at: Attempting,
  name: string,
  wait: EventWait,
  known: StoredStep | undefined,
): Promise<StoredStep> {
  const { db, fault } = at.deps.kernel
  const awaited = awaitedBy(wait)
  if (known?.is_due) return await db.tx(tx => timeOut(tx, at, name))
  if (known && at.wait(name) === 'open') return known
  const sequence = known ? 0 : at.next()
  if (at.wait(name) === 'none') {
    await db.tx(async tx => {
      await holdRun(tx, at.lease, at.ended)
      if (!known) {
        const until = after(wait.timeout_seconds)
        const { digest } = awaited
        const step = { name, sequence, kind: 'event', state: 'waiting', until } as const
        await recordStep(tx, at.lease, at.ended, { ...step, awaited: digest }, true)
      }
      await insertWait(tx, at, name, awaited)
    })
    await fault('jobs.after_wait')
  }
  return await scan(at, name, awaited)
}

const Counts = Type.Object({ open: Type.Integer(), broad: Type.Integer() })

/** It begins where the last wait of the run for the same has ended. */
async function insertWait(tx: Tx, { deps, lease }: Attempting, name: string, one: Awaited) {
  const { tenant_id, job_id } = lease
  const { settings } = deps.kernel
  const broad_max = settings['jobs.broad_waits_per_tenant']
  const { open, broad } = await tx.one(
    Counts,
    sql`
    select (select count(*)::int from jobs.step_waits
        where tenant_id = ${tenant_id} and job_id = ${job_id}) as open,
      case when ${one.aggregate_id === null}::boolean then (select count(*)::int from (
        select from jobs.step_waits where tenant_id = ${tenant_id} and aggregate_id = ${nil_id}
        limit ${broad_max}) b) else 0 end as broad`,
  )
  if (open >= settings['jobs.open_waits']) throw new JobFailure('too_many_waits')
  // Waits of others end, so a later attempt may find room.
  if (broad >= broad_max) {
    throw new JobFailure('quota_exceeded', { retryable: true, retry_after_seconds: 60 })
  }
  await tx.run(sql`
    insert into jobs.step_waits (tenant_id, job_id, name, event_type, aggregate_id, awaited, match,
      scanned_through)
    select r.tenant_id, r.job_id, ${name}, ${one.type}, ${one.aggregate_id ?? nil_id}::uuid,
      ${one.digest}, ${sql.json(one.match)}, r.from_position
    from jobs.runs r where r.tenant_id = ${tenant_id} and r.job_id = ${job_id}
    on conflict do nothing`)
}

const Place = Type.Object({ after: Type.Integer() })

async function scan(at: Attempting, name: string, awaited: Awaited): Promise<StoredStep> {
  for (let portion = 0; portion < portions_max; portion++) {
    const found = await at.deps.kernel.db.tx(tx => scanPortion(tx, at, name, awaited))
    if (found) return found
  }
  throw new JobPutOff(0)
}

/** Returns undefined if there is more to read. */
async function scanPortion(
  tx: Tx,
  at: Attempting,
  name: string,
  { type, aggregate_id, match, digest }: Awaited,
): Promise<StoredStep | undefined> {
  const { tenant_id, job_id } = at.lease
  await holdRun(tx, at.lease, at.ended)
  const place = await tx.maybe(
    Place,
    sql`
    select greatest(w.scanned_through, (
      select max(s.position) from jobs.job_steps s
      where s.tenant_id = w.tenant_id and s.job_id = w.job_id and s.awaited = ${digest}
    )) as after
    from jobs.step_waits w
    where w.tenant_id = ${tenant_id} and w.job_id = ${job_id} and w.name = ${name}`,
  )
  if (!place) return await readStep(tx, at.lease, name)
  const internal = at.deps.kernel.declared.eventTypes.find(type)?.internal === true
  const read = await readLog(tx, { tenant_id, type, aggregate_id, after: place.after })
  const event = internal ? undefined : read.events.find(one => hasValues(factsOf(one), match))
  if (event) return await answer(tx, at, name, { ...event, facts: factsOf(event) })
  await tx.run(sql`
    update jobs.step_waits set scanned_through = ${read.through}, is_open = ${read.at_end}
    where tenant_id = ${tenant_id} and job_id = ${job_id} and name = ${name}`)
  return read.at_end ? await readStep(tx, at.lease, name) : undefined
}

async function answer(
  tx: Tx,
  { lease }: Attempting,
  name: string,
  event: { readonly position: number; readonly facts: unknown },
): Promise<StoredStep> {
  await tx.run(sql`
    update jobs.job_steps
    set state = 'done', result = ${JSON.stringify(event.facts)}::json,
      position = ${event.position}, until = null, completed_at = kernel.now()
    where tenant_id = ${lease.tenant_id} and job_id = ${lease.job_id} and name = ${name}
      and state = 'waiting'`)
  await closeWait(tx, lease, name)
  return await readStep(tx, lease, name)
}

/** If an event was first, the step stays as the event has left it. */
async function timeOut(tx: Tx, at: Attempting, name: string): Promise<StoredStep> {
  const { tenant_id, job_id } = at.lease
  await holdRun(tx, at.lease, at.ended)
  await tx.run(sql`
    update jobs.job_steps s
    set state = 'timed_out', until = null, completed_at = kernel.now(), position = (
      select w.scanned_through from jobs.step_waits w
      where w.tenant_id = s.tenant_id and w.job_id = s.job_id and w.name = s.name)
    where s.tenant_id = ${tenant_id} and s.job_id = ${job_id} and s.name = ${name}
      and s.state = 'waiting' and s.until <= kernel.now()`)
  const step = await readStep(tx, at.lease, name)
  if (step.state !== 'waiting') await closeWait(tx, at.lease, name)
  return step
}

export async function closeWait(
  tx: Tx,
  { tenant_id, job_id }: { readonly tenant_id: string; readonly job_id: string },
  name: string,
): Promise<void> {
  await tx.run(sql`
    delete from jobs.step_waits
    where tenant_id = ${tenant_id} and job_id = ${job_id} and name = ${name}`)
}
