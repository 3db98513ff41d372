/**
 * A rate of one process, in memory (GCRA: one number for each key). It protects the process from one caller;
 * limits that must hold over all processes are rows (`take.ts`).
 */
const keys_max = 100_000

export type LocalRate = {
  /** Counts one; returns 0, or the milliseconds to wait, and then it does not count. */
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
      // A rounding error must not count.
      if (wait_ms > 1e-6) return wait_ms
      // The oldest first: a key that is used moves to the end of the map.
      arrivals.delete(key)
      if (arrivals.size >= keys_max) arrivals.delete(arrivals.keys().next().value ?? '')
      arrivals.set(key, next)
      return 0
    },
  }
}
