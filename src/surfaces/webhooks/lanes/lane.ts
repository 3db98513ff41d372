/**
 * One endpoint in the memory of the sender that owns it. The lane decides how many requests may
 * start now. Only one process owns an endpoint. So the exact numbers (running requests, rate,
 * breaker) need no counters in the database. State that must survive the process is saved with the
 * next results.
 */
import type { LiveSecret } from '../sending/live-secrets.ts'
import { breakerAt, closed, type Breaker } from './breaker.ts'

/** Values of the subscription. They are read again when the subscription's version has changed. */
export type LaneConfig = {
  readonly version: number
  readonly endpoint: string
  readonly max_in_flight: number
  readonly rate_per_second: number | null
  readonly secrets: readonly LiveSecret[]
  /** The time at which the endpoint last answered a challenge. */
  readonly verified_at: string | null
  /** The owner. Events are sent only while the owner has the permission to read them. */
  readonly owner_id: string
  /** The owner's narrow session, if the subscription began in one. */
  readonly session_id: string | null
  /** The requested types, as patterns. */
  readonly event_filter: readonly string[]
}

/** The saved state. */
export type LaneRecord = {
  readonly breaker: Breaker
  readonly not_before_ms: number
  readonly ewma_ms: number | null
  readonly last_success_ms: number | null
  readonly failing_since_ms: number | null
  readonly failures: number
  readonly degraded: boolean
}

export const slow_ms = 2000
/** The limit until the first reply, because nothing is known about the endpoint before it. */
const unknown_in_flight = 2
const ewma_weight = 0.2
const durations_kept = 64

export class Lane {
  readonly id: string
  readonly tenant_id: string
  readonly shard: number
  config: LaneConfig
  breaker: Breaker
  not_before_ms: number
  ewma_ms: number | null
  last_success_ms: number | null
  failing_since_ms: number | null
  failures: number
  degraded: boolean
  in_flight = 0
  /** The start time of each running request, oldest first. */
  readonly begun = new Set<{ readonly at: number }>()
  /** Whether new work was reported since the last search for work. */
  poked = false
  /**
   * Whether a gate changed. Then the lane is saved soon, so that other processes see the change.
   */
  changed = false
  saved_at = -Infinity
  timer: NodeJS.Timeout | undefined
  private readonly durations: number[] = []
  private tokens_at: number
  private tokens: number

  constructor(
    place: { readonly id: string; readonly tenant_id: string; readonly shard: number },
    config: LaneConfig,
    record: LaneRecord,
  ) {
    this.id = place.id
    this.tenant_id = place.tenant_id
    this.shard = place.shard
    this.config = config
    this.breaker = record.breaker
    this.not_before_ms = record.not_before_ms
    this.ewma_ms = record.ewma_ms
    this.last_success_ms = record.last_success_ms
    this.failing_since_ms = record.failing_since_ms
    this.failures = record.failures
    this.degraded = record.degraded
    this.tokens_at = performance.now()
    this.tokens = burstOf(config)
  }

  /**
   * Applies the current values of the subscription. After a new verification the health of the
   * endpoint is unknown again.
   */
  reconfigure(config: LaneConfig): void {
    const verified_again = config.verified_at !== this.config.verified_at
    this.config = config
    if (!verified_again) return
    this.breaker = closed
    this.not_before_ms = 0
    this.ewma_ms = null
    this.acquit()
    this.changed = true
  }

  /** Returns how many requests may start now. */
  room(now_ms: number): number {
    if (this.not_before_ms > now_ms) return 0
    const { state } = breakerAt(this.breaker, now_ms)
    if (state === 'open') return 0
    if (state === 'half_open') return this.in_flight === 0 ? 1 : 0
    const known = this.ewma_ms !== null
    const most = Math.min(this.config.max_in_flight, known ? 64 : unknown_in_flight)
    return Math.max(0, Math.min(most - this.in_flight, this.tokensNow()))
  }

  /**
   * The time until the gate opens by itself. Null if the gate is open or only the end of a request
   * can open it.
   */
  opensInMs(now_ms: number): number | null {
    const until = Math.max(
      this.not_before_ms,
      this.breaker.state === 'open' ? this.breaker.open_until_ms : 0,
    )
    if (until > now_ms) return until - now_ms
    if (this.in_flight >= this.config.max_in_flight || this.tokensNow() > 0) return null
    const { rate_per_second } = this.config
    return rate_per_second === null ? null : ((1 - this.tokens) / rate_per_second) * 1000
  }

  /**
   * True if the endpoint is known to be slow, or if a running request has already waited long for
   * its response.
   */
  isSlow(now_ms: number): boolean {
    if (breakerAt(this.breaker, now_ms).state === 'half_open') return true
    if ((this.ewma_ms ?? 0) > slow_ms) return true
    const [oldest] = this.begun
    return oldest !== undefined && performance.now() - oldest.at > slow_ms
  }

  reserve(many: number): void {
    this.in_flight += many
    if (this.config.rate_per_second !== null) this.tokens -= many
  }

  /** Returns reserved requests that were not used. */
  giveBack(many: number): void {
    this.in_flight -= many
    if (this.config.rate_per_second !== null) this.tokens += many
  }

  /** Earlier failures of the endpoint no longer count. */
  acquit(): void {
    this.failing_since_ms = null
    this.failures = 0
    this.degraded = false
  }

  took(duration_ms: number): void {
    const { ewma_ms } = this
    this.ewma_ms = ewma_ms === null ? duration_ms : ewma_ms + ewma_weight * (duration_ms - ewma_ms)
    this.durations.push(duration_ms)
    if (this.durations.length > durations_kept) this.durations.shift()
  }

  percentiles(): { p50_ms: number | null; p95_ms: number | null } {
    const sorted = this.durations.toSorted((a, b) => a - b)
    const at = (share: number) => {
      const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
      return found === undefined ? null : Math.round(found)
    }
    return { p50_ms: at(0.5), p95_ms: at(0.95) }
  }

  private tokensNow(): number {
    const { rate_per_second } = this.config
    if (rate_per_second === null) return Infinity
    const now = performance.now()
    const grown = this.tokens + ((now - this.tokens_at) / 1000) * rate_per_second
    this.tokens = Math.min(burstOf(this.config), grown)
    this.tokens_at = now
    return Math.floor(this.tokens)
  }
}

/** A burst may contain the requests of a tenth of a second. */
function burstOf({ rate_per_second }: LaneConfig): number {
  return Math.max(1, (rate_per_second ?? 0) / 10)
}

export const fresh: LaneRecord = {
  breaker: closed,
  not_before_ms: 0,
  ewma_ms: null,
  last_success_ms: null,
  failing_since_ms: null,
  failures: 0,
  degraded: false,
}
