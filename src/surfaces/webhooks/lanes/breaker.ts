/**
 * The circuit breaker of an endpoint. Closed: requests are sent. Open: no request is sent until
 * `open_until_ms`. Half open: one request is sent, and its result closes or opens the breaker. Only
 * faults of the endpoint count. The functions are pure, and the time is a parameter.
 */
import type { BreakerSettings } from '../sending-settings.ts'

export type Breaker = {
  readonly state: 'closed' | 'open' | 'half_open'
  /** The number of faults in a row. */
  readonly consecutive: number
  /** The length of the breaker's last open period. It doubles with each period until a success. */
  readonly open_ms: number
  readonly open_until_ms: number
  readonly window: readonly Slice[]
}

type Slice = { readonly at: number; readonly total: number; readonly faults: number }

const window_ms = 60_000
const slice_ms = 10_000
const window_requests_min = 20
const spread = 0.2

export const closed: Breaker = {
  state: 'closed',
  consecutive: 0,
  open_ms: 0,
  open_until_ms: 0,
  window: [],
}

/** The current state. When the open period is over, the breaker lets one request through. */
export function breakerAt(breaker: Breaker, now_ms: number): Breaker {
  const over = breaker.state === 'open' && breaker.open_until_ms <= now_ms
  return over ? { ...breaker, state: 'half_open' } : breaker
}

export function afterAnswer(
  before: Breaker,
  faulty: boolean,
  settings: BreakerSettings,
  now_ms: number,
  random: number,
): Breaker {
  const breaker = breakerAt(before, now_ms)
  const window = counted(breaker.window, faulty, now_ms)
  if (!faulty) {
    // A request that started before the breaker opened does not close it.
    return breaker.state === 'open' ? { ...breaker, window } : { ...closed, window }
  }
  const consecutive = breaker.consecutive + 1
  if (breaker.state === 'open') return { ...breaker, consecutive, window }
  const trips = breaker.state === 'half_open' || consecutive >= settings.failures || tooMany(window)
  if (!trips) return { ...breaker, consecutive, window }
  const open_ms =
    breaker.open_ms === 0 ? settings.open_ms : Math.min(breaker.open_ms * 2, settings.max_open_ms)
  const jittered_ms = open_ms * (1 - spread + 2 * spread * random)
  return { state: 'open', consecutive, open_ms, open_until_ms: now_ms + jittered_ms, window: [] }
}

function counted(window: readonly Slice[], faulty: boolean, now_ms: number): Slice[] {
  const at = Math.floor(now_ms / slice_ms)
  const kept = window.filter(one => one.at > at - window_ms / slice_ms)
  const last = kept.at(-1)
  const now = last?.at === at ? last : { at, total: 0, faults: 0 }
  const others = last?.at === at ? kept.slice(0, -1) : kept
  return [...others, { at, total: now.total + 1, faults: now.faults + (faulty ? 1 : 0) }]
}

function tooMany(window: readonly Slice[]): boolean {
  const total = window.reduce((sum, one) => sum + one.total, 0)
  const faults = window.reduce((sum, one) => sum + one.faults, 0)
  return total >= window_requests_min && faults * 2 >= total
}
