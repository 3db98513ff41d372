/**
 * When quiet hours end. A window [start, end) is meant in local wall time; a start after its end crosses
 * midnight, and `days` names the days on which a window starts. A time inside a spring gap moves forward;
 * where an hour comes twice, a window starts with the first and ends with the second, so that quiet hours
 * are never shorter than they look on a clock.
 */
import { Temporal } from 'temporal-polyfill'

export type QuietHours = {
  readonly start: string
  readonly end: string
  /** 1 is Monday; without it, every day. */
  readonly days?: readonly number[]
}

/** The end of the window that the instant lies in, following windows that touch it; null: not quiet now. */
export function quietUntil(at_ms: number, quiet: QuietHours, zone: string): number | null {
  let end = endOfWindow(at_ms, quiet, zone)
  // Two windows meet only where a change of the clock makes them: a few steps are enough.
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
  // Zones have skipped whole days, so a window may have begun two dates ago.
  for (const days of [-2, -1, 0]) {
    const date = local.toPlainDate().add({ days })
    if (quiet.days && !quiet.days.includes(date.dayOfWeek)) continue
    const from = instant(date, start, zone, 'earlier')
    const to = instant(crosses ? date.add({ days: 1 }) : date, end, zone, 'later')
    if (from <= at_ms && at_ms < to) latest = Math.max(latest ?? 0, to)
  }
  return latest
}

/** Both ends of a gap move forward; `twice` says which of two equal times is meant. */
function instant(
  date: Temporal.PlainDate,
  time: Temporal.PlainTime,
  zone: string,
  twice: 'earlier' | 'later',
): number {
  const wall = date.toPlainDateTime(time)
  const first = wall.toZonedDateTime(zone, { disambiguation: 'earlier' })
  const last = wall.toZonedDateTime(zone, { disambiguation: 'later' })
  // In a gap the two ways of reading it lie on its two sides; its end is the first instant after it.
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
