/**
 * Begins a refund. Refunds of one payment may run in parallel. One statement checks the remaining
 * amount and reserves this refund's part. So together they never exceed the captured amount. After
 * this transaction the money is in transit.
 */
import { Type } from 'typebox'
import {
  expectVersion,
  formatMoney,
  newId,
  nil_id,
  sql,
  type RequestKey,
  type Tx,
} from '#dodeca/kernel'
import { requireAccount } from '../accounts/require-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { accountColumns, currentSums } from '../ledger/balances.ts'
import { post, transfer } from '../ledger/post-transaction.ts'
import { readPart, type GivenPart } from '../money/read-amount.ts'
import { announce } from '../operations/announce.ts'
import { beginOperation, requireProvider } from '../operations/begin-operation.ts'
import { lockIntent, type IntentRow } from '../operations/rows.ts'
import { accountIdOf } from '../provider/account-key.ts'
import { overdraft_max } from '../settings.ts'

export type RefundAsked = GivenPart & {
  readonly operation_id: string
  readonly tenant_id: string
  readonly intent_id: string
  readonly reason: string
  readonly note: string | null
  readonly principal_id: string | null
  readonly key: RequestKey | null
  /** The ETag of the payment that the caller saw. */
  readonly if_match?: string | string[] | undefined
  /** The resolver makes the first attempt, because no caller waits for it. */
  readonly by_resolver?: boolean
}

const Taken = Type.Object({ version: Type.Integer() })

export async function requestRefund(tx: Tx, deps: Deps, asked: RefundAsked): Promise<string> {
  const { tenant_id, intent_id, operation_id, reason, note } = asked
  const intent = await lockIntent(tx, { tenant_id, id: intent_id })
  if (!intent) throw problem('payment_intent_not_found')
  expectVersion(asked.if_match, intent.version)
  if (intent.state !== 'captured') {
    throw problem('intent_not_captured', {
      current_state: intent.state,
      detail: 'Nothing was captured yet. Cancel the payment instead.',
    })
  }
  const left =
    intent.amount_captured_minor - intent.amount_refunded_minor - intent.amount_refund_pending_minor
  const amount_minor = readPart(asked, intent, left)
  const payment_account_id = accountIdOf(intent.provider)
  requireProvider(deps, intent, asked)
  await requireAccount(tx, intent, 'open')
  const taken = await tx.maybe(
    Taken,
    sql`
      update payments.payment_intents
      set amount_refund_pending_minor = amount_refund_pending_minor + ${amount_minor},
        version = version + 1
      where tenant_id = ${tenant_id} and id = ${intent_id} and ${amount_minor}::bigint > 0
        and amount_refunded_minor + amount_refund_pending_minor + ${amount_minor}
          <= amount_captured_minor
      returning version`,
  )
  if (!taken) {
    throw problem('refund_exceeds_captured', {
      detail: `At most ${formatMoney(left, intent.currency, 'en')} can be refunded now.`,
    })
  }
  await beginOperation(tx, deps, { ...asked, type: 'refund', amount_minor })
  const id = newId()
  await tx.run(sql`
    insert into payments.refunds (
      tenant_id, id, intent_id, operation_id, amount_minor, currency, reason, note, provider)
    values (
      ${tenant_id}, ${id}, ${intent_id}, ${operation_id}, ${amount_minor}, ${intent.currency},
      ${reason}, ${note}, ${intent.provider})`)
  await post(tx, {
    tenant_id,
    payment_account_id,
    operation_id,
    intent_id,
    purpose: 'refund_requested',
    currency: intent.currency,
    description: `Refund ${id} of payment ${intent_id}`,
    legs: transfer('merchant_balance', 'refunds_in_transit', amount_minor),
  })
  // At an own account the provider takes the money from the tenant itself.
  if (payment_account_id === null) await refuseOverdraft(tx, deps, intent)
  announce(tx, intent, {
    type: 'refund.created',
    version: taken.version,
    state: 'pending',
    operation_id,
    resource_id: id,
    amount_minor,
    reason_code: reason,
  })
  return id
}

const Balance = Type.Object({ balance_minor: Type.Integer() })

/**
 * This check comes after the posting, because this transaction then holds the row lock. So parallel
 * refunds cannot exceed the limit together.
 */
async function refuseOverdraft(tx: Tx, { kernel }: Deps, { tenant_id, currency }: IntentRow) {
  const overdraft = kernel.settings['payments.overdraft_minor']
  if (overdraft === overdraft_max) return
  const { balance_minor } = await tx.one(
    Balance,
    sql`
      select ${accountColumns} from payments.ledger_accounts a ${currentSums}
      where a.owner_id = ${tenant_id} and a.currency = ${currency}
        and a.type = 'merchant_balance' and a.payment_account_id = ${nil_id}`,
  )
  if (balance_minor < -overdraft) throw problem('balance_insufficient')
}
