/**
 * Limits how often one session may refresh (GCRA). The limit stops a client that has a bug. It need
 * not stop a guesser, because a token has 256 bits. So each process counts in memory. Counting in
 * the database cost as much as the rotation itself.
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
      // A rounding error must not cost a refresh.
      if (wait_ms > 1e-6) {
        limited()
        throw problem('rate_limited', { retry_after: Math.ceil(wait_ms / 1000) })
      }
      // Removes the oldest first: a session that refreshes moves to the end of the map.
      arrivals.delete(session_id)
      if (arrivals.size >= sessions_max) arrivals.delete(arrivals.keys().next().value ?? '')
      arrivals.set(session_id, next)
    },
  }
}
