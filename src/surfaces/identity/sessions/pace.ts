/**
 * How often one session may refresh (GCRA). It stops a client that went wild, not a guesser: a token has
 * 256 bits. So it is counted in memory and by each process for itself; over the database it cost as much
 * as the rotation.
 */
import { problem } from '../errors.ts'

export type Pace = {
  /** Counts one refresh, or throws `rate_limited`. */
  take(session_id: string): void
}

const minute_ms = 60_000
const sessions_max = 100_000

export function openPace(
  per_minute: number,
  limited: () => void,
  now: () => number = () => performance.now(),
): Pace {
  const step_ms = minute_ms / per_minute
  const arrivals = new Map<string, number>()
  return {
    take: session_id => {
      const at = now()
      const next = Math.max(arrivals.get(session_id) ?? 0, at) + step_ms
      const wait_ms = next - at - minute_ms
      // What rounding leaves is no refresh too many.
      if (wait_ms > 1e-6) {
        limited()
        throw problem('rate_limited', { retry_after: Math.ceil(wait_ms / 1000) })
      }
      // The oldest first: the map keeps its order, and whoever refreshes goes to its end.
      arrivals.delete(session_id)
      if (arrivals.size >= sessions_max) arrivals.delete(arrivals.keys().next().value ?? '')
      arrivals.set(session_id, next)
    },
  }
}
