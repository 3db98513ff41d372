/**
 * Computes the time at which a failed job runs again. The backoff is exponential with full jitter,
 * so that jobs that failed together do not return together. If a worker reported a Retry-After, the
 * job never runs earlier.
 */
export type Backoff = { readonly base_ms: number; readonly cap_ms: number }

/** `failures` includes this failure. `random` is in [0, 1). */
export function retryDelayMs(
  { base_ms, cap_ms }: Backoff,
  failures: number,
  random: number,
  retry_after_ms = 0,
): number {
  const ceiling_ms = Math.min(cap_ms, base_ms * 2 ** Math.min(failures - 1, 40))
  return Math.max(Math.round(random * ceiling_ms), retry_after_ms)
}
