/**
 * Enforces a quota on rows without one lock for all writers. The rows themselves are counted, so
 * the count never drifts and nothing has to be given back. Large limits: well below the limit no
 * lock is taken, and a slow count is reused for a short time. From nine tenths of the limit on,
 * writers of one scope run one after the other, and the count is exact. Small limits are always
 * exact: up to a tenth of the limit can be added in parallel, each writer in its own slot, while
 * all slots together stay below the limit. After that, writers run one after the other and take
 * every slot.
 */
import { Type } from 'typebox'
import type { Tx } from '../database/db.ts'
import { sql, type Sql } from '../database/sql.ts'
import { BeginAgain } from '../database/failures.ts'
import { problem } from '../errors/problem.ts'
import { jitter } from '../ids.ts'

export type Counted = (
  tx: Pick<Tx, 'one' | 'run'>,
  /** The name of the limit, such as `<surface>.<noun>:<id>`. */
  scope: string,
  limit: number,
  /** A `select` of the rows that count, without a `limit` of its own. */
  rows: Sql,
  /** The number of rows that the caller will add. The default is 1. */
  by?: number,
) => Promise<void>

const Count = Type.Object({ n: Type.Integer() })
const exact_below = 1000
const near_share = 0.9
/** A count is cached for a hundred times as long as it took, but for at most a second. */
const rest_factor = 100
const rest_ms_max = 1000
const known_max = 10_000

const slots_max = 16

type Known = { n: number; until_ms: number }

/**
 * Takes the first free slot, or waits for one. There are never more writers at once than slots, so
 * a count misses fewer rows than there are slots. Both statements are sent together. The count
 * takes its snapshot when the slot is held.
 */
async function countInSlot(
  tx: Pick<Tx, 'one' | 'run'>,
  scope: string,
  slots: number,
  count: () => Promise<{ n: number }>,
): Promise<number> {
  const free = sql`
    select slot from generate_series(1, ${slots}::int) slot
    where pg_try_advisory_xact_lock(hashtext(${scope}), slot) limit 1`
  const [, { n }] = await Promise.all([
    tx.run(sql`
      select pg_advisory_xact_lock(hashtext(${scope}), coalesce((${free}), ${ownSlot(slots)}::int))`),
    count(),
  ])
  return n
}

function slotsOf(limit: number): number {
  return limit < exact_below ? Math.min(slots_max, Math.max(1, Math.floor(limit / 10))) : 1
}

function ownSlot(slots: number): number {
  return 1 + Math.floor(jitter() * slots)
}

function everySlot(scope: string, slots: number): Sql {
  return sql`
    select pg_advisory_xact_lock(hashtext(${scope}), slot)
    from generate_series(1, ${slots}::int) slot order by slot`
}

export function openCounted(): Counted {
  const known = new Map<string, Known>()
  const keep = (scope: string, n: number, began_ms: number) => {
    const now_ms = performance.now()
    known.delete(scope)
    if (known.size >= known_max) known.delete(known.keys().next().value ?? '')
    const rest_ms = Math.min(rest_ms_max, rest_factor * (now_ms - began_ms))
    known.set(scope, { n, until_ms: now_ms + rest_ms })
  }
  return async (tx, scope, limit, rows, by = 1) => {
    const count = () =>
      tx.one(Count, sql`select count(*)::int as n from (${rows} limit ${limit + 1}) r`)
    const slots = by === 1 ? slotsOf(limit) : 1
    if (slots > 1 && (known.get(scope)?.n ?? 0) + 2 * slots <= limit) {
      const began_ms = performance.now()
      const n = await countInSlot(tx, scope, slots, count)
      keep(scope, n + 1, began_ms)
      if (n + slots <= limit) return
      // A writer that holds a slot must not wait for the others: they may wait for its slot.
      throw new BeginAgain()
    }
    const near = limit < exact_below ? 0 : limit * near_share
    const last = known.get(scope)
    if (last && performance.now() < last.until_ms && last.n + by <= near) {
      last.n += by
      return
    }
    if (near > 0) {
      const began_ms = performance.now()
      const { n } = await count()
      if (n + by <= near) return keep(scope, n + by, began_ms)
    }
    // Both statements are sent together. The count takes its snapshot after the locks are held.
    const [, { n }] = await Promise.all([tx.run(everySlot(scope, slotsOf(limit))), count()])
    if (limit < exact_below) keep(scope, n + by, performance.now())
    if (n + by > limit) {
      throw problem('quota_exceeded', {
        detail: `At most ${limit} are allowed; delete some first.`,
      })
    }
  }
}
