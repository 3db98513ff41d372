/**
 * Request rates of a principal, a tenant or an unknown network (GCRA: one number for each bucket,
 * no window edges). These general rates are kept in memory in each process. Limits that must hold
 * over all processes are rows of kernel.throttles (`take.ts`).
 */
import { problem, type Problem } from '../errors/problem.ts'
import type { Principal } from './principal.ts'

export type RateClass = 'read' | 'write' | 'expensive' | 'matches' | 'webhook_in'

export type RateSettings = {
  readonly 'kernel.rate_read_per_minute': number
  readonly 'kernel.rate_write_per_minute': number
  readonly 'kernel.rate_expensive_per_minute': number
  readonly 'kernel.rate_matches_per_minute': number
  readonly 'kernel.rate_webhook_in_per_minute': number
  readonly 'kernel.rate_tenant_factor': number
  readonly 'kernel.rate_factor': number
  readonly 'kernel.throttle_loopback': boolean
}

type RateHeaders = { policy: string; state: string }

type Counts<Result> = (
  kind: RateClass,
  who: Principal | null,
  address: string,
  /** The part of the path that has its own bucket. */
  about?: string,
  /** Whether the request also counts for the tenant. The default is true. */
  shared?: boolean,
) => Result

export type RateLimiter = {
  /** Counts one request; returns the headers, or throws `rate_limited`. */
  readonly take: Counts<RateHeaders | null>
  /** Checks the rate without counting the request, for routes where only refused requests count. */
  readonly check: Counts<RateHeaders | null>
  /** Counts a request that `check` allowed. Never throws. */
  readonly count: Counts<void>
}

const window_ms = 60_000
const buckets_max = 100_000

/**
 * One map for each class: a bucket is found by its id alone, without building a new key per
 * request.
 */
type Bucket = { limit: number; step_ms: number; policy: string; arrivals: Map<string, number> }

export function openRateLimiter(
  settings: RateSettings,
  limited: (kind: RateClass) => void,
  now: () => number = () => performance.now(),
): RateLimiter {
  const bucketOf = (per_minute: number, name: string): Bucket => {
    const limit = Math.max(1, Math.floor(per_minute * settings['kernel.rate_factor']))
    const policy = `"${name}";q=${limit};w=60`
    return { limit, step_ms: window_ms / limit, policy, arrivals: new Map() }
  }
  const perMinute: Record<RateClass, number> = {
    read: settings['kernel.rate_read_per_minute'],
    write: settings['kernel.rate_write_per_minute'],
    expensive: settings['kernel.rate_expensive_per_minute'],
    matches: settings['kernel.rate_matches_per_minute'],
    webhook_in: settings['kernel.rate_webhook_in_per_minute'],
  }
  const kinds = Object.keys(perMinute) as RateClass[]
  const one = Object.fromEntries(kinds.map(kind => [kind, bucketOf(perMinute[kind], kind)]))
  const whole = Object.fromEntries(
    kinds.map(kind => [
      kind,
      bucketOf(perMinute[kind] * settings['kernel.rate_tenant_factor'], `tenant-${kind}`),
    ]),
  )

  const take = (key: string, bucket: Bucket, counts: boolean) =>
    takeFrom(bucket, key, now(), counts)

  const refuse = (kind: RateClass, wait_ms: number, { policy }: Bucket) => {
    limited(kind)
    return refusal(wait_ms, policy)
  }

  const pass = (
    kind: RateClass,
    who: Principal | null,
    address: string,
    about: string,
    counts: boolean,
    shared: boolean,
  ): RateHeaders | null => {
    if (!who && !settings['kernel.throttle_loopback'] && isLoopback(address)) return null
    const mine = one[kind] as Bucket
    const result = take(`${who ? who.id : networkOf(address)}${about}`, mine, counts)
    if (result.left < 0) throw refuse(kind, result.wait_ms, mine)
    if (who && shared) {
      const tenant = whole[kind] as Bucket
      const left = take(who.tenant_id, tenant, counts)
      if (left.left < 0) throw refuse(kind, left.wait_ms, tenant)
    }
    return { policy: mine.policy, state: `"${kind}";r=${result.left};t=60` }
  }

  return {
    take: (kind, who, address, about = '', shared = true) =>
      pass(kind, who, address, about, true, shared),
    check: (kind, who, address, about = '', shared = true) =>
      pass(kind, who, address, about, false, shared),
    count: (kind, who, address, about = '', shared = true) => {
      if (!who && !settings['kernel.throttle_loopback'] && isLoopback(address)) return
      take(`${who ? who.id : networkOf(address)}${about}`, one[kind] as Bucket, true)
      if (who && shared) take(who.tenant_id, whole[kind] as Bucket, true)
    },
  }
}

function refusal(wait_ms: number, policy: string): Problem {
  const retry_after = Math.max(1, Math.ceil(wait_ms / 1000))
  return problem('rate_limited', {
    retry_after,
    headers: {
      'retry-after': String(retry_after),
      'ratelimit-policy': policy,
      ratelimit: `${policy.split(';', 1)[0]};r=0;t=${retry_after}`,
    },
  })
}

/**
 * Returns how many requests are left after this one. If the number is negative, the request is
 * refused, and `wait_ms` is the time to wait.
 */
function takeFrom({ limit, step_ms, arrivals }: Bucket, key: string, at: number, counts: boolean) {
  const from = Math.max(arrivals.get(key) ?? 0, at)
  const behind = from + step_ms - at
  if (behind > window_ms + 1e-6) return { left: -1, wait_ms: behind - window_ms }
  if (counts && arrivals.size >= buckets_max) forget(arrivals, at)
  if (counts) arrivals.set(key, from + step_ms)
  return { left: Math.min(limit, Math.floor((window_ms - behind) / step_ms)), wait_ms: 0 }
}

/** Deletes the buckets that are full again. If there are none, it deletes the oldest half. */
function forget(arrivals: Map<string, number>, at: number): void {
  for (const [key, tat] of arrivals) if (tat <= at) arrivals.delete(key)
  if (arrivals.size < buckets_max) return
  let left = buckets_max / 2
  for (const key of arrivals.keys()) {
    if (left-- <= 0) break
    arrivals.delete(key)
  }
}

export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/**
 * Each IPv4 address counts for itself. IPv6 addresses count by /64, because one household has a
 * whole /64.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::', 2)
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = address.includes('::') ? 8 - left.length - right.length : 0
  const groups = [...left, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...right]
  return `${groups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
