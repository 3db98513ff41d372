/**
 * Decides the consequences of an outcome. The delivery gets its next state and the time of its next
 * attempt. The lane gets changes of its breaker, Retry-After and health. The functions are pure
 * except for the lane, which only its owner changes.
 */
import { parseTime } from '#dodeca/kernel'
import { afterAnswer } from '../lanes/breaker.ts'
import type { Lane } from '../lanes/lane.ts'
import type { BreakerSettings } from '../sending-settings.ts'
import type { Claimed } from './claim.ts'
import type { Outcome } from './outcome.ts'

export type Rules = {
  readonly schedule_seconds: readonly number[]
  readonly max_age_seconds: number
  readonly max_held_age_seconds: number
  readonly degraded_seconds: number
  readonly auto_disable_seconds: number
  readonly breaker: BreakerSettings
}

export type Next = {
  readonly state: 'pending' | 'delivered' | 'permanent_failure' | 'exhausted'
  /** Whether the try counts as an attempt. Faults of the platform do not count. */
  readonly counted: boolean
  readonly tries: number
  readonly delay_ms: number
}

/** The effect on the subscription. */
export type Consequence = 'degraded' | 'failing' | 'gone' | 'owner_revoked' | null

const spread = 0.2
const shortest_ms = 1000
const own_fault_ms = 5000
const wait_ms_max = 86_400_000
/** A name may fail to resolve for a while. So the first try is followed by three more. */
const blocked_tries = 4
const disable_failures_min = 20

export function nextOf(
  claimed: Pick<Claimed, 'tries' | 'since' | 'held_seconds'>,
  outcome: Outcome,
  rules: Rules,
  now_ms: number,
  random: number,
): Next {
  const { verdict } = outcome
  const jitter = 1 - spread + 2 * spread * random
  if (verdict === 'ours') {
    const { tries } = claimed
    return { state: 'pending', counted: false, tries, delay_ms: own_fault_ms * jitter }
  }
  const tries = claimed.tries + 1
  const ends = (state: Next['state']): Next => ({ state, counted: true, tries, delay_ms: 0 })
  if (verdict === 'delivered') return ends('delivered')
  if (verdict === 'permanent' || verdict === 'gone') return ends('permanent_failure')
  if (verdict === 'blocked' && tries >= blocked_tries) return ends('permanent_failure')
  const step_seconds = rules.schedule_seconds[tries]
  if (step_seconds === undefined) return ends('exhausted')
  const step_ms = Math.max(shortest_ms, step_seconds * 1000 * jitter)
  const asked_ms = (outcome.wait_seconds ?? 0) * 1000
  const delay_ms = Math.min(wait_ms_max, Math.max(step_ms, asked_ms))
  if (isTooOld(claimed, rules, now_ms + delay_ms)) return ends('exhausted')
  return { state: 'pending', counted: true, tries, delay_ms }
}

export function isTooOld(
  { since, held_seconds }: Pick<Claimed, 'since' | 'held_seconds'>,
  rules: Pick<Rules, 'max_age_seconds' | 'max_held_age_seconds'>,
  at_ms: number,
): boolean {
  const age_seconds = (at_ms - parseTime(since)) / 1000
  const held = Math.max(0, held_seconds)
  return age_seconds - held > rules.max_age_seconds || age_seconds > rules.max_held_age_seconds
}

/** Updates the lane with an outcome. Returns the effect on the subscription. */
export function learn(
  lane: Lane,
  outcome: Outcome,
  duration_ms: number,
  rules: Rules,
  now_ms: number,
  random: number,
): Consequence {
  if (outcome.verdict === 'ours') return null
  lane.took(duration_ms)
  const { state } = lane.breaker
  lane.breaker = afterAnswer(lane.breaker, outcome.faulty, rules.breaker, now_ms, random)
  lane.changed ||= lane.breaker.state !== state
  if (outcome.wait_seconds !== null) {
    lane.not_before_ms = Math.max(lane.not_before_ms, now_ms + outcome.wait_seconds * 1000)
    lane.changed = true
  }
  if (outcome.verdict === 'delivered') {
    lane.changed ||= lane.failing_since_ms !== null
    lane.last_success_ms = now_ms
    lane.acquit()
    return null
  }
  lane.changed ||= lane.failing_since_ms === null
  lane.failing_since_ms ??= now_ms
  lane.failures++
  if (outcome.verdict === 'gone') return 'gone'
  return healthOf(lane, rules, now_ms)
}

/**
 * Decides by the time since the last success: whether the owner is informed, and whether the
 * endpoint is disabled.
 */
function healthOf(lane: Lane, rules: Rules, now_ms: number): Consequence {
  const failing_seconds = (now_ms - (lane.failing_since_ms ?? now_ms)) / 1000
  const often = lane.failures >= disable_failures_min
  if (often && failing_seconds >= rules.auto_disable_seconds) return 'failing'
  if (lane.degraded || failing_seconds < rules.degraded_seconds) return null
  lane.degraded = true
  lane.changed = true
  return 'degraded'
}
