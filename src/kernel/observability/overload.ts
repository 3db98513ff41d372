/**
 * Decides whether this process accepts a request now. The first request of a turn of the event loop
 * starts the turn; a request that begins too long after that has waited in its socket and is refused.
 * A starved machine, or one pause, refuses nothing: the turn before must have been late too, this
 * thread itself must have used the processor, and the first requests of a turn are always accepted.
 * The same measure makes background work give way.
 */
import { jitter } from '../ids.ts'
import { problem, type Problem } from '../errors/problem.ts'

export type RequestClass = 'usual' | 'anonymous_read' | 'expensive' | 'socket'
export type RefusalReason = 'overloaded' | 'shutting_down'

export type Overload = {
  /** Why a request that begins at this time of the monotonic clock is refused, or null. */
  refusal(of: RequestClass, at_ms: number): Problem | null
  /** Whether requests have waited for this process within the last second. */
  busy(): boolean
  /** The process is not ready any more. Requests are still served, until the proxies know it. */
  drain(): void
  draining(): boolean
  /** From now on every request is refused. */
  refuseAll(): void
}

export type OverloadOptions = {
  /** The longest wait of a usual request. */
  readonly delay_ms: number
  refused(reason: RefusalReason, of: RequestClass): void
  readonly now?: () => number
  /** The processor time that this thread has used. */
  readonly processorMs?: () => number
  /** Calls the function at the end of the running turn. */
  readonly atEnd?: (run: () => void) => unknown
}

/** The part of `delay_ms` that a request may wait: what costs most is refused first. */
const shares: Readonly<Record<RequestClass, number>> = {
  usual: 1,
  anonymous_read: 0.75,
  expensive: 0.5,
  socket: 1,
}
/** A browser opens six connections to a host: a client that is alone must not be refused. */
const accepted_min = 8
const busy_ms = 1000

// Made once: a process that is late must not spend its time on the stacks of errors.
const overloaded = [1, 2, 3].map(retry_after => problem('overloaded', { retry_after }))
const stopping = problem('shutting_down', { retry_after: 1, headers: { connection: 'close' } })

export function watchOverload({
  delay_ms,
  refused,
  now = () => performance.now(),
  processorMs = threadMs,
  atEnd = setImmediate,
}: OverloadOptions): Overload {
  let draining = false
  let refuses = false
  let in_turn = false
  let began_ms = 0
  let count = 0
  let was_late = false
  let busy_until_ms = Number.NEGATIVE_INFINITY
  /** The processor time at the start of this turn; null unless the turn before was late. */
  let used_ms: number | null = null

  const end = () => {
    in_turn = false
    const ended_ms = now()
    was_late = ended_ms - began_ms > delay_ms / 2
    if (was_late) busy_until_ms = ended_ms + busy_ms
  }
  const isLate = (of: RequestClass, at_ms: number): boolean => {
    if (!in_turn) {
      in_turn = true
      began_ms = at_ms
      count = 0
      used_ms = was_late && at_ms < busy_until_ms ? processorMs() : null
      atEnd(end)
    }
    count++
    if (used_ms === null || count <= accepted_min) return false
    const limit_ms = delay_ms * shares[of]
    return at_ms - began_ms > limit_ms && processorMs() - used_ms >= limit_ms / 2
  }
  return {
    refusal: (of, at_ms) => {
      if (!refuses && !isLate(of, at_ms)) return null
      refused(refuses ? 'shutting_down' : 'overloaded', of)
      return refuses ? stopping : (overloaded[Math.floor(jitter() * 3)] as Problem)
    },
    busy: () => now() < busy_until_ms,
    drain: () => {
      draining = true
    },
    draining: () => draining,
    refuseAll: () => {
      refuses = true
    },
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
