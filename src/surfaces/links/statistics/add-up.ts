/**
 * Adds waiting batches to the daily statistics. One transaction deletes the batches and adds their
 * sums. So each batch counts once, in any order, even if a transaction stays open for long. One
 * process at a time does this, under a lock. A rebuild uses the same lock.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { dayText, sql, type Tx } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { BatchCounts } from './batch-counts.ts'
import type { CoarseContext } from '../clicks/context.ts'
import type { Pace } from '../clicks/pace.ts'
import { fresh_within_ms } from '../clicks/recorder.ts'
import { Tally, type Dimensions } from './tally.ts'

/** Only the holder of this lock changes the daily statistics. */
export const statistics_lock = 5_330_212

/** The most batches that one transaction adds: about 20,000 sums. This takes half a second. */
const batches_max = 8

const Locked = Type.Object({ locked: Type.Boolean() })
const Waiting = Type.Object({ id: Type.String(), counts: BatchCounts, old: Type.Boolean() })

export type Sum = {
  readonly domain_id: string
  readonly code: string
  readonly day: string
  readonly tally: Tally
}

/** Runs until no batch waits. Returns how many batches were added. */
export async function addUp(
  { db, fault }: Pick<Kernel, 'db' | 'fault'>,
  signal?: AbortSignal,
  pace?: Pace,
): Promise<number> {
  let added = 0
  while (!signal?.aborted) {
    const began_ms = performance.now()
    const { some, old } = await db.tx(async tx => {
      const found = await addSome(tx)
      if (found.some > 0) await fault('links.before_adding_up')
      return found
    })
    added += some
    // The loop pauses after the last batch too, because the next run follows soon.
    const rest_ms = old ? 0 : (pace?.restAfter(performance.now() - began_ms) ?? 0)
    if (rest_ms > 0 && some > 0) await rest(rest_ms, signal)
    if (some < batches_max) break
  }
  return added
}

/** The pause ends at once when the process stops. */
async function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(ms, undefined, signal ? { signal } : {}).catch(() => {})
}

/**
 * `old` is true if the oldest batch is half as old as statistics may be. Then counting no longer
 * pauses for redirects.
 */
async function addSome(tx: Tx): Promise<{ some: number; old: boolean }> {
  const { locked } = await tx.one(
    Locked,
    sql`select pg_try_advisory_xact_lock(${statistics_lock}) as locked`,
  )
  if (!locked) return { some: 0, old: false }
  const batches = await tx.many(
    Waiting,
    sql`
      delete from links.click_batches
      where id in (select id from links.click_batches order by id limit ${batches_max})
      returning id, counts,
        created_at < now() - make_interval(secs => ${fresh_within_ms / 2000}::float8) as old`,
  )
  if (batches.length > 0) await store(tx, sumsOf(batches.map(({ counts }) => counts)))
  return { some: batches.length, old: batches.some(one => one.old) }
}

export function sumsOf(batches: readonly BatchCounts[]): Sum[] {
  const sums = new Map<string, Sum>()
  for (const { links, contexts, counts } of batches) {
    const parsed = contexts.map(context => JSON.parse(context) as CoarseContext) // made by context.ts
    for (let at = 0; at < counts.length; at += 4) {
      const [link = 0, context = 0, day = 0, clicks = 0] = counts.slice(at, at + 4)
      const [domain_id, code] = links[link] ?? ['', '']
      const key = `${domain_id}/${code}/${day}`
      let sum = sums.get(key)
      if (!sum) {
        sum = { domain_id, code, day: dayText(day), tally: new Tally() }
        sums.set(key, sum)
      }
      const made = parsed[context]
      if (made) sum.tally.add(made, clicks)
    }
  }
  return [...sums.values()]
}

const Before = Type.Object({
  place: Type.Integer(),
  bounded_dimensions: Type.Unsafe<Dimensions>(Type.Record(Type.String(), Type.Any())),
})

async function store(tx: Tx, sums: readonly Sum[]): Promise<void> {
  const keys = sql`unnest(${sums.map(sum => sum.domain_id)}::uuid[],
    ${sums.map(sum => sum.code)}::text[], ${sums.map(sum => sum.day)}::date[])
    with ordinality as k (domain_id, code, day, place)`
  const before = await tx.many(
    Before,
    sql`
      select k.place, s.bounded_dimensions
      from ${keys} join links.daily_link_stats s using (domain_id, code, day)`,
  )
  const stood = new Map(before.map(({ place, bounded_dimensions }) => [place, bounded_dimensions]))
  const dimensions = sums.map(({ tally }, at) => tally.onTopOf(stood.get(at + 1) ?? {}))
  await tx.run(sql`
    insert into links.daily_link_stats as s
      (domain_id, code, day, clicks, bots, bounded_dimensions)
    select k.domain_id, k.code, k.day, n.clicks, n.bots, n.dimensions
    from ${keys}
      join unnest(${sums.map(sum => sum.tally.clicks)}::bigint[],
        ${sums.map(sum => sum.tally.bots)}::bigint[],
        ${dimensions.map(one => JSON.stringify(one))}::jsonb[])
        with ordinality as n (clicks, bots, dimensions, place) using (place)
    on conflict (domain_id, code, day) do update set
      clicks = s.clicks + excluded.clicks, bots = s.bots + excluded.bots,
      bounded_dimensions = excluded.bounded_dimensions`)
}
