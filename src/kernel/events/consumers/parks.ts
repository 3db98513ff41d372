/**
 * If an event fails, its aggregate is parked for that consumer. Later events of the aggregate wait
 * behind it, in their order. Events of other aggregates are handled as usual, also those of another
 * tenant with the same id, because publishers choose ids. Only the process that holds the lane opens
 * and closes a park, so events of an aggregate can never overtake each other.
 *
 *   waiting → resolved (it succeeded) | dead (its attempts are used up) | skipped (by an operator)
 *   dead    → waiting (retried by an operator) | skipped
 *
 * A skipped or resolved park still blocks its aggregate until the events behind it are handled.
 */
import { Type } from 'typebox'
import type { Reader, Tx } from '../../database/db.ts'
import { SqlState } from '../../database/failures.ts'
import { sql } from '../../database/sql.ts'
import { Problem } from '../../errors/problem.ts'
import { jitter, newId } from '../../ids.ts'
import type { LaneKey } from './leases.ts'
import { NotUnderstood } from './listener.ts'
import { columns, LanedEvent } from '../log/read.ts'

export const DuePark = Type.Object({
  id: Type.String(),
  aggregate_id: Type.String(),
  event_id: Type.String(),
  first_position: Type.Integer(),
  attempts: Type.Integer(),
  state: Type.String(),
})
export type DuePark = {
  id: string
  aggregate_id: string
  event_id: string
  first_position: number
  attempts: number
  state: string
}

/** Nothing is wrong with such an event: it is handled as soon as a process knows its type. */
const not_understood_seconds = 60

/**
 * Seconds until the next attempt after `attempts` failures, with a jitter of a tenth. Null means
 * that there is no further attempt.
 */
function nextWait(error: unknown, schedule: readonly number[], attempts: number): number | null {
  const wait = error instanceof NotUnderstood ? not_understood_seconds : schedule[attempts - 1]
  return wait === undefined ? null : wait * (0.9 + jitter() * 0.2)
}

/** A stable code for the failure. The message of the error is written only to the log. */
function errorCode(error: unknown): string {
  if (error instanceof Problem) return error.code
  if (error instanceof SqlState) return `sql_${error.code.toLowerCase()}`
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === 'string' && /^[a-z][a-z0-9_]{0,63}$/i.test(code)) return code.toLowerCase()
  if (!(error instanceof Error)) return 'unknown'
  return error.name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
}

/** Opens the park of an event, in the transaction that moves the cursor past the event. */
export async function park(
  tx: Tx,
  key: LaneKey,
  event: LanedEvent,
  error: unknown,
  schedule: readonly number[],
): Promise<string> {
  const id = newId()
  const wait = nextWait(error, schedule, 1)
  await tx.run(sql`
    insert into kernel.event_parks (id, consumer, lane, tenant_id, aggregate_id, event_id,
      first_position, attempts, next_attempt_at, last_error_code, state)
    values (${id}, ${key.consumer}, ${key.lane}, ${event.tenant_id}, ${event.aggregate_id},
      ${event.id}, ${event.position}, 1, now() + make_interval(secs => ${wait}::float8), ${errorCode(error)},
      ${wait === null ? 'dead' : 'waiting'})`)
  return id
}

/** The retry failed. Schedules the next attempt, or marks the park as dead. */
export async function putOff(
  tx: Tx,
  due: DuePark,
  error: unknown,
  schedule: readonly number[],
): Promise<'waiting' | 'dead'> {
  const wait = nextWait(error, schedule, due.attempts + 1)
  const state = wait === null ? 'dead' : 'waiting'
  await tx.run(sql`
    update kernel.event_parks
    set attempts = attempts + 1, state = ${state}, last_error_code = ${errorCode(error)},
      next_attempt_at = now() + make_interval(secs => ${wait}::float8), updated_at = now()
    where id = ${due.id} and state = 'waiting'`)
  return state
}

export function readDue(reader: Reader, { consumer, lane }: LaneKey): Promise<DuePark[]> {
  return reader.many(
    DuePark,
    sql`
      select id, aggregate_id, event_id, first_position, attempts, state
      from kernel.event_parks
      where consumer = ${consumer} and lane = ${lane} and blocking
        and state <> 'dead' and next_attempt_at <= now()
      order by next_attempt_at
      limit 50`,
  )
}

const DueLane = Type.Object({ consumer: Type.String(), lane: Type.Integer() })

/** Returns the lanes of these consumers in which a park is due for a retry. */
export function readDueLanes(reader: Reader, consumers: readonly string[]): Promise<LaneKey[]> {
  return reader.many(
    DueLane,
    sql`
      select distinct consumer, lane
      from kernel.event_parks
      where blocking and state <> 'dead' and next_attempt_at <= now()
        and consumer = any (${consumers}::text[])`,
  )
}

/** Returns the parked event, or null if retention or an operator has deleted it. */
export async function readParked(reader: Reader, due: DuePark): Promise<LanedEvent | null> {
  const found = await reader.maybe(
    LanedEvent,
    sql`select ${columns} from kernel.events e where e.position = ${due.first_position}`,
  )
  return found ?? null
}

/** Returns the next events that wait behind a park. */
export function readWaits(reader: Reader, due: DuePark, limit: number): Promise<LanedEvent[]> {
  return reader.many(
    LanedEvent,
    sql`
      select ${columns}
      from kernel.event_park_waits w
      join kernel.events e on e.position = w.position
      where w.park_id = ${due.id}
      order by w.position
      limit ${limit}`,
  )
}

export async function removeWaits(tx: Tx, due: DuePark, through: number): Promise<void> {
  await tx.run(sql`
    delete from kernel.event_park_waits where park_id = ${due.id} and position <= ${through}`)
}

/** The first event is done, but other events still wait behind it. A skipped park stays skipped. */
export async function resolve(tx: Tx, due: DuePark): Promise<boolean> {
  const changed = await tx.run(sql`
    update kernel.event_parks
    set state = 'resolved', updated_at = now()
    where id = ${due.id} and state = 'waiting'`)
  return changed > 0
}

/** No event waits behind the park any more. Later events of the aggregate are handled normally. */
export async function close(tx: Tx, due: DuePark): Promise<void> {
  await tx.run(sql`
    update kernel.event_parks
    set blocking = false, next_attempt_at = null, updated_at = now()
    where id = ${due.id}`)
}

/**
 * An event behind a finished park has failed. It gets its own park, and the events after it wait
 * behind that park.
 */
export async function succeed(
  tx: Tx,
  key: LaneKey,
  due: DuePark,
  failed: LanedEvent,
  error: unknown,
  schedule: readonly number[],
): Promise<void> {
  await close(tx, due)
  const id = await park(tx, key, failed, error, schedule)
  await removeWaits(tx, due, failed.position)
  await tx.run(sql`update kernel.event_park_waits set park_id = ${id} where park_id = ${due.id}`)
}
