/**
 * Which runs of a schedule are to be made up for once it is looked at. A run that is less than a minute
 * late is on time; older ones were missed, and `catch_up` says what becomes of them. Pure.
 */
import type { RunTimes } from './run-times.ts'

export type CatchUp = 'skip' | 'latest' | 'all'

export type DueRuns = {
  /** Oldest first. */
  readonly runs: readonly number[]
  /** The first run that is not due yet. */
  readonly next_ms: number | null
}

const on_time_ms = 60_000

export function dueRuns(
  times: RunTimes,
  due_ms: number,
  now_ms: number,
  catch_up: CatchUp,
  made_up_max: number,
): DueRuns {
  const next_ms = times.next(now_ms)
  if (due_ms > now_ms) return { runs: [], next_ms: due_ms }
  // `due_ms` itself is due, and the runs are those after `from`.
  const from_ms = due_ms - 1
  if (catch_up === 'all') return { runs: times.last(made_up_max, from_ms, now_ms), next_ms }
  const late_ms = catch_up === 'skip' ? now_ms - on_time_ms : from_ms
  return { runs: times.last(1, Math.max(from_ms, late_ms), now_ms), next_ms }
}
