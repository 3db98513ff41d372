/**
 * Rebuilds the daily sums from the single clicks, one transaction for each day. A reader sees the
 * old sums or the new ones. A lock keeps other processes from adding clicks meanwhile. Clicks that
 * are stored but not yet added are left out. Days whose single clicks are deleted are not changed.
 */
import { Type } from 'typebox'
import { dayOf, dayText, sql, type DayRange, type Sql, type Tx } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { statistics_lock, type Sum } from './add-up.ts'
import type { CoarseContext } from '../clicks/context.ts'
import { Tally } from './tally.ts'

export type Scope = DayRange & {
  /** Null means all domains. */
  readonly domain_id: string | null
  readonly code: string | null
}

const rows_together = 2000
const groups_together = 10_000

const Days = Type.Object({ day: Type.String() })
const Group = Type.Object({
  domain_id: Type.String(),
  code: Type.String(),
  coarse_context: Type.Unsafe<CoarseContext>(Type.Any()),
  clicks: Type.Integer(),
})

/** The days of the range that can be rebuilt, oldest first. */
export async function rebuildableDays(
  { db, clock, settings }: Pick<Kernel, 'db' | 'clock' | 'settings'>,
  { from, to }: DayRange,
): Promise<string[]> {
  const oldest = dayOf(clock.nowMs()) - settings['links.click_retention_days']
  const days = await db.many(
    Days,
    sql`
      select to_date(right(c.relname, 8), 'YYYYMMDD')::text as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'links.click_events'::regclass and c.relname ~ '^click_events_d[0-9]{8}$'
        and to_date(right(c.relname, 8), 'YYYYMMDD')
          between ${dayText(Math.max(from, oldest))}::date and ${dayText(to)}::date
      order by day`,
  )
  return days.map(({ day }) => day)
}

export async function countEvents({ db }: Pick<Kernel, 'db'>, day: string): Promise<number> {
  const { clicks } = await db.tx(async tx => {
    await tx.unhurried()
    return tx.one(
      Type.Object({ clicks: Type.Integer() }),
      sql`select count(*) as clicks from links.click_events where ${on(day)}`,
    )
  })
  return clicks
}

/** Returns the number of clicks that it counted. It calls `counted` with the progress. */
export async function rebuildDay(
  { db, fault }: Pick<Kernel, 'db' | 'fault'>,
  day: string,
  scope: Pick<Scope, 'domain_id' | 'code'>,
  counted: (clicks: number) => void,
  signal: AbortSignal,
): Promise<number> {
  return await db.tx(async tx => {
    let taken = 0
    await tx.unhurried()
    await tx.run(sql`set local work_mem = '128MB'`)
    await tx.run(sql`select pg_advisory_xact_lock(${statistics_lock})`)
    if (!(await holdDay(tx, day))) return 0
    await tx.run(sql`delete from links.daily_link_stats where day = ${day}::date ${within(scope)}`)
    let sums: Sum[] = []
    for await (const groups of tx.stream(Group, groupsOf(day, scope), groups_together)) {
      signal.throwIfAborted()
      for (const { domain_id, code, coarse_context, clicks } of groups) {
        let last = sums.at(-1)
        if (last?.domain_id !== domain_id || last.code !== code) {
          if (sums.length >= rows_together) {
            await insert(tx, sums)
            sums = []
          }
          last = { domain_id, code, day, tally: new Tally() }
          sums.push(last)
        }
        last.tally.add(coarse_context, clicks)
        taken += clicks
        counted(clicks)
      }
    }
    await insert(tx, sums)
    await fault('links.before_swapping')
    return taken
  })
}

/**
 * False if the clicks of the day were deleted since the days were listed. Otherwise they stay until
 * the end of the transaction, because reading them locks their partition.
 */
async function holdDay(tx: Tx, day: string): Promise<boolean> {
  await tx.run(sql`select from links.click_events where ${on(day)} limit 1`)
  const { there } = await tx.one(
    Type.Object({ there: Type.Boolean() }),
    sql`
      select to_regclass('links.click_events_d' || to_char(${day}::date, 'YYYYMMDD')) is not null
        as there`,
  )
  return there
}

/** Sorted by link, so that only one link at a time is in memory. */
function groupsOf(day: string, scope: Pick<Scope, 'domain_id' | 'code'>): Sql {
  return sql`
    select domain_id, code, coarse_context, count(*) as clicks from links.click_events
    where ${on(day)} ${within(scope)} and batch_id not in (select id from links.click_batches)
    group by domain_id, code, coarse_context
    order by domain_id, code`
}

function on(day: string): Sql {
  return sql`occurred_at >= (${day} || ' 00:00:00+00')::timestamptz
    and occurred_at < (${day} || ' 00:00:00+00')::timestamptz + interval '24 hours'`
}

function within({ domain_id, code }: Pick<Scope, 'domain_id' | 'code'>): Sql {
  return sql`
    ${domain_id === null ? sql.empty : sql`and domain_id = ${domain_id}`}
    ${code === null ? sql.empty : sql`and code = ${code}`}`
}

async function insert(tx: Tx, sums: readonly Sum[]): Promise<void> {
  if (sums.length === 0) return
  await tx.run(sql`
    insert into links.daily_link_stats (domain_id, code, day, clicks, bots, bounded_dimensions)
    select * from unnest(${sums.map(sum => sum.domain_id)}::uuid[],
      ${sums.map(sum => sum.code)}::text[], ${sums.map(sum => sum.day)}::date[],
      ${sums.map(sum => sum.tally.clicks)}::bigint[], ${sums.map(sum => sum.tally.bots)}::bigint[],
      ${sums.map(sum => JSON.stringify(sum.tally.dimensions()))}::jsonb[])`)
}
