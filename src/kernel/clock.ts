/**
 * The platform's time in code. Leases and races use the clock of the database. This clock is for
 * business deadlines that code compares (tokens, signed URLs). It adds the offset that `/dev/clock`
 * sets, as `kernel.now()` does in SQL. In production the offset is always zero.
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

/** RFC 3339 UTC with milliseconds. All times on the wire have this form. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString()
}

const day_ms = 86_400_000

/** The UTC day of a time, in days since the epoch. */
export function dayOf(at_ms: number): number {
  return Math.floor(at_ms / day_ms)
}

export function dayText(day: number): string {
  return new Date(day * day_ms).toISOString().slice(0, 10)
}

export function parseTime(text: string): number {
  return Date.parse(text)
}

const written =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/i
const first_ms = Date.parse('0001-01-01T00:00:00Z')
const last_ms = Date.parse('9999-12-31T23:59:59Z')

/**
 * Whether a text is an RFC 3339 time that this code and PostgreSQL read as the same instant. `Date`
 * alone reads the 30th of February as the 2nd of March. PostgreSQL accepts neither a year 0 nor an
 * offset of 16 h.
 */
export function isTime(text: string): boolean {
  const day = written.exec(text)?.[1]
  // At a negative offset the last day of the year 0 falls into the year 1; PostgreSQL does not
  // accept it.
  if (!day || day.startsWith('0000')) return false
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return false
  const ms = parseTime(text)
  return ms >= first_ms && ms < last_ms
}
