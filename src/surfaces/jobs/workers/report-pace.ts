/**
 * Limits the progress reports of an attempt to two a second, with a small burst. The reports are
 * counted for each process, to protect the database. A worker gains nothing if it spreads its
 * reports over processes.
 */
import { boundedCache } from '#dodeca/kernel'

const per_second = 2
const burst = 10

export type ReportPace = {
  /** Zero: accepted. Otherwise the seconds to wait. */
  take(attempt_id: string): number
}

export function openReportPace(now_ms: () => number = () => performance.now()): ReportPace {
  const buckets = boundedCache<{ level: number; at_ms: number }>(10_000)
  return {
    take: attempt_id => {
      const at_ms = now_ms()
      const before = buckets.get(attempt_id) ?? { level: 0, at_ms }
      const drained = ((at_ms - before.at_ms) / 1000) * per_second
      const level = Math.max(0, before.level - drained)
      if (level + 1 > burst) return Math.ceil((level + 1 - burst) / per_second)
      buckets.set(attempt_id, { level: level + 1, at_ms })
      return 0
    },
  }
}
