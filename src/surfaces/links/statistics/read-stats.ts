/**
 * The clicks on one link, by day and by dimension. They are read from the daily sums: at most 400
 * rows for any number of clicks. The reply contains the time up to which all clicks are counted,
 * and whether clicks of these days were lost.
 */
import { Type, type Static } from 'typebox'
import { days_max, dayText, limit, nullable, sql, Time } from '#dodeca/kernel'
import type { DayRange, Reader } from '#dodeca/kernel'
import { dimensions, type Dimension } from '../clicks/context.ts'
import { other_key, type Dimensions } from './tally.ts'
import type { Clicked } from '../clicks/visitor.ts'

const keys_shown_max = limit(
  'links.statistics_keys',
  1000,
  'keys',
  'Most keys in statistics; the rest is counted together',
)
/** The key of clicks that have no value. */
const unknown_key = '_unknown'

const Sums = { clicks: Type.Integer(), bots: Type.Integer() }
const Keys = Type.Array(Type.Object({ key: Type.String(), clicks: Type.Integer() }), {
  maxItems: keys_shown_max + 2,
})

export const Stats = Type.Object(
  {
    code: Type.String(),
    domain: Type.String(),
    from: Type.String(),
    to: Type.String(),
    totals: Type.Object(Sums),
    series: Type.Array(Type.Object({ day: Type.String(), ...Sums }), { maxItems: days_max }),
    dimensions: Type.Object(
      Object.fromEntries(dimensions.map(name => [name, Type.Optional(Keys)])) as Record<
        Dimension,
        ReturnType<typeof Type.Optional<typeof Keys>>
      >,
    ),
    /**
     * Every click before this time is counted. While the database is available, the time is at most
     * a minute ago, unless a process died and its machine has not started another one yet.
     */
    fresh_until: Time,
    as_of: Time,
    freshness_seconds: Type.Integer(),
    /** Whether clicks of these days were lost, because no spool had room for them. */
    degraded: Type.Boolean(),
  },
  { title: 'LinkStats' },
)
export type Stats = Static<typeof Stats>

const Row = Type.Object({
  day: Type.String(),
  ...Sums,
  bounded_dimensions: Type.Unsafe<Dimensions>(Type.Record(Type.String(), Type.Any())),
})
type Row = Static<typeof Row>

const Freshness = Type.Object({
  fresh_until: Type.String(),
  as_of: Type.String(),
  freshness_seconds: Type.Integer(),
  lost: nullable(Type.Integer()),
})

export async function readStats(
  reader: Reader,
  { domain_id, code }: Clicked,
  range: DayRange,
  wanted: readonly Dimension[],
): Promise<Omit<Stats, 'domain'>> {
  const [from, to] = [dayText(range.from), dayText(range.to)]
  // The sums are read after the time, so that they contain what the time promises.
  const { lost, ...freshness } = await reader.one(Freshness, freshnessOf(from, to))
  const rows = await reader.many(
    Row,
    sql`
      select day::text, clicks, bots, bounded_dimensions from links.daily_link_stats
      where domain_id = ${domain_id} and code = ${code}
        and day between ${from}::date and ${to}::date
      order by day`,
  )
  const clicks = sum(rows, 'clicks')
  return {
    code,
    from,
    to,
    totals: { clicks, bots: sum(rows, 'bots') },
    series: seriesOf(rows, range),
    dimensions: Object.fromEntries(wanted.map(name => [name, keysOf(rows, name, clicks)])),
    ...freshness,
    degraded: lost !== null,
  }
}

/**
 * No click before this time waits in a batch, in a process, or in the spool of a dead process. A
 * dead process without a spool has lost its clicks, so it does not count for longer than a minute.
 */
function freshnessOf(from: string, to: string) {
  return sql`
    select least(now(), oldest) as fresh_until, least(now(), oldest) as as_of,
      greatest(0, ceil(extract(epoch from now() - oldest)))::int as freshness_seconds,
      (select sum(clicks)::bigint from links.click_losses
       where day between ${from}::date and ${to}::date) as lost
    from (select coalesce(least(
        (select min(clicks_since) from links.click_batches),
        (select min(clicks_since) from links.redirect_nodes
         where has_spool or leased_until > now() - interval '1 minute')), now())
      as oldest) as waiting`
}

function sum(rows: readonly Row[], of: 'clicks' | 'bots'): number {
  return rows.reduce((total, row) => total + row[of], 0)
}

/** Includes days without a click. */
function seriesOf(rows: readonly Row[], { from, to }: DayRange): Stats['series'] {
  const byDay = new Map(rows.map(row => [row.day, row]))
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const day = dayText(from + at)
    const { clicks = 0, bots = 0 } = byDay.get(day) ?? {}
    return { day, clicks, bots }
  })
}

function keysOf(rows: readonly Row[], dimension: Dimension, clicks: number) {
  const counts = new Map<string, number>()
  for (const { bounded_dimensions } of rows) {
    for (const [key, times] of Object.entries(bounded_dimensions[dimension] ?? {})) {
      counts.set(key, (counts.get(key) ?? 0) + times)
    }
  }
  const bounded = counts.get(other_key) ?? 0
  counts.delete(other_key)
  const sorted = [...counts].toSorted(
    ([one, more], [another, less]) => less - more || (one < another ? -1 : 1),
  )
  const total = (some: typeof sorted) => some.reduce((times, [, more]) => times + more, 0)
  const other = bounded + total(sorted.slice(keys_shown_max))
  const unknown = clicks - bounded - total(sorted)
  return [
    ...sorted.slice(0, keys_shown_max),
    ...(other > 0 ? [[other_key, other] as const] : []),
    ...(unknown > 0 ? [[unknown_key, unknown] as const] : []),
  ].map(([key, times]) => ({ key, clicks: times }))
}
