/**
 * The partitions of single clicks. They are created before they are needed, and dropped when their
 * retention ends.
 */
import { Type } from 'typebox'
import { dayOf, dayText, sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

const days_ahead = 3
/** A click whose time is further in the future has a wrong clock. */
const days_ahead_max = 400

type Keeping = Pick<Kernel, 'db' | 'clock' | 'settings'>

/** Creates missing partitions for these days. Returns the days that can store clicks. */
export async function prepareDays(
  { db, clock, settings }: Keeping,
  days: readonly number[],
): Promise<ReadonlySet<number>> {
  const today = dayOf(clock.nowMs())
  const oldest = today - settings['links.click_retention_days']
  const kept = days.filter(day => day >= oldest && day <= today + days_ahead_max)
  for (const day of kept) await prepare(db, day, day)
  return new Set(kept)
}

/** The periodic work of the worker. */
export async function keepDays({ db, clock, settings }: Keeping): Promise<void> {
  const today = dayOf(clock.nowMs())
  await prepare(db, today - 1, today + days_ahead)
  await db.one(
    Type.Object({ dropped: Type.Integer() }),
    sql`select links.drop_click_days(${settings['links.click_retention_days']}) as dropped`,
  )
}

async function prepare(db: Keeping['db'], first: number, last: number): Promise<void> {
  await db.run(
    sql`select links.prepare_click_days(${dayText(first)}::date, ${dayText(last)}::date)`,
  )
}
