/**
 * Rebuilds the sums of clicks. This is a job for a domain, a link and a range of days. It is also
 * the projection that `dodeca rebuild` rebuilds completely. A job saves each finished day, so that
 * another worker can continue from that day.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { closed, Day, dayOf, dayRange, Id, nullable, text } from '#dodeca/kernel'
import type { JobType, Projection, RunningJob } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { countEvents, rebuildableDays, rebuildDay } from './rebuild-days.ts'

export const rebuild_type = 'links.stats_rebuild'

const RebuildParameters = closed({
  domain_id: nullable(Id),
  code: nullable(text(64)),
  from: Day,
  to: Day,
})
type RebuildParameters = Static<typeof RebuildParameters>

const Result = Type.Object({ days: Type.Integer(), clicks: Type.Integer() })
const Place = Type.Object({ day: Day, days: Type.Integer(), clicks: Type.Integer() })
type Place = Static<typeof Place>

export function rebuildJob(kernel: Kernel): JobType {
  return {
    type: rebuild_type,
    schema_version: 1,
    parameters: RebuildParameters,
    result: Result,
    permission: 'links.stats.rebuild',
    lease_seconds: 600,
    timeout_seconds: 6 * 3600,
    max_attempts: 10,
    run: job => run(kernel, job),
  }
}

async function run(kernel: Kernel, job: RunningJob): Promise<Static<typeof Result>> {
  const { from, to, ...scope } = job.parameters as RebuildParameters // checked at its submission
  const range = dayRange({ from, to }, dayOf(kernel.clock.nowMs()))
  const days = await rebuildableDays(kernel, range)
  let place: Place = Value.Check(Place, job.checkpoint)
    ? job.checkpoint
    : { day: '0000-00-00', days: 0, clicks: 0 }
  for (const day of days.slice(days.findLastIndex(one => one <= place.day) + 1)) {
    const clicks = await rebuildDay(kernel, day, scope, () => {}, job.signal)
    place = { day, days: place.days + 1, clicks: place.clicks + clicks }
    await job.progress({
      stage: 'rebuilding',
      current: place.days,
      total: days.length,
      checkpoint: place,
    })
  }
  return { days: place.days, clicks: place.clicks }
}

export function statsProjection(kernel: Kernel): Projection {
  return {
    name: 'links.daily_link_stats',
    freshness_ms: 2000,
    rebuild: async (progress, signal) => {
      const days = await rebuildableDays(kernel, { from: 0, to: dayOf(kernel.clock.nowMs()) + 400 })
      const events = new Map<string, number>()
      for (const day of days) events.set(day, await countEvents(kernel, day))
      const total = [...events.values()].reduce((sum, clicks) => sum + clicks, 0)
      let done = 0
      const counted = (clicks: number) => {
        const before = done
        done += clicks
        if (Math.floor(done / step) > Math.floor(before / step)) progress(done, total)
      }
      for (const day of days) {
        await rebuildDay(kernel, day, { domain_id: null, code: null }, counted, signal)
      }
      progress(done, Math.max(done, total))
    },
  }
}

/** The number of clicks between two progress reports. */
const step = 250_000
