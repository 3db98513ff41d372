/**
 * Retries a parked event. Once that event succeeds or is skipped, the events behind it follow in
 * order. This runs only under the lease of the lane, so no event joins the queue meanwhile.
 */
import type { Tx } from '../../database/db.ts'
import { effect, isOutage, publishOne, type Handling } from './handle.ts'
import type { Listener } from './listener.ts'
import { claim } from './handle-once.ts'
import { move, type LaneKey } from './leases.ts'
import * as parks from './parks.ts'
import type { LanedEvent } from '../log/read.ts'

/** An operator changed the park while the attempt ran, so the attempt is rolled back. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

const portion = 50

export async function drainPark(
  at: Handling,
  listener: Listener,
  key: LaneKey,
  due: parks.DuePark,
): Promise<void> {
  if (!(await settleFirst(at, listener, key, due))) return
  for (;;) {
    const waiting = await parks.readWaits(at.db, due, portion)
    if (waiting.length === 0) break
    for (const event of waiting) {
      if (!(await follow(at, listener, key, due, event))) return
    }
  }
  await fenced(at, key, tx => parks.close(tx, due))
}

/** Returns true if the first event of the park is done. */
async function settleFirst(
  at: Handling,
  listener: Listener,
  key: LaneKey,
  due: parks.DuePark,
): Promise<boolean> {
  if (due.state === 'resolved') return true
  if (due.state === 'skipped') {
    await fenced(at, key, tx => claim(tx, key.consumer, due.event_id))
    return true
  }
  const event = await parks.readParked(at.db, due)
  try {
    if (event && listener.publish) await publishOne(at, listener, event)
    await fenced(at, key, async tx => {
      if (event) await once(at, listener, key, tx, event)
      if (!(await parks.resolve(tx, due))) throw new Overtaken()
    })
    return true
  } catch (error) {
    if (error instanceof Overtaken) return false
    if (isOutage(error)) throw error
    const state = await fenced(at, key, tx => parks.putOff(tx, due, error, at.park_schedule))
    at.log.error(
      { err: error, ...key, event_id: due.event_id, state },
      'a parked event failed again',
    )
    return false
  }
}

/** Returns true if the event behind the park is done. Otherwise the event now has its own park. */
async function follow(
  at: Handling,
  listener: Listener,
  key: LaneKey,
  due: parks.DuePark,
  event: LanedEvent,
): Promise<boolean> {
  try {
    if (listener.publish) await publishOne(at, listener, event)
    await fenced(at, key, async tx => {
      await once(at, listener, key, tx, event)
      await parks.removeWaits(tx, due, event.position)
    })
    return true
  } catch (error) {
    if (isOutage(error)) throw error
    await fenced(at, key, tx => parks.succeed(tx, key, due, event, error, at.park_schedule))
    at.log.error({ err: error, ...key, event_id: event.id }, 'an event behind a park failed')
    return false
  }
}

async function once(at: Handling, listener: Listener, key: LaneKey, tx: Tx, event: LanedEvent) {
  if (listener.run && (await claim(tx, key.consumer, event.id)))
    await effect(at, listener, tx, event)
}

/** Runs a transaction that commits only while this process holds the lane. */
function fenced<T>(at: Handling, key: LaneKey, work: (tx: Tx) => Promise<T>): Promise<T> {
  return at.db.tx(async tx => {
    await move(tx, key, at.token, 0)
    return work(tx)
  })
}
