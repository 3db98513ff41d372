/**
 * Handles events of one lane in order, so that each event takes effect once. The inbox row, the
 * effect, the effect's own events and the cursor are in one transaction. Up to fifty events share a
 * transaction. After any error they are handled one by one, and the event that fails alone parks
 * its aggregate.
 */
import type { Db, Reader, Tx } from '../../database/db.ts'
import { isUnavailable, SqlState } from '../../database/failures.ts'
import type { Fault } from '../../faults.ts'
import type { Log } from '../../observability/log.ts'
import type { RefusalOf } from '../event-types.ts'
import { NotUnderstood, SinkUnavailable, type Listener } from './listener.ts'
import { admit, admitUnparked } from './handle-once.ts'
import { LeaseLost, move, type LaneKey } from './leases.ts'
import { park } from './parks.ts'
import type { LanedEvent } from '../log/read.ts'

export type Handling = {
  readonly db: Db
  readonly log: Log
  readonly fault: Fault
  readonly refusalOf: RefusalOf
  readonly park_schedule: readonly number[]
  /** The fencing token of this process. */
  readonly token: string
}

/**
 * A batch that takes longer than this could lose the lane to another process before the cursor has
 * moved.
 */
const together_ms_max = 4000

class TooSlow extends Error {
  override readonly name = 'TooSlow'
}

/**
 * The database or a sink is unavailable. The event itself is not the cause, so nothing is parked.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof LeaseLost || error instanceof SinkUnavailable) return true
  if (error instanceof SqlState && /^(57014|55P03|40001|40P01)$/.test(error.code)) return false
  return isUnavailable(error)
}

/**
 * The number of events that a consumer handles in one call, if the consumer sets no other number.
 * The elapsed time is checked after each call.
 */
const portion_default = 10

/** Runs the effect of one event in the given transaction. */
export async function effect(at: Handling, listener: Listener, tx: Tx, event: LanedEvent) {
  await admissible(at, tx, event)
  await listener.run?.(tx, event)
}

async function admissible(at: Handling, reader: Reader, event: LanedEvent): Promise<void> {
  await at.fault('kernel.consumer')
  const code = await at.refusalOf(event, reader)
  if (code) throw new NotUnderstood(code)
}

async function effects(at: Handling, listener: Listener, tx: Tx, events: readonly LanedEvent[]) {
  const [first] = events
  if (first && (events.length === 1 || !listener.runAll)) return effect(at, listener, tx, first)
  for (const event of events) await admissible(at, tx, event)
  await listener.runAll?.(tx, events)
}

/**
 * `through` is the position to which the cursor may move once all these events are done. Returns
 * whether another process wants the lane.
 */
export async function handle(
  at: Handling,
  listener: Listener,
  key: LaneKey,
  events: readonly LanedEvent[],
  through: () => number,
): Promise<boolean> {
  if (listener.publish) return publishAll(at, listener, key, events, through)
  try {
    return await together(at, listener, key, events, through)
  } catch (error) {
    if (isOutage(error)) throw error
    if (events.length > 1)
      at.log.debug({ err: error, ...key }, 'a batch failed; its events are handled one by one')
  }
  let wanted = false
  for (const event of events) {
    const last = event === events.at(-1)
    wanted = await alone(at, listener, key, event, last ? through : () => event.position)
  }
  return wanted
}

function together(
  at: Handling,
  listener: Listener,
  key: LaneKey,
  events: readonly LanedEvent[],
  through: () => number,
): Promise<boolean> {
  const began = performance.now()
  return at.db.tx(async tx => {
    const wanted = await listener.wants?.(tx, events)
    const asked = wanted ? events.filter(event => wanted.has(event.id)) : events
    const fresh = await admit(tx, key.consumer, asked)
    const owed = asked.filter(event => fresh.has(event.id))
    const step = listener.runAll ? (listener.portion ?? portion_default) : 1
    for (let from = 0; from < owed.length; from += step) {
      if (events.length > 1 && performance.now() - began > together_ms_max) throw new TooSlow()
      await effects(at, listener, tx, owed.slice(from, from + step))
    }
    return move(tx, key, at.token, through(), events[0]?.position)
  })
}

async function alone(
  at: Handling,
  listener: Listener,
  key: LaneKey,
  event: LanedEvent,
  through: () => number,
): Promise<boolean> {
  try {
    return await together(at, listener, key, [event], through)
  } catch (error) {
    if (isOutage(error)) throw error
    return parkEvent(at, key, event, error, through)
  }
}

function parkEvent(
  at: Handling,
  key: LaneKey,
  event: LanedEvent,
  error: unknown,
  through: () => number,
): Promise<boolean> {
  at.log.error(
    { err: error, ...key, event_id: event.id, type: event.type },
    'an event failed: its aggregate is parked for this consumer',
  )
  return at.db.tx(async tx => {
    const wanted = await move(tx, key, at.token, through(), event.position)
    // No earlier event of the aggregate can have been parked meanwhile, because this process holds
    // the lane.
    await park(tx, key, event, error, at.park_schedule)
    return wanted
  })
}

/** A sink has no inbox: the receiving side recognizes repeats by the event's id. */
async function publishAll(
  at: Handling,
  listener: Listener,
  key: LaneKey,
  events: readonly LanedEvent[],
  through: () => number,
): Promise<boolean> {
  const free = await at.db.tx(tx => admitUnparked(tx, key.consumer, events))
  for (const event of free) {
    try {
      await publishOne(at, listener, event)
    } catch (error) {
      if (isOutage(error)) throw error
      const rest = events.filter(one => one.position > event.position)
      const here = rest.length === 0 ? through : () => event.position
      const wanted = await parkEvent(at, key, event, error, here)
      // The events after the parked one are checked again, because those of the same aggregate must
      // wait now.
      return rest.length === 0 ? wanted : publishAll(at, listener, key, rest, through)
    }
  }
  return at.db.tx(tx => move(tx, key, at.token, through()))
}

export async function publishOne(
  at: Handling,
  listener: Listener,
  event: LanedEvent,
): Promise<void> {
  await admissible(at, at.db, event)
  await listener.publish?.(event)
}
