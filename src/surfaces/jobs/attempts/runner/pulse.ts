/**
 * The timer of a runner. A few times a second it checks the runner's own attempts. It renews the
 * leases that have used a third of their time, and stops handlers whose time limit or deadline has
 * passed. After a wake-up it checks whether one of the jobs was cancelled.
 */
import { Type } from 'typebox'
import { logFailure, parseTime, sql, type Clock, type Db, type Log } from '#dodeca/kernel'
import { stopAttempt, type Attempt } from './attempt.ts'
import { renewLeases } from './heartbeat.ts'

export type PulseDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly grace_seconds: number
  now(): number
}

export type Pulse = {
  woken(): void
  /** Until `close`. */
  beat(attempts: () => readonly Attempt[]): Promise<void>
  close(): void
}

const interval_ms = 250
const leases_max = 500

export function openPulse(deps: PulseDeps): Pulse {
  let woken = false
  let closed = false
  let wake: (() => void) | undefined
  const rest = () =>
    new Promise<void>(resolve => {
      const timer = setTimeout(resolve, interval_ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  return {
    woken: () => {
      woken = true
    },
    beat: async attempts => {
      while (!closed) {
        const mine = attempts()
        for (const one of mine) stopLate(deps, one)
        try {
          const due = mine.filter(one => deps.now() >= one.renew_ms).slice(0, leases_max)
          if (due.length > 0) await renew(deps, due)
          if (woken && mine.length > 0) {
            woken = false
            await stopCancelled(deps, mine)
          }
        } catch (error) {
          logFailure(deps.log, { err: error }, 'leases were not renewed; trying again')
        }
        await rest()
      }
    },
    close: () => {
      closed = true
      wake?.()
    },
  }
}

function stopLate({ now, clock }: PulseDeps, attempt: Attempt): void {
  if (attempt.stopped !== null) return
  if (now() >= attempt.timeout_ms) stopAttempt(attempt, 'timeout')
  else if (attempt.deadline_ms !== null && clock.nowMs() >= attempt.deadline_ms) {
    stopAttempt(attempt, 'deadline')
  }
}

async function renew(deps: PulseDeps, due: readonly Attempt[]): Promise<void> {
  const asked_ms = deps.now()
  const leases = due.map(one => one.lease)
  const renewed = await renewLeases(deps.db, leases, deps.grace_seconds)
  const answers = new Map(renewed.map(one => [one.attempt_id, one]))
  for (const attempt of due) {
    const answer = answers.get(attempt.lease.attempt_id)
    if (!answer) {
      stopAttempt(attempt, 'lease_lost')
      // The cancel will not be requested again.
      attempt.renew_ms = Number.POSITIVE_INFINITY
      continue
    }
    const lease_ms = attempt.rules.lease_seconds * 1000
    attempt.version = Math.max(attempt.version, answer.version)
    attempt.deadline_ms = answer.deadline_at === null ? null : parseTime(answer.deadline_at)
    attempt.renew_ms = asked_ms + lease_ms / 3
    attempt.held_ms = asked_ms + lease_ms
    if (answer.cancel_requested) stopAttempt(attempt, 'cancelled')
  }
}

const Cancelled = Type.Object({ id: Type.String(), version: Type.Integer() })

async function stopCancelled({ db }: PulseDeps, attempts: readonly Attempt[]): Promise<void> {
  const cancelled = await db.many(
    Cancelled,
    sql`
    select j.id, j.version
    from unnest(
      ${attempts.map(({ lease }) => lease.tenant_id)}::uuid[],
      ${attempts.map(({ lease }) => lease.job_id)}::uuid[]
    ) mine (tenant_id, job_id)
    join jobs.jobs j on j.tenant_id = mine.tenant_id and j.id = mine.job_id
    where j.cancel_requested_at is not null and j.state = 'running'`,
  )
  const versions = new Map(cancelled.map(one => [one.id, one.version]))
  for (const attempt of attempts) {
    const version = versions.get(attempt.lease.job_id)
    if (version === undefined) continue
    attempt.version = Math.max(attempt.version, version)
    stopAttempt(attempt, 'cancelled')
  }
}
