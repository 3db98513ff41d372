/**
 * The members of one parent: starts each, starts it again when it has ended, with a pause that rises
 * from a quarter of a second to half a minute, and ends them. All accept from one listening socket
 * (SCHED_NONE of node:cluster), which the parent keeps open: connections that no member has accepted
 * wait there while one is started again, and a member that stands still takes none. Two members
 * share 64 connections about evenly. Rejected: handing them out in turn (SCHED_RR), where a
 * connection on its way to a member that is killed hangs for ever, and `reusePort`, where those of a
 * member that stands still wait for it, and a second platform can take the same port unseen.
 */
import cluster, { type Worker } from 'node:cluster'
import { StartError } from '../../kernel/errors/start-error.ts'
import type { Log } from '../../kernel/observability/log.ts'
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
/** One that has run for so long begins with the shortest pause again. */
const steady_ms = 60_000

export type MemberProcess = {
  readonly place: Place
  /** Resolves when it is ready for the first time; throws what stopped its start. */
  readonly first: Promise<StartFacts>
  /** It has started and has not ended since. */
  readonly running: boolean
  readonly restarts: number
  /** False if it does not run. */
  send(message: ToMember): boolean
  /** Ends it and does not start it again; false if it did not end with 0 in time. */
  stop(within_ms: number): Promise<boolean>
  kill(): void
}

export type MemberDeps = {
  readonly log: Log
  readonly onGather: (reply: (lists: readonly MetricList[]) => void) => void
  readonly onMetrics: (id: number, place: Place, metrics: MetricList) => void
}

export function setUpMembers(): void {
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // JSON would turn a value that is not a number into null.
  cluster.setupPrimary({ serialization: 'advanced' })
}

export function startMember(place: Place, deps: MemberDeps): MemberProcess {
  const { log } = deps
  const first = Promise.withResolvers<StartFacts>()
  let was_ready = false
  let running = false
  let stopping = false
  let failures = 0
  let restarts = 0
  let worker: Worker | undefined
  let pausing: NodeJS.Timeout | undefined
  let ended = Promise.withResolvers<number | string>()

  const heard = (message: ToParent) => {
    if (message.what === 'ready') {
      was_ready = true
      running = true
      first.resolve(message.facts)
    }
    if (message.what === 'failed') {
      first.reject(new StartError(message.message))
      if (was_ready) log.error({ process: place.number }, message.message)
    }
    if (message.what === 'gather') {
      const { id } = message
      deps.onGather(lists => void send({ what: 'gathered', id, lists }))
    }
    if (message.what === 'metrics') deps.onMetrics(message.id, place, message.metrics)
  }

  const launch = () => {
    const began = performance.now()
    ended = Promise.withResolvers()
    worker = cluster.fork({ [place_variable]: JSON.stringify(place) })
    worker.on('message', heard)
    worker.on('error', error => log.warn({ err: error, process: place.number }, 'a process failed'))
    worker.on('exit', (code: number | null, signal: string | null) => {
      worker = undefined
      running = false
      const how = signal ?? code ?? 1
      ended.resolve(how)
      first.reject(new StartError(`Process ${place.number} ended with ${how} before it was ready.`))
      if (stopping || !was_ready) return
      failures = performance.now() - began > steady_ms ? 0 : failures + 1
      const pause_ms = Math.min(pause_ms_max, pause_ms_min * 2 ** Math.max(0, failures - 1))
      const facts = { process: place.number, ended_with: how, pause_ms }
      log.error(facts, 'a process ended and is started again after a pause')
      pausing = setTimeout(() => {
        restarts++
        launch()
      }, pause_ms)
    })
  }

  const send = (message: ToMember) => {
    if (!running || !worker?.isConnected()) return false
    worker.send(message)
    return true
  }

  launch()
  return {
    place,
    first: first.promise,
    get running() {
      return running
    },
    get restarts() {
      return restarts
    },
    send,
    stop: async within_ms => {
      stopping = true
      clearTimeout(pausing)
      if (!worker) return true
      // Also one that is still starting: it stops as soon as it can.
      if (worker.isConnected()) worker.send({ what: 'stop' } satisfies ToMember)
      const late = setTimeout(() => worker?.process.kill('SIGKILL'), within_ms)
      const how = await ended.promise
      clearTimeout(late)
      return how === 0
    },
    kill: () => worker?.process.kill('SIGKILL'),
  }
}
