/**
 * Compares the daily sums with the single clicks, in one snapshot. Clicks that are stored but not
 * yet added are left out on both sides.
 */
import { Type } from 'typebox'
import { dayOf, dayText, sql, type Check } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

const shown_max = 20

const Drift = Type.Object({
  domain_id: Type.String(),
  code: Type.String(),
  day: Type.String(),
  summed: Type.String(),
  counted: Type.String(),
})

/** Checks yesterday and today, because older days were checked before. */
export async function findDrift({ db, clock }: Pick<Kernel, 'db' | 'clock'>): Promise<string[]> {
  const today = dayOf(clock.nowMs())
  const [from, to] = [dayText(today - 1), dayText(today + 1)]
  const found = await db.tx(async tx => {
    await tx.unhurried()
    return tx.many(
      Drift,
      sql`
        with counted as (
          select domain_id, code, (occurred_at at time zone 'UTC')::date as day,
            count(*) filter (where not (coarse_context ->> 'bot')::boolean) as clicks,
            count(*) filter (where (coarse_context ->> 'bot')::boolean) as bots
          from links.click_events
          where occurred_at >= (${from} || ' 00:00:00+00')::timestamptz
            and occurred_at < (${to} || ' 00:00:00+00')::timestamptz
            and batch_id not in (select id from links.click_batches)
          group by 1, 2, 3
        ), summed as (
          select domain_id, code, day, clicks, bots from links.daily_link_stats
          where day >= ${from}::date and day < ${to}::date
        )
        select domain_id, code, day::text,
          coalesce(s.clicks, 0) || '+' || coalesce(s.bots, 0) as summed,
          coalesce(c.clicks, 0) || '+' || coalesce(c.bots, 0) as counted
        from counted c full join summed s using (domain_id, code, day)
        where (coalesce(s.clicks, 0), coalesce(s.bots, 0))
          is distinct from (coalesce(c.clicks, 0), coalesce(c.bots, 0))
        order by day, domain_id, code
        limit ${shown_max}`,
    )
  })
  return found.map(
    ({ domain_id, code, day, summed, counted }) =>
      `${domain_id}/${code} on ${day}: the sum says ${summed}, the clicks ${counted}`,
  )
}

export function driftCheck(kernel: Kernel): Check {
  return {
    name: 'links.daily_link_stats',
    says: 'The daily sums of clicks are what the single clicks say',
    run: () => findDrift(kernel),
  }
}

/** The check runs automatically once a day. */
export async function reportDrift(kernel: Kernel): Promise<void> {
  const found = await findDrift(kernel)
  if (found.length > 0) kernel.log.error({ found }, 'the daily sums of clicks have drifted')
}
