/**
 * Adds the journal of changes to the counters. One statement deletes rows of the journal and adds
 * them to the counters.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { sql, type Db, type Loop } from '#dodeca/kernel'
import { topics, type Deps } from '../deps.ts'

const batch = 5000
/** Several changes of one subject become one update. */
const pause_ms = 250

export function foldLoop({ kernel: { db } }: Pick<Deps, 'kernel'>): Loop {
  return {
    name: topics.counters,
    every_ms: 60_000,
    topics: [topics.counters],
    due: sql`
      -- any tenant: the journal of all
      select exists (select from social.counter_deltas)`,
    run: async signal => {
      for (;;) {
        const changed = await fold(db)
        if (changed === 0 || signal.aborted) return
        await wait(pause_ms, undefined, { signal }).catch(() => {})
      }
    },
  }
}

/** Returns how many counters changed. Concurrent folds take different rows. */
export function fold(db: Pick<Db, 'run'>): Promise<number> {
  return db.run(sql`
    with taken as (
      delete from social.counter_deltas d
      where d.ctid = any(array(
        select ctid from social.counter_deltas limit ${batch} for update skip locked))
      returning d.tenant_id, d.subject_type, d.subject_id, d.kind, d.delta
    ), sums as (
      select tenant_id, subject_type, subject_id, kind, sum(delta)::bigint as delta from taken
      group by tenant_id, subject_type, subject_id, kind
    )
    insert into social.counter_projections as c (tenant_id, subject_type, subject_id, kind, value)
    select tenant_id, subject_type, subject_id, kind, delta from sums
    order by tenant_id, subject_type, subject_id, kind
    on conflict (tenant_id, subject_type, subject_id, kind) do update
    set value = c.value + excluded.value, updated_at = kernel.now()`)
}
