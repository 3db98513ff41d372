/**
 * A rate limit of one process, kept in memory (GCRA: one number for each key). It protects the
 * process from one caller. Limits that must hold over all processes are rows (`take.ts`).
 */
const keys_max = 100_000

export type LocalRate = {
  /**
   * Counts one request and returns 0. Over the limit it counts nothing and returns the milliseconds
   * to wait.
   */
  take(key: string): number
}

export function openLocalRate(
  { many, per_ms }: { readonly many: number; readonly per_ms: number },
  now: () => number = () => performance.now(),
): LocalRate {
  const step_ms = per_ms / Math.max(1, many)
  const arrivals = new Map<string, number>()
  return {
    take: key => {
      const at = now()
      const next = Math.max(arrivals.get(key) ?? 0, at) + step_ms
      const wait_ms = next - at - per_ms
      // The tolerance keeps a rounding error from refusing a request.
      if (wait_ms > 1e-6) return wait_ms
      // The oldest key is first in the map, because a key that is used moves to the end.
      arrivals.delete(key)
      if (arrivals.size >= keys_max) arrivals.delete(arrivals.keys().next().value ?? '')
      arrivals.set(key, next)
      return 0
    },
  }
}
