/**
 * Removes the second factors of an account when the delay of a reset has passed without an
 * objection. The administrator who requested it must still be allowed to: the right is read again now.
 */
import { Type } from 'typebox'
import { done, dueQueue, Id, sql, type DueQueue, type Tx } from '#dodeca/kernel'
import { accountColumns } from '../../accounts/find-account.ts'
import { forgetFactors } from '../../accounts/forget-credentials.ts'
import type { Deps } from '../../deps.ts'
import { notifyOwner } from '../../mails/notify-owner.ts'
import { holderGrants } from '../../roles/holder-grants.ts'
import { hasRank } from '../../roles/require-rank.ts'
import { AccountRow } from '../../schemas.ts'
import { revokeSessions } from '../../sessions/revoke-sessions.ts'
import { endWaiting } from './end-reset.ts'
import { queue_name, resets_factors } from './factor-reset.ts'

const Due = Type.Object({ id: Id, tenant_id: Id, account_id: Id, requested_by: Id })
type Due = {
  readonly tenant_id: string
  readonly account_id: string
  readonly requested_by: string
}

type Needs = Pick<Deps, 'kernel' | 'denied' | 'permissions'>

export function resetQueue(deps: Needs): DueQueue {
  return dueQueue({
    name: queue_name,
    table: queue_name,
    key: ['tenant_id', 'id'],
    row: Due,
    load: sql`t.account_id, t.requested_by`,
    where: sql`t.state = 'waiting'`,
    batch: 20,
    concurrency: 2,
    lease_seconds: 60,
    retry: { first: 30, factor: 2, cap: 3600 },
    // In a transaction of its own, which locks the account first; the conditional update makes a
    // second run harmless.
    run: async due => {
      await deps.kernel.db.tx(tx => remove(tx, deps, due))
      return done()
    },
    finish: async () => {},
  })
}

async function remove(tx: Tx, deps: Needs, due: Due): Promise<void> {
  const { tenant_id, account_id, requested_by } = due
  const account = await tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts
      where tenant_id = ${tenant_id} and id = ${account_id} and status = 'active' for update`,
  )
  const act = { actor: requested_by }
  if (!account || !(await mayStill(tx, deps, due))) {
    await endWaiting(tx, account_id, 'lapsed', act)
    return
  }
  if (!(await endWaiting(tx, account_id, 'done', act))) return
  await forgetFactors(tx, account)
  await revokeSessions(tx, deps, { account_id }, 'admin', act)
  await notifyOwner(tx, account, 'factor_removed')
}

async function mayStill(tx: Tx, deps: Needs, due: Due): Promise<boolean> {
  const holder = { tenant_id: due.tenant_id, principal_id: due.requested_by }
  const [grants = new Set<string>()] = await holderGrants(tx, deps, [holder])
  const { account_id } = due
  return (
    grants.has(resets_factors) &&
    (await hasRank(tx, { account_id, principal: { id: due.requested_by }, grants }))
  )
}
