/**
 * Computes the next state of a job when an attempt ends, as a pure function of the rows that were
 * read under the lock. Finished work is `succeeded`, even if a cancel was requested meanwhile.
 * Otherwise a cancel comes before a deadline, and a deadline before another attempt. Only failures
 * and lost leases use attempts up. A lease that was lost in an outage of the platform does not.
 */
import type { StepWaits } from '#dodeca/kernel'
import { retryDelayMs, type Backoff } from '../backoff.ts'
import { outage_code } from './note-outages.ts'

export type Ending =
  | {
      readonly outcome: 'succeeded' | 'cancelled' | 'lost' | 'interrupted' | 'overdue' | 'timed_out'
    }
  /**
   * The attempt was released. With a time, the job has postponed itself until then; a workflow waits
   * for its steps.
   */
  | {
      readonly outcome: 'released'
      readonly after_seconds?: number
      readonly waits?: StepWaits
    }
  | { readonly outcome: 'failed'; readonly error: WorkerError }

export type WorkerError = {
  readonly code: string
  readonly retryable: boolean
  readonly retry_after_seconds?: number
}

/** Times are the platform's, in milliseconds. */
export type AttemptFacts = {
  readonly now_ms: number
  readonly failures: number
  readonly losses: number
  readonly max_attempts: number
  readonly losses_max: number
  readonly deadline_ms: number | null
  readonly cancel_requested: boolean
}

export type Retrying = {
  readonly backoff: Backoff
  readonly random: number
  /** Takes one retry of the type's budget. Returns false if none is left. */
  budget(): boolean
}

export type AttemptEnd =
  'succeeded' | 'failed' | 'cancelled' | 'released' | 'lease_expired' | 'expired'

export type Decision = {
  readonly attempt: AttemptEnd
  readonly job: 'succeeded' | 'failed' | 'cancelled' | 'expired' | 'retryable'
  readonly error: { readonly code: string; readonly retryable: boolean } | null
  /** The wait of a job that goes back to the queue. Zero means no wait. */
  readonly wait_ms: number
  /** When a workflow goes on that waits for its steps. */
  readonly wake_at?: string
  readonly failures: number
  readonly losses: number
}

const attempts = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  released: 'released',
  lost: 'lease_expired',
  interrupted: 'lease_expired',
  overdue: 'expired',
  timed_out: 'failed',
} as const satisfies Record<Ending['outcome'], AttemptEnd>

export function attemptEndOf({ outcome }: Ending): AttemptEnd {
  return attempts[outcome]
}

export function decideEnd(ending: Ending, at: AttemptFacts, retrying: Retrying): Decision {
  const counted = {
    attempt: attemptEndOf(ending),
    failures: at.failures + (['failed', 'timed_out'].includes(ending.outcome) ? 1 : 0),
    losses: at.losses + (ending.outcome === 'lost' ? 1 : 0),
    wait_ms: 0,
  }
  const over = (job: Decision['job'], code: string | null, retryable = false): Decision => ({
    ...counted,
    job,
    error: code === null ? null : { code, retryable },
  })
  if (ending.outcome === 'succeeded') return over('succeeded', null)
  if (at.cancel_requested) return over('cancelled', null)
  const late = at.deadline_ms !== null && at.now_ms >= at.deadline_ms
  if (ending.outcome === 'overdue' || late) return over('expired', 'deadline_exceeded')
  if (ending.outcome === 'cancelled') return over('cancelled', null)
  if (ending.outcome === 'released') {
    return { ...over('retryable', null), wait_ms: (ending.after_seconds ?? 0) * 1000 }
  }
  if (ending.outcome === 'interrupted') return over('retryable', outage_code, true)
  if (ending.outcome === 'lost') {
    return counted.losses >= at.losses_max
      ? over('failed', 'worker_lost', true)
      : over('retryable', 'worker_lost', true)
  }
  const error = ending.outcome === 'failed' ? ending.error : timed_out
  const failed = over('failed', error.code, error.retryable)
  if (!error.retryable || counted.failures >= at.max_attempts) return failed
  const wait_ms = waitMs(error, counted.failures, retrying)
  if (at.deadline_ms !== null && at.now_ms + wait_ms >= at.deadline_ms) return failed
  return { ...failed, job: 'retryable', wait_ms }
}

const timed_out: WorkerError = { code: 'attempt_timed_out', retryable: true }

function waitMs(error: WorkerError, failures: number, { backoff, random, budget }: Retrying) {
  const asked_ms = (error.retry_after_seconds ?? 0) * 1000
  if (budget()) return retryDelayMs(backoff, failures, random, asked_ms)
  // Beyond the budget, the job waits at least half of the longest backoff.
  return Math.max(Math.round(backoff.cap_ms * (0.5 + random / 2)), asked_ms)
}
