/**
 * The members of one parent. The parent starts each member and ends it. If a member has ended, the
 * parent starts it again after a pause, which rises from a quarter of a second to half a minute.
 * All members accept from one listening socket (SCHED_NONE of node:cluster). The parent keeps the
 * socket open, so connections wait there while a member is started again, and a blocked member
 * takes none. Two members share 64 connections about evenly. Two alternatives were rejected. With
 * SCHED_RR, a connection hangs for ever if its member is killed before it gets the connection. With
 * `reusePort`, connections of a blocked member wait for that member, and a second platform can take
 * the same port unnoticed.
 */
import cluster, { type Worker } from 'node:cluster'
import { StartError, type Log } from '#dodeca/kernel'
import type { StartFacts } from '../start-facts.ts'
import {
  place_variable,
  type MetricList,
  type Place,
  type ToMember,
  type ToParent,
} from './messages.ts'

const pause_ms_min = 250
const pause_ms_max = 30_000
/** A member that has run for so long starts with the shortest pause again. */
const steady_ms = 60_000

type MemberDeps = {
  readonly log: Log
  readonly onGather: (reply: (lists: readonly MetricList[]) => void) => void
  readonly onMetrics: (id: number, place: Place, metrics: MetricList) => void
}

export function setUpMembers(): void {
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // JSON would change a value that is not a number to null.
  cluster.setupPrimary({ serialization: 'advanced' })
}

export class MemberProcess {
  readonly place: Place
  /** The number of times that the member was started again. */
  restarts = 0
  readonly #deps: MemberDeps
  readonly #first = Promise.withResolvers<StartFacts>()
  #ended = Promise.withResolvers<number | string>()
  #worker: Worker | undefined
  #pausing: NodeJS.Timeout | undefined
  #was_ready = false
  #running = false
  #stopping = false
  #failures = 0

  constructor(place: Place, deps: MemberDeps) {
    this.place = place
    this.#deps = deps
    this.#launch()
  }

  /**
   * Resolves when the member is ready for the first time. Throws the error that stopped its start.
   */
  get first(): Promise<StartFacts> {
    return this.#first.promise
  }

  /** True if the member has started and has not ended since. */
  get running(): boolean {
    return this.#running
  }

  /** Returns false if the member does not run. */
  send(message: ToMember): boolean {
    if (!this.#running || !this.#worker?.isConnected()) return false
    this.#worker.send(message)
    return true
  }

  /**
   * Ends the member and does not start it again. Returns false if it did not end with 0 in time.
   */
  async stop(within_ms: number): Promise<boolean> {
    this.#stopping = true
    clearTimeout(this.#pausing)
    if (!this.#worker) return true
    // A member that is still starting gets the message too, and stops as soon as it can.
    if (this.#worker.isConnected()) this.#worker.send({ what: 'stop' } satisfies ToMember)
    const late = setTimeout(() => this.kill(), within_ms)
    const how = await this.#ended.promise
    clearTimeout(late)
    return how === 0
  }

  kill(): void {
    this.#worker?.process.kill('SIGKILL')
  }

  #launch(): void {
    const { number } = this.place
    const began = performance.now()
    this.#ended = Promise.withResolvers()
    const worker = cluster.fork({ [place_variable]: JSON.stringify(this.place) })
    this.#worker = worker
    worker.on('message', (message: ToParent) => this.#receive(message))
    worker.on('error', error => {
      this.#deps.log.warn({ err: error, process: number }, 'a process got no message')
    })
    worker.on('exit', (code: number | null, signal: string | null) => {
      const how = signal ?? code ?? 1
      this.#worker = undefined
      this.#running = false
      this.#ended.resolve(how)
      this.#first.reject(new StartError(`Process ${number} ended with ${how} before it was ready.`))
      if (!this.#stopping && this.#was_ready) this.#launchLater(how, performance.now() - began)
    })
  }

  #launchLater(ended_with: number | string, ran_ms: number): void {
    this.#failures = ran_ms > steady_ms ? 1 : this.#failures + 1
    const pause_ms = Math.min(pause_ms_max, pause_ms_min * 2 ** (this.#failures - 1))
    const facts = { process: this.place.number, ended_with, pause_ms }
    this.#deps.log.error(facts, 'a process ended and is started again after a pause')
    this.#pausing = setTimeout(() => {
      this.restarts++
      this.#launch()
    }, pause_ms)
  }

  #receive(message: ToParent): void {
    const { onGather, onMetrics, log } = this.#deps
    if (message.what === 'ready') {
      this.#was_ready = true
      this.#running = true
      this.#first.resolve(message.facts)
    }
    if (message.what === 'failed') {
      this.#first.reject(new StartError(message.message))
      if (this.#was_ready) log.error({ process: this.place.number }, message.message)
    }
    if (message.what === 'gather') {
      const { id } = message
      onGather(lists => void this.send({ what: 'gathered', id, lists }))
    }
    if (message.what === 'metrics') onMetrics(message.id, this.place, message.metrics)
  }
}
