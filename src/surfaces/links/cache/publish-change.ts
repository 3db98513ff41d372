/**
 * Publishes a change of a link to the processes that redirect from their cache. It writes one row
 * for each key, in the transaction of the change. After the commit and before the reply, the writer
 * waits until each process has read the row or its lease has expired. So after the reply no process
 * redirects with the old state.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { changes_topic, lease_ms, type Change, type Lease } from './lease.ts'

export type Changes = {
  /** Writes the change, and delays the reply until no process can redirect with the old state. */
  changed(tx: Tx, keys: readonly Change[], patience_ms?: number): Promise<void>
  /** Waits in the same way, for everything that was committed before the call. */
  settled(patience_ms: number): Promise<void>
}

type Owed = { readonly changes: Change[]; patience_ms: number }

const Xid = Type.Object({ xid: Type.String() })
const Left = Type.Object({ left_ms: Type.Number() })

/** A wake-up may be lost, so processes read the rows in any case. */
const look_ms = 20
const margin_ms = 100

export function openChanges(
  kernel: Kernel,
  { lease, node_id }: { readonly lease: Lease; readonly node_id: string },
): Changes {
  const owed = new WeakMap<Tx, Owed>()
  const settle = async (xid: string, { changes, patience_ms }: Owed) => {
    lease.drop(changes)
    await kernel.fault('links.before_waking')
    kernel.wake([changes_topic])
    const until_ms = performance.now() + Math.min(patience_ms, lease_ms + margin_ms)
    let others_ms = until_ms
    for (let looks = 0; performance.now() < Math.min(until_ms, others_ms); looks++) {
      const left_ms = await unaware(kernel, node_id, xid)
      if (left_ms === 0) return
      // A process that renews its lease after this point sees the change in the same step. So only
      // the leases that exist now matter.
      if (looks === 0) others_ms = performance.now() + left_ms
      await nextWake(kernel)
    }
  }
  return {
    settled: async patience_ms => {
      // Publishes an empty change. A process that has read this change has read everything that was
      // committed earlier.
      const nothing = [{ domain_id: '00000000-0000-0000-0000-000000000000', code: '-' }]
      const { xid } = await kernel.db.one(Xid, insertion(nothing))
      await settle(xid, { changes: nothing, patience_ms })
    },
    changed: async (tx, keys, patience_ms = Infinity) => {
      const changes = keys.map(({ domain_id, code }) => ({ domain_id, code }))
      const { xid } = await tx.one(Xid, insertion(changes))
      const known = owed.get(tx)
      if (known) {
        known.changes.push(...changes)
        known.patience_ms = Math.max(known.patience_ms, patience_ms)
        return
      }
      const mine = { changes, patience_ms }
      owed.set(tx, mine)
      tx.afterCommit(() => settle(xid, mine))
    },
  }
}

function insertion(changes: readonly Change[]) {
  return sql`
    with changes as (
      insert into links.link_changes (domain_id, code)
      select domain_id, code from unnest(${changes.map(({ domain_id }) => domain_id)}::uuid[],
        ${changes.map(({ code }) => code)}::text[]) as k (domain_id, code)
    )
    select pg_current_xact_id()::text as xid`
}

/**
 * Returns how long a process that has not read the change may still use its cache. Zero means that
 * there is no such process.
 */
async function unaware({ db }: Kernel, node_id: string, xid: string): Promise<number> {
  try {
    const { left_ms } = await db.one(
      Left,
      sql`
        select case when count(*) = 0 then 0 else greatest(1,
          max(extract(epoch from leased_until - clock_timestamp())) * 1000) end::float8 as left_ms
        from links.redirect_nodes
        where node_id <> ${node_id} and leased_until > clock_timestamp()
          and not coalesce(pg_visible_in_snapshot(${xid}::xid8, seen), false)`,
    )
    return left_ms
  } catch {
    // The leases cannot be read, so we assume that all processes may use their caches.
    return lease_ms
  }
}

async function nextWake({ onWake }: Kernel): Promise<void> {
  const woken = Promise.withResolvers<null>()
  const unsubscribe = onWake(() => woken.resolve(null), [changes_topic])
  const over = new AbortController()
  await Promise.race([
    woken.promise,
    wait(look_ms, undefined, { signal: over.signal }).catch(() => {}),
  ])
  over.abort()
  unsubscribe()
}
