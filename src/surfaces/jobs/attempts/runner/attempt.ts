/**
 * One attempt that runs in this process: its lease, the known version of its job, and the reason
 * why its handler was stopped. Times are monotonic. Only the deadline is a time of the platform's
 * clock.
 */
import { parseTime, type JobType } from '#dodeca/kernel'
import type { Taken } from '../claims/claim-jobs.ts'
import type { TypeRules } from '../rules.ts'

export type StopReason = 'cancelled' | 'deadline' | 'timeout' | 'lease_lost' | 'stopping'

/** The reason of the abort of a handler's signal. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  readonly reason: StopReason
  constructor(reason: StopReason) {
    super(`the attempt was stopped: ${reason}`)
    this.reason = reason
  }
}

export type Attempt = {
  readonly lease: Taken
  readonly rules: TypeRules
  readonly handler: JobType
  readonly controller: AbortController
  version: number
  deadline_ms: number | null
  stopped: StopReason | null
  renew_ms: number
  /** The lease is certainly valid until this time, by the clock of this process. */
  held_ms: number
  readonly timeout_ms: number
}

export function openAttempt(
  lease: Taken,
  rules: TypeRules,
  handler: JobType,
  claimed_ms: number,
): Attempt {
  return {
    lease,
    rules,
    handler,
    controller: new AbortController(),
    version: lease.version,
    deadline_ms: lease.deadline_at === null ? null : parseTime(lease.deadline_at),
    stopped: null,
    renew_ms: claimed_ms + (rules.lease_seconds * 1000) / 3,
    held_ms: claimed_ms + rules.lease_seconds * 1000,
    timeout_ms: claimed_ms + rules.timeout_seconds * 1000,
  }
}

/** The first reason counts, but a lost lease replaces any other reason. */
export function stopAttempt(attempt: Attempt, reason: StopReason): void {
  if (attempt.stopped === null || reason === 'lease_lost') attempt.stopped = reason
  attempt.controller.abort(new Stopped(reason))
}
