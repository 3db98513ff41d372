/**
 * Erases anonymous accounts that nobody has used for long. No surface may still need it: an order may
 * be on its way, or the guest may still return it. The account and its sessions are locked
 * before they are looked at, so an account that becomes a person or is used at this moment stays.
 */
import { Type } from 'typebox'
import { again, done, dueQueue, Id, sql, type DueQueue, type Tx } from '#dodeca/kernel'
import { accountColumns, principalsOf } from '../accounts/find-account.ts'
import { eraseAccount } from '../accounts/erase-account.ts'
import type { Deps } from '../deps.ts'
import { AccountRow } from '../schemas.ts'

const Due = Type.Object({ tenant_id: Id, account_id: Id })
type Due = { readonly tenant_id: string; readonly account_id: string }

type Needs = Pick<Deps, 'kernel' | 'denied'>

/** The wait before a surface is asked again whether it still needs the account. */
const needed_seconds = 86_400

export function idleQueue(deps: Needs): DueQueue {
  return dueQueue<typeof Due>({
    name: 'identity.anonymous_accounts',
    table: 'identity.anonymous_accounts',
    key: ['tenant_id', 'account_id'],
    row: Due,
    batch: 50,
    concurrency: 2,
    lease_seconds: 60,
    retry: { first: 60, factor: 2, cap: 3600 },
    run: async due => {
      const left_seconds = await deps.kernel.db.tx(tx => eraseIfIdle(tx, deps, due))
      return left_seconds === null ? done() : again(left_seconds)
    },
    finish: async (tx, { tenant_id, account_id }, outcome) => {
      if (outcome.end !== 'done') return
      await tx.run(sql`
        delete from identity.anonymous_accounts
        where tenant_id = ${tenant_id} and account_id = ${account_id}`)
    },
  })
}

const Idle = Type.Object({ ...AccountRow.properties, left_seconds: Type.Integer() })

/** Returns the seconds until the next look; null if there is nothing more to look at. */
async function eraseIfIdle(
  tx: Tx,
  deps: Needs,
  { tenant_id, account_id }: Due,
): Promise<number | null> {
  const idle_days = deps.kernel.settings['identity.anonymous_idle_days']
  await tx.run(sql`
    select from identity.accounts
    where tenant_id = ${tenant_id} and id = ${account_id} for update`)
  await tx.run(sql`
    select from identity.sessions
    where tenant_id = ${tenant_id} and account_id = ${account_id} and revoked_at is null
    order by id for update`)
  const account = await tx.maybe(
    Idle,
    sql`
      select ${accountColumns}, ceil(extract(epoch from coalesce((
          select max(s.last_seen_at) from identity.sessions s
          where s.tenant_id = a.tenant_id and s.account_id = a.id), a.created_at)
          + make_interval(days => ${idle_days}) - kernel.now()))::int as left_seconds
      from identity.accounts a
      where tenant_id = ${tenant_id} and id = ${account_id} and kind = 'anonymous'
        and status <> 'deleted'`,
  )
  if (!account) return null
  if (account.left_seconds > 0) return account.left_seconds
  if (await deps.kernel.personal.needs(tx, await principalsOf(tx, account))) return needed_seconds
  await eraseAccount(tx, deps, account, { actor: 'system' })
  tx.audit('identity.accounts.delete', account_id, { by: { tenant_id, id: 'system' } })
  return null
}
