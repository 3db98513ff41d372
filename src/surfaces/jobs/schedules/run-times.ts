/**
 * Computes the times at which a schedule runs. There are two kinds of cron expressions. An
 * expression that runs in every hour (`*` for the hour) follows real time, and never pauses or
 * doubles when clocks change. An expression that lists hours means local times, and each local time
 * happens once a day. A skipped local time runs at the first instant after the gap. A repeated
 * local time runs the first time only. Instants are milliseconds since the epoch.
 */
import { Cron } from 'croner'

export type RunTimes = {
  /** The first run after an instant, or null if there is none. */
  next(after_ms: number): number | null
  /** The newest runs within (from, until], oldest first. */
  last(count: number, from_ms: number, until_ms: number): number[]
}

const fields_form = /^[0-9A-Za-z*,/#-]+( +[0-9A-Za-z*,/#-]+){4}$/
const hour_ms = 3_600_000

/**
 * Null if the expression or the zone is invalid, or if the expression contains only days that do
 * not exist.
 */
export function runTimes(cron: string, timezone: string): RunTimes | null {
  const expression = cron.trim()
  if (!fields_form.test(expression) || !isZone(timezone)) return null
  const [, hours] = expression.split(/ +/)
  try {
    const next =
      hours === '*' ? inRealTime(expression, timezone) : atLocalTimes(expression, timezone)
    if (next(0) === null) return null
    return { next, last: (count, from_ms, until_ms) => newest(next, count, from_ms, until_ms) }
  } catch (error) {
    // The library throws TypeError and RangeError for input that it cannot read.
    if (error instanceof TypeError || error instanceof RangeError) return null
    throw error
  }
}

type Next = (after_ms: number) => number | null

function inRealTime(expression: string, timezone: string): Next {
  const cron = cronIn(expression, timezone)
  return after_ms => cron.nextRun(new Date(after_ms))?.getTime() ?? null
}

/** Computes local times on a clock without changes, and then converts each one to the zone. */
function atLocalTimes(expression: string, timezone: string): Next {
  const wall = cronIn(expression, 'UTC')
  const wallOf = wallClock(timezone)
  return after_ms => {
    let local = wall.nextRun(new Date(wallOf(after_ms)))
    while (local) {
      const instant_ms = instantOf(local, timezone)
      if (instant_ms !== null && instant_ms > after_ms) return instant_ms
      local = wall.nextRun(local)
    }
    return null
  }
}

/**
 * No zone is further than 14 hours from UTC, so the search starts before the local time in all
 * zones. Null for a day that a zone skipped, because an instant that is found later belongs to
 * another year.
 */
function instantOf(local: Date, timezone: string): number | null {
  const date = `${local.getUTCDate()} ${local.getUTCMonth() + 1}`
  const once = cronIn(`${local.getUTCMinutes()} ${local.getUTCHours()} ${date} *`, timezone)
  const found = once.nextRun(new Date(local.getTime() - 15 * hour_ms))
  return found && found.getTime() < local.getTime() + 48 * hour_ms ? found.getTime() : null
}

/** The local time that the zone's clocks show, as if it were UTC. */
function wallClock(timezone: string): (instant_ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  return instant_ms => {
    const shown = new Map(format.formatToParts(instant_ms).map(part => [part.type, part.value]))
    const of = (type: Intl.DateTimeFormatPartTypes) => Number(shown.get(type))
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  }
}

/** Searches back in growing steps, so that after a long pause it does not read the whole pause. */
function newest(next: Next, count: number, from_ms: number, until_ms: number): number[] {
  for (let back_ms = hour_ms; ; back_ms *= 8) {
    const start_ms = Math.max(from_ms, until_ms - back_ms)
    const found: number[] = []
    for (let at = next(start_ms); at !== null && at <= until_ms; at = next(at)) found.push(at)
    if (found.length >= count || start_ms === from_ms) return found.slice(-count)
  }
}

function cronIn(expression: string, timezone: string): Cron {
  return new Cron(expression, { timezone, mode: '5-part', paused: true })
}

function isZone(timezone: string): boolean {
  if (!/^[A-Za-z]/.test(timezone)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en-US', { timeZone: timezone }))
  } catch {
    return false
  }
}

export type CatchUp = 'skip' | 'latest' | 'all'

export type DueRuns = {
  /** Oldest first. */
  readonly runs: readonly number[]
  /** The first run that is not due yet. */
  readonly next_ms: number | null
}

export type CatchUpRules = {
  readonly catch_up: CatchUp
  readonly made_up_max: number
  /** A run that starts by this time was not missed. */
  readonly on_time_ms: number
}

export function dueRuns(
  times: RunTimes,
  due_ms: number,
  now_ms: number,
  { catch_up, made_up_max, on_time_ms }: CatchUpRules,
): DueRuns {
  const next_ms = times.next(now_ms)
  if (due_ms > now_ms) return { runs: [], next_ms: due_ms }
  // `due_ms` itself is due. The other runs come after `from`.
  const from_ms = due_ms - 1
  if (catch_up === 'all') return { runs: times.last(made_up_max, from_ms, now_ms), next_ms }
  const late_ms = catch_up === 'skip' ? now_ms - on_time_ms : from_ms
  return { runs: times.last(1, Math.max(from_ms, late_ms), now_ms), next_ms }
}
