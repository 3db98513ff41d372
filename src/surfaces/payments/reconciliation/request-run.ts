/** Requests a reconciliation: regularly, or when an operator chooses a time window. */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

export const reconciliation_queue = 'payments.reconciliations'

const Due = Type.Object({ due: Type.Boolean() })

/**
 * Only one process at a time can do this. The lock lasts until the commit, and the next process
 * then sees the run.
 */
export async function requestRegularRun({ kernel, provider }: Deps): Promise<void> {
  if (!provider.books || !provider.accepting()) return
  const { settings, db } = kernel
  await db.tx(async tx => {
    const { due } = await tx.one(
      Due,
      sql`
        select pg_try_advisory_xact_lock(hashtext('payments.reconcile')) and not exists (
          select 1 from payments.reconciliation_runs
          where provider = ${provider.name} and requested_by = 'schedule'
            and created_at > kernel.now()
              - make_interval(secs => ${settings['payments.reconcile_seconds']})) as due`,
    )
    if (!due) return
    const days = settings['payments.reconcile_window_days']
    await tx.run(sql`
      insert into payments.reconciliation_runs (id, provider, from_at, to_at, requested_by)
      values (
        ${newId()}, ${provider.name}, kernel.now() - make_interval(days => ${days}),
        kernel.now() + interval '100 years', 'schedule')`)
    tx.wake(reconciliation_queue)
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
