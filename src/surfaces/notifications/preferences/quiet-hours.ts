/**
 * Finds when quiet hours end. A window [start, end) is in local wall time. A start after its end
 * crosses midnight, and `days` names the days on which a window starts. A time inside a spring gap
 * moves forward. If an hour occurs twice, a window starts with the first and ends with the second,
 * so that quiet hours are never shorter than they look on a clock.
 */
import { Temporal } from 'temporal-polyfill'

export type QuietHours = {
  readonly start: string
  readonly end: string
  /** 1 is Monday. The default is every day. */
  readonly days?: readonly number[]
}

/**
 * Returns the end of the window that contains the instant, following adjacent windows. Null if it
 * is not quiet now.
 */
export function quietUntil(at_ms: number, quiet: QuietHours, zone: string): number | null {
  let end = endOfWindow(at_ms, quiet, zone)
  // Windows are adjacent only through a change of the clock, so a few steps are enough.
  for (let step = 0; end !== null && step < 8; step++) {
    const next = endOfWindow(end, quiet, zone)
    if (next === null) break
    end = next
  }
  return end
}

function endOfWindow(at_ms: number, quiet: QuietHours, zone: string): number | null {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(at_ms)).toZonedDateTimeISO(zone)
  const start = Temporal.PlainTime.from(quiet.start)
  const end = Temporal.PlainTime.from(quiet.end)
  const crosses = Temporal.PlainTime.compare(start, end) > 0
  let latest: number | null = null
  // Some zones have skipped whole days, so a window may have started two dates ago.
  for (const days of [-2, -1, 0]) {
    const date = local.toPlainDate().add({ days })
    if (quiet.days && !quiet.days.includes(date.dayOfWeek)) continue
    const from = instant(date, start, zone, 'earlier')
    const to = instant(crosses ? date.add({ days: 1 }) : date, end, zone, 'later')
    if (from <= at_ms && at_ms < to) latest = Math.max(latest ?? 0, to)
  }
  return latest
}

/** A local time that the clock skips moves forward. `twice` chooses between two equal ones. */
function instant(
  date: Temporal.PlainDate,
  time: Temporal.PlainTime,
  zone: string,
  twice: 'earlier' | 'later',
): number {
  const wall = date.toPlainDateTime(time)
  const first = wall.toZonedDateTime(zone, { disambiguation: 'earlier' })
  const last = wall.toZonedDateTime(zone, { disambiguation: 'later' })
  // A time in a gap has two interpretations, one before and one after the gap. The end of the gap
  // is the first instant after it.
  const in_gap = !first.toPlainDateTime().equals(wall)
  if (in_gap) {
    const after = first.getTimeZoneTransition('next')
    return (after ?? last).epochMilliseconds
  }
  return (twice === 'earlier' ? first : last).epochMilliseconds
}

const known = new Map<string, boolean>()

export function isTimezone(zone: string): boolean {
  const cached = known.get(zone)
  if (cached !== undefined) return cached
  let fits = /^[A-Za-z][A-Za-z0-9_+/-]*$/.test(zone)
  try {
    if (fits) new Intl.DateTimeFormat('en', { timeZone: zone }).format(0)
  } catch {
    fits = false
  }
  if (known.size < 2000) known.set(zone, fits)
  return fits
}
