/**
 * Limits how often one network may request codes that lead nowhere. So guessing codes is slow, and
 * a scanner causes little load on the database. Requests are counted in this process, by /24 or /64
 * (GCRA: one number for each network).
 */
import { isLoopback, networkOf } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { problem } from '../errors.ts'

const window_ms = 60_000
const networks_max = 100_000

export type Misses = {
  /** Returns true if the network has requested too many missing codes. */
  refused(address: string): boolean
  /** Throws if the network has requested too many missing codes. */
  demand(address: string): void
  count(address: string): void
}

export function openMisses({ settings, metrics }: Pick<Kernel, 'settings' | 'metrics'>): Misses {
  const allowed = Math.max(
    1,
    Math.floor(settings['links.misses_per_minute'] * settings['kernel.rate_factor']),
  )
  const step_ms = window_ms / allowed
  const arrivals = new Map<string, number>()
  const free = (address: string) => isLoopback(address) && !settings['kernel.throttle_loopback']
  const waitOf = (address: string): number => {
    if (free(address)) return 0
    const arrived = arrivals.get(wide(address))
    return arrived === undefined ? 0 : arrived + step_ms - performance.now() - window_ms
  }
  return {
    refused: address => waitOf(address) > 0,
    demand: address => {
      const wait_ms = waitOf(address)
      if (wait_ms <= 0) return
      metrics.rateLimited.inc({ class: 'links' })
      throw problem('rate_limited', { retry_after: Math.max(1, Math.ceil(wait_ms / 1000)) })
    },
    count: address => {
      if (free(address)) return
      const now_ms = performance.now()
      if (arrivals.size >= networks_max) forget(arrivals, now_ms)
      const network = wide(address)
      arrivals.set(network, Math.max(arrivals.get(network) ?? 0, now_ms) + step_ms)
    },
  }
}

function wide(address: string): string {
  return address.includes(':') ? networkOf(address) : address.slice(0, address.lastIndexOf('.'))
}

function forget(arrivals: Map<string, number>, now_ms: number): void {
  for (const [network, at] of arrivals) if (at <= now_ms) arrivals.delete(network)
  if (arrivals.size >= networks_max) arrivals.clear()
}
