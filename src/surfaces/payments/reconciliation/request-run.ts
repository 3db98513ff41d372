/** Requests a reconciliation: regularly, or when an operator chooses a time window. */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

export const reconciliation_queue = 'payments.reconciliations'

const Locked = Type.Object({ locked: Type.Boolean() })
const Due = Type.Object({ provider: Type.String() })
const batch = 100

/**
 * Of each account, the platform's and the tenants'. Only one process at a time can do this. The lock
 * lasts until the commit, and the next process then sees the runs.
 */
export async function requestRegularRun({ kernel, providers }: Deps): Promise<void> {
  const { settings, db } = kernel
  const platform = providers.platform.filter(one => one.books !== undefined && one.accepting())
  const names = platform.map(({ name }) => name)
  await db.tx(async tx => {
    const { locked } = await tx.one(
      Locked,
      sql`select pg_try_advisory_xact_lock(hashtext('payments.reconcile')) as locked`,
    )
    if (!locked) return
    const due = await tx.many(
      Due,
      sql`
        -- any tenant: the accounts of all of them
        select one.provider from (
          select unnest(${names}::text[]) as provider
          union all
          select a.provider || ':' || a.id from payments.payment_accounts a
          where a.sealed is not null) one
        where not exists (
          select 1 from payments.reconciliation_runs r
          where r.provider = one.provider and r.requested_by = 'schedule'
            and r.created_at > kernel.now()
              - make_interval(secs => ${settings['payments.reconcile_seconds']}))
        limit ${batch}`,
    )
    const days = settings['payments.reconcile_window_days']
    for (const one of due) {
      await tx.run(sql`
        insert into payments.reconciliation_runs (id, provider, from_at, to_at, requested_by)
        values (
          ${newId()}, ${one.provider}, kernel.now() - make_interval(days => ${days}),
          kernel.now() + interval '100 years', 'schedule')`)
    }
    if (due.length > 0) tx.wake(reconciliation_queue)
  })
}

export async function requestRun(
  tx: Tx,
  provider: string,
  { from, to, requested_by }: { from: string; to: string; requested_by: string },
): Promise<string> {
  const id = newId()
  await tx.run(sql`
    insert into payments.reconciliation_runs (id, provider, from_at, to_at, requested_by)
    values (${id}, ${provider}, ${from}, ${to}, ${requested_by})`)
  tx.wake(reconciliation_queue)
  return id
}
