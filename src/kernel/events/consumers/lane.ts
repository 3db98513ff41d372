/**
 * One lane of one consumer in this process. While the lane is *live*, all events up to the common
 * tail are handled or in its queue. New events are pushed to the queue, so the lane does not read
 * the log itself. When the queue is full, or after a take-over, the lane reads from its own cursor
 * until it has caught up.
 */
import { drainPark } from './drain-park.ts'
import { handle, type Handling } from './handle.ts'
import { typesOf, type Listener } from './listener.ts'
import { far_behind, move, yieldLane, type LaneKey } from './leases.ts'
import { readDue } from './parks.ts'
import { readLane, type LanedEvent } from '../log/read.ts'
import { jitter } from '../../ids.ts'

const read_max = 200
const together_max = 50
const queue_max = 400
/** After this many events another lane gets its turn. */
const batches_max = 8

export class Lane {
  readonly key: LaneKey
  readonly listener: Listener
  private readonly types: readonly string[] | null
  owned = false
  running = false
  resting = false
  parks_due = false
  failures = 0
  private live = false
  private covered = 0
  private moved = 0
  private queue: LanedEvent[] = []

  constructor(listener: Listener, lane: number) {
    this.listener = listener
    this.types = typesOf(listener)
    this.key = { consumer: listener.name, lane }
  }

  own(position: number): void {
    if (this.owned) return
    this.owned = true
    this.covered = position
    this.moved = position
    this.live = false
    this.queue = []
  }

  lose(): void {
    this.owned = false
    this.live = false
    this.queue = []
  }

  /** The tail moves on without this lane, so the lane must read the log itself. */
  fallBehind(tail: number): void {
    if (!this.live) return
    this.covered = Math.max(this.covered, tail)
    this.live = false
  }

  /**
   * `tail` is the position up to which all earlier events were pushed. Returns whether there is
   * work.
   */
  push(event: LanedEvent, tail: number): boolean {
    if (!this.owned) return false
    if (!this.live) return true
    if (event.position <= this.covered) return false
    if (this.queue.length >= queue_max) {
      this.covered = Math.max(this.covered, tail, this.queue.at(-1)?.position ?? 0)
      this.live = false
      return true
    }
    this.queue.push(event)
    return true
  }

  /** Works until no work is left or its turn is over. Returns whether work is left. */
  async work(at: Handling, tail: () => number, stopped: () => boolean): Promise<boolean> {
    if (this.parks_due) await this.workParks(at)
    for (let batches = 0; batches < batches_max && !stopped(); batches++) {
      if (this.queue.length === 0) {
        const level = this.live || (await this.catchUp(at, tail))
        if (this.queue.length === 0) await this.keepNear(at, tail)
        if (level) return this.parks_due
      }
      if (this.queue.length > 0 && (await this.workBatch(at, tail))) return false
    }
    return true
  }

  private async workParks(at: Handling): Promise<void> {
    this.parks_due = false
    const due = await readDue(at.db, this.key)
    for (const one of due) await drainPark(at, this.listener, this.key, one)
    // The park that was just retried, or the next one, may be due as well.
    if (due.length > 0) this.parks_due = (await readDue(at.db, this.key)).length > 0
  }

  /** Returns true when the lane has reached the tail and there are no more events. */
  private async catchUp(at: Handling, tail: () => number): Promise<boolean> {
    const { events, through } = await readLane(at.db, {
      lane: this.key.lane,
      types: this.types,
      after: this.covered,
      limit: read_max,
    })
    this.queue = events
    this.covered = through
    this.live = through >= tail()
    return this.live && events.length === 0
  }

  /** Returns true if another process has taken the lane. */
  private async workBatch(at: Handling, tail: () => number): Promise<boolean> {
    const batch = this.queue.slice(0, together_max)
    const last = batch.at(-1)?.position ?? 0
    let reached = last
    const through = () => {
      if (this.queue.length > batch.length) reached = last
      else reached = Math.max(last, this.covered, this.live ? tail() : 0)
      return reached
    }
    const wanted = await handle(at, this.listener, this.key, batch, through)
    this.queue.splice(0, batch.length)
    this.moved = reached
    if (!wanted || jitter() < 0.5) return false
    await yieldLane(at.db, this.key, at.token)
    this.lose()
    return true
  }

  /**
   * If there are no events of the consumer's types, the cursor moves in large steps. So no scan has
   * to read far.
   */
  private async keepNear(at: Handling, tail: () => number): Promise<void> {
    const reached = Math.max(this.covered, this.live ? tail() : 0)
    if (this.queue.length > 0 || reached - this.moved < far_behind / 2) return
    await at.db.tx(tx => move(tx, this.key, at.token, reached))
    this.moved = reached
  }
}
