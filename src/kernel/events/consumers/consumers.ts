/**
 * All consumers of this process. New events are read once, from the common tail, and are pushed to
 * the lanes that this process holds. While nothing happens, one poll covers every consumer and
 * lane. A scan over all lanes finds work that was left behind (by a dead process, a lost
 * notification or a full queue).
 */
import { logFailure } from '../../database/log-failure.ts'
import { newId } from '../../ids.ts'
import type { Handling } from './handle.ts'
import { typesOf, type Listener } from './listener.ts'
import * as leases from './leases.ts'
import { readDueLanes } from './parks.ts'
import { poll, readNewest, readTail, type Tail } from '../log/read.ts'
import { openSleeper } from '../../work/sleeper.ts'
import { Workers } from './workers.ts'

export type ConsumersOptions = Omit<Handling, 'token'> & {
  listeners: readonly Listener[]
  /** The number of lanes that work at the same time. Each uses one connection of the pool. */
  concurrency: number
}

const tail_max = 500
const busy_ms = 250
/** The pulse finds work whose notification was lost. */
const idle_ms = 5000
const foreign_ms = 1000
const busy_for_ms = 2000
const look_every_ms = 5000

export class Consumers {
  private readonly options: ConsumersOptions
  private readonly token = newId()
  private readonly names: readonly string[]
  private readonly interests: readonly leases.Interest[]
  private readonly listenersOf: (type: string) => readonly Listener[]
  private readonly workers: Workers
  private readonly sleeper = openSleeper()
  private finished: Promise<void> | undefined
  private stopped = false
  private parks = false
  /** Every event up to this position was pushed to its lane, or its lane is marked as behind. */
  private seen: Tail = { position: 0, id: null }
  private active_at = -Infinity
  private look_at = -Infinity
  /** The head at which the cursors of quiet lanes were last moved. */
  private advanced_at = -1

  constructor(options: ConsumersOptions) {
    this.options = options
    const { listeners } = options
    this.names = listeners.map(one => one.name)
    this.interests = listeners.map(one => ({ consumer: one.name, types: typesOf(one) }))
    this.listenersOf = listenersIn(listeners)
    const at: Handling = { ...options, token: this.token }
    this.workers = new Workers(at, listeners, options.concurrency, () => this.seen.position)
  }

  poke(): void {
    this.sleeper.wake()
  }

  /** Called when a parked event is due. Scans all lanes now. */
  pokeParks(): void {
    this.parks = true
    this.sleeper.wake()
  }

  async start(): Promise<void> {
    const { db } = this.options
    await leases.register(db, this.options.listeners)
    this.seen = await readNewest(db)
    for (const taken of await leases.takeFree(db, this.names, this.token)) {
      this.workers.lane(taken)?.own(taken.position)
    }
    await this.look()
    this.finished = this.run()
  }

  /** Stops after the running batches and releases the leases. */
  async stop(): Promise<void> {
    this.stopped = true
    this.sleeper.close()
    await this.finished
    await this.workers.stop()
    if (!this.finished) return
    await leases.release(this.options.db, this.token).catch((error: unknown) => {
      logFailure(
        this.options.log,
        { err: error },
        'leases could not be given back; they will expire',
      )
    })
  }

  private async run(): Promise<void> {
    let polled_at = performance.now()
    while (!this.stopped) {
      const busy = performance.now() - this.active_at < busy_for_ms
      const poll_at = polled_at + (busy ? busy_ms : idle_ms)
      const at = Math.min(poll_at, Math.max(this.look_at, polled_at + busy_ms))
      await this.sleeper.sleep(Math.max(0, at - performance.now()))
      if (this.stopped) return
      const due = this.parks || performance.now() >= Math.min(poll_at, this.look_at) - 1
      this.parks = false
      if (due) polled_at = performance.now()
      try {
        await (due ? this.poll() : this.readOn())
      } catch (error) {
        logFailure(this.options.log, { err: error }, 'the event log could not be read')
        await this.sleeper.sleepThrough(500)
      }
    }
  }

  private async poll(): Promise<void> {
    const { db } = this.options
    const { newest, parks_due } = await poll(db, this.names)
    const { position: head } = newest
    if (head !== this.seen.position || newest.id !== this.seen.id) await this.readOn()
    if (parks_due) await this.wakeParks()
    // A poll that is almost due runs now, so that an idle process does not poll twice.
    if (performance.now() < this.look_at - busy_ms) return
    // Without new events, no cursor has fallen further behind.
    if (head > this.advanced_at) await leases.advanceQuiet(db, this.interests)
    this.advanced_at = head
    await this.look()
  }

  private async readOn(): Promise<void> {
    const events = await readTail(this.options.db, this.seen, tail_max)
    if (events === null) return this.goBack()
    if (events.length === 0) return
    this.active_at = performance.now()
    if (events.length === tail_max) return this.jump()
    for (const event of events) {
      for (const { name } of this.listenersOf(event.type)) {
        const lane = this.workers.lane({ consumer: name, lane: event.lane })
        if (lane?.push(event, this.seen.position)) this.workers.ask(lane)
        else if (!lane?.owned) this.look_at = Math.min(this.look_at, performance.now() + foreign_ms)
      }
    }
    this.seen = events.at(-1) ?? this.seen
    this.workers.dispatch()
  }

  /** There are so many new events that each lane reads its own events instead. */
  private async jump(): Promise<void> {
    const newest = await readNewest(this.options.db)
    for (const lane of this.workers.all()) lane.fallBehind(this.seen.position)
    if (newest.position > this.seen.position) this.seen = newest
    await this.look()
  }

  /** The log ends earlier than this process knows. Each lane begins again at its cursor. */
  private async goBack(): Promise<void> {
    this.options.log.warn(
      { position: this.seen.position },
      'the event log has lost its last events',
    )
    for (const lane of this.workers.all()) lane.lose()
    this.seen = await readNewest(this.options.db)
    this.advanced_at = -1
    await this.look()
  }

  private async look(): Promise<void> {
    this.look_at = performance.now() + look_every_ms
    for (const found of await leases.takeWork(this.options.db, this.interests, this.token)) {
      if (found.ours) {
        const lane = this.workers.lane(found)
        lane?.own(found.position)
        if (lane) this.workers.ask(lane)
      } else {
        // Another process has requested the lane. The process that holds the lane may hand it over
        // at any moment, so this process does not work on the lane.
        const busy = performance.now() - this.active_at < busy_for_ms
        this.look_at = performance.now() + (busy ? busy_ms : foreign_ms)
      }
    }
    this.workers.dispatch()
  }

  private async wakeParks(): Promise<void> {
    for (const key of await readDueLanes(this.options.db, this.names)) {
      const lane = this.workers.lane(key)
      if (!lane?.owned) continue
      lane.parks_due = true
      this.workers.ask(lane)
    }
    this.workers.dispatch()
  }
}

/**
 * Finds the consumers that listen for an event type. There are few types, so the results are
 * cached.
 */
function listenersIn(listeners: readonly Listener[]): (type: string) => readonly Listener[] {
  const known = new Map<string, readonly Listener[]>()
  return type => {
    let found = known.get(type)
    if (!found) {
      found = listeners.filter(one => one.events === 'all' || one.events.includes(type))
      known.set(type, found)
    }
    return found
  }
}
