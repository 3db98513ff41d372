/**
 * How a closing account ends. Payments that hold no money are cancelled. Those that hold some may
 * still be captured or cancelled, or expire. When nothing is open, the account is closed and its
 * credentials are deleted, in one transaction.
 *
 * | account | delete                           | nothing is open | new credentials |
 * | ------- | -------------------------------- | --------------- | --------------- |
 * | active  | closing                          | -               | yes             |
 * | closing | nothing                          | closed          | yes             |
 * | closed  | nothing; its name is free again  | -               | a new account   |
 */
import { Type } from 'typebox'
import { Id, newId, Problem, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { beginCancel } from '../intents/begin-cancel.ts'
import { accountKey } from '../provider/account-key.ts'
import { accountColumns, announceAccount } from './find-account.ts'
import { AccountRow } from './schemas.ts'

export const closing_topic = 'payments.account_closing'

const Closing = Type.Object({ tenant_id: Id, id: Id, provider: Type.String() })
const Idle = Type.Object({ idle: Type.Boolean() })
const Unheld = Type.Object({ id: Id, managed: Type.Boolean() })
type Closing = { readonly tenant_id: string; readonly id: string; readonly provider: string }

const portion = 200

export async function closeAccounts(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db } = deps.kernel
  const closing = await db.many(
    Closing,
    sql`
      -- any tenant: the accounts of all of them
      select tenant_id, id, provider from payments.payment_accounts where state = 'closing'
      order by id`,
  )
  for (const account of closing) {
    signal.throwIfAborted()
    await cancelUnheld(deps, account)
    await db.tx(tx => closeIfIdle(tx, account))
  }
}

/** The payments of the account that hold no money and have nothing under way. */
async function cancelUnheld(deps: Deps, account: Closing): Promise<void> {
  const { db } = deps.kernel
  const { tenant_id } = account
  const unheld = await db.many(
    Unheld,
    sql`
      select i.id, i.managed from payments.payment_intents i
      where i.tenant_id = ${tenant_id} and i.provider = ${accountKey(account)}
        and i.state in ('requires_authorization', 'requires_action')
        and not exists (
          select from payments.payment_operations o
          where o.tenant_id = i.tenant_id and o.intent_id = i.id
            and o.state in ('created', 'pending_provider'))
      order by i.id limit ${portion}`,
  )
  for (const { id: intent_id, managed } of unheld) {
    const asked = { operation_id: newId(), tenant_id, intent_id, principal_id: null, key: null }
    try {
      await db.tx(tx =>
        beginCancel(tx, deps, { ...asked, managed, reason: 'account_closed', by_resolver: true }),
      )
    } catch (error) {
      // The payment has moved since it was listed. The next run looks at it again.
      if (!(error instanceof Problem)) throw error
    }
  }
}

/** The lock waits for everything that was begun while the account was open. */
export async function closeIfIdle(tx: Tx, account: Closing): Promise<AccountRow | undefined> {
  const { tenant_id, id } = account
  const key = accountKey(account)
  await tx.run(sql`
    select from payments.payment_accounts
    where tenant_id = ${tenant_id} and id = ${id} for update`)
  const { idle } = await tx.one(
    Idle,
    sql`
      select not exists (
          select from payments.payment_intents i
          where i.tenant_id = ${tenant_id} and i.provider = ${key}
            and i.state in ('requires_authorization', 'requires_action', 'authorized'))
        and not exists (
          select from payments.refunds r
          where r.tenant_id = ${tenant_id} and r.provider = ${key} and r.state = 'pending')
        and not exists (
          select from payments.disputes d
          where d.tenant_id = ${tenant_id} and d.provider = ${key} and d.closed_at is null)
        and not exists (
          select from payments.payment_methods m
          where m.tenant_id = ${tenant_id} and m.provider = ${key} and m.due_at is not null)
        and not exists (
          select from payments.provider_customers p
          where p.tenant_id = ${tenant_id} and p.provider = ${key} and p.due_at is not null)
        and not exists (
          select from payments.provider_events e
          where e.provider = ${key} and e.due_at is not null) as idle`,
  )
  if (!idle) return undefined
  const closed = await tx.maybe(
    AccountRow,
    sql`
      update payments.payment_accounts a
      set state = 'closed', sealed = null, has_webhook_secret = false, version = a.version + 1,
        updated_at = kernel.now()
      where a.tenant_id = ${tenant_id} and a.id = ${id} and a.state = 'closing'
      returning ${accountColumns}`,
  )
  if (closed) announceAccount(tx, tenant_id, closed)
  return closed
}
