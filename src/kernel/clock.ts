/**
 * The platform's time in code. The database's clock is the clock for leases and races; this one is
 * for business deadlines that code must compare (tokens, signed URLs), and it adds the offset that
 * `/dev/clock` sets, as `kernel.now()` does in SQL. In production the offset is always zero.
 */
export type Clock = {
  /** Milliseconds since the epoch, with the offset. */
  nowMs(): number
  /** Seconds since the epoch, with the offset, rounded down. */
  nowSeconds(): number
  offsetSeconds(): number
  setOffset(offset_seconds: number): void
}

export function openClock(): Clock {
  let offset_seconds = 0
  const nowMs = () => Date.now() + offset_seconds * 1000
  return {
    nowMs,
    nowSeconds: () => Math.floor(nowMs() / 1000),
    offsetSeconds: () => offset_seconds,
    setOffset: seconds => {
      offset_seconds = seconds
    },
  }
}

/** RFC 3339 UTC with milliseconds: the one form in which times leave the platform. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString()
}

export function parseTime(text: string): number {
  return Date.parse(text)
}
