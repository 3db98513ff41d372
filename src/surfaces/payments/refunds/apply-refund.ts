/**
 * Applies the provider's state of a refund. If the provider accepts the refund, its money leaves the
 * clearing account. If the refund is refused or fails, the money returns. A refund may still fail days
 * after it succeeded.
 *
 * | refund    | pending  | succeeded | failed                         |
 * | --------- | -------- | --------- | ------------------------------ |
 * | pending   | accepted | succeeded | failed, the money is returned  |
 * | succeeded | nothing  | nothing   | failed, the money is returned  |
 * | failed    | nothing  | nothing   | nothing                        |
 */
import { type Static, Type } from 'typebox'
import { Id, isId, nullable, oneOf, sql, type Reader, type Tx } from '#dodeca/kernel'
import { post, transfer } from '../ledger/post-transaction.ts'
import { announce } from '../operations/announce.ts'
import { endOperation, parkOperation } from '../operations/end-operation.ts'
import { lockIntent, type IntentRow } from '../operations/rows.ts'
import { accountIdOf } from '../provider/account-key.ts'
import type { OpenProvider, RefundSnapshot } from '../provider/port.ts'
import { openItem } from '../reconciliation/open-item.ts'

export const RefundRow = Type.Object({
  tenant_id: Id,
  id: Id,
  intent_id: Id,
  operation_id: Id,
  amount_minor: Type.Integer(),
  currency: Type.String(),
  state: oneOf('pending', 'succeeded', 'failed'),
  reason: Type.String(),
  provider_refund_id: nullable(Type.String()),
  accepted: Type.Boolean(),
  failure_code: nullable(Type.String()),
  created_at: Type.String(),
})
export type RefundRow = Static<typeof RefundRow>

export const refundColumns = sql`
  r.tenant_id, r.id, r.intent_id, r.operation_id, r.amount_minor, r.currency, r.state, r.reason,
  r.provider_refund_id, r.accepted, r.failure_code, r.created_at`

/**
 * Finds the refund of a snapshot by the id of our operation in the snapshot, or by the provider's
 * id.
 */
export async function findRefundOf(reader: Reader, provider: string, snapshot: RefundSnapshot) {
  const by_id = await reader.maybe(
    RefundRow,
    sql`
      -- any tenant: the provider's ids are unique
      select ${refundColumns} from payments.refunds r
      where r.provider = ${provider} and r.provider_refund_id = ${snapshot.id}`,
  )
  if (by_id || snapshot.operation_id === null || !isId(snapshot.operation_id)) return by_id
  return await reader.maybe(
    RefundRow,
    sql`
      select ${refundColumns} from payments.refunds r
      join payments.payment_operations o
        on o.tenant_id = r.tenant_id and o.id = r.operation_id
      where o.id = ${snapshot.operation_id} and r.provider = ${provider}`,
  )
}

export async function applyRefund(
  tx: Tx,
  { tenant_id, id }: Pick<RefundRow, 'tenant_id' | 'id'>,
  snapshot: RefundSnapshot,
): Promise<void> {
  const known = await tx.maybe(
    RefundRow,
    sql`
      select ${refundColumns} from payments.refunds r
      where r.tenant_id = ${tenant_id} and r.id = ${id}`,
  )
  if (!known) return
  // The operation is locked before the intent, as everywhere.
  await tx.run(sql`
    select 1 from payments.payment_operations
    where tenant_id = ${tenant_id} and id = ${known.operation_id} for update`)
  const intent = await lockIntent(tx, { tenant_id, id: known.intent_id })
  const refund = await tx.one(
    RefundRow,
    sql`
      select ${refundColumns} from payments.refunds r
      where r.tenant_id = ${tenant_id} and r.id = ${id} for update`,
  )
  if (!intent || refund.state === 'failed') return
  const discrepancy = discrepancyOf(intent, refund, snapshot)
  if (discrepancy) return await disagree(tx, intent, refund, snapshot, discrepancy)
  if (!refund.accepted && snapshot.booked_ref) await accept(tx, intent, refund, snapshot)
  const accepted = refund.accepted || snapshot.booked_ref !== null
  if (snapshot.status === 'failed') {
    await failRefund(
      tx,
      intent,
      { ...refund, accepted },
      {
        code: snapshot.failure_code ?? 'refund_failed',
        external_ref: snapshot.failure_booked_ref,
        provider_refund_id: snapshot.id,
      },
    )
  } else if (snapshot.status === 'succeeded' && refund.state === 'pending') {
    await succeed(tx, intent, refund, snapshot)
  } else {
    await tx.run(sql`
      update payments.refunds set provider_refund_id = ${snapshot.id}, accepted = ${accepted}
      where tenant_id = ${tenant_id} and id = ${id}`)
    const ending = { state: 'succeeded', provider_operation_id: snapshot.id } as const
    await endOperation(tx, { tenant_id, id: refund.operation_id }, ending)
  }
}

async function accept(
  tx: Tx,
  { provider }: IntentRow,
  refund: RefundRow,
  snapshot: RefundSnapshot,
): Promise<void> {
  await post(tx, {
    tenant_id: refund.tenant_id,
    payment_account_id: accountIdOf(provider),
    operation_id: refund.operation_id,
    intent_id: refund.intent_id,
    purpose: 'refund_accepted',
    external_ref: snapshot.booked_ref,
    currency: refund.currency,
    description: `Refund ${refund.id} accepted by the provider`,
    legs: transfer('refunds_in_transit', 'provider_clearing', refund.amount_minor),
  })
}

async function succeed(tx: Tx, intent: IntentRow, refund: RefundRow, snapshot: RefundSnapshot) {
  const { tenant_id, id, amount_minor, operation_id } = refund
  await tx.run(sql`
    update payments.refunds
    set state = 'succeeded', provider_refund_id = ${snapshot.id},
      accepted = accepted or ${snapshot.booked_ref !== null}, version = version + 1
    where tenant_id = ${tenant_id} and id = ${id}`)
  const moved = { pending: -amount_minor, refunded: amount_minor }
  const version = await moveAmounts(tx, intent, moved)
  const ending = { state: 'succeeded', provider_operation_id: snapshot.id } as const
  await endOperation(tx, { tenant_id, id: operation_id }, ending)
  announce(tx, intent, {
    type: 'refund.succeeded',
    version,
    state: 'succeeded',
    operation_id,
    resource_id: id,
    amount_minor,
  })
}

export type Refusal = {
  readonly code: string
  readonly external_ref: string | null
  readonly provider_refund_id: string | null
}

/** The buyer does not get the money. It returns to the merchant, whatever state the refund had. */
export async function failRefund(
  tx: Tx,
  intent: IntentRow,
  refund: RefundRow,
  { code, external_ref, provider_refund_id }: Refusal,
): Promise<void> {
  const { tenant_id, id, amount_minor, operation_id, accepted } = refund
  const from = accepted ? 'provider_clearing' : 'refunds_in_transit'
  await post(tx, {
    tenant_id,
    payment_account_id: accountIdOf(intent.provider),
    operation_id,
    intent_id: refund.intent_id,
    purpose: 'refund_returned',
    external_ref,
    currency: refund.currency,
    description: `Refund ${id} failed: ${code}`,
    legs: transfer(from, 'merchant_balance', amount_minor),
  })
  await tx.run(sql`
    update payments.refunds
    set state = 'failed', failure_code = ${code}, accepted = ${accepted},
      provider_refund_id = coalesce(${provider_refund_id}, provider_refund_id),
      version = version + 1
    where tenant_id = ${tenant_id} and id = ${id}`)
  const moved =
    refund.state === 'pending'
      ? { pending: -amount_minor, refunded: 0 }
      : { pending: 0, refunded: -amount_minor }
  const version = await moveAmounts(tx, intent, moved)
  await endOperation(tx, { tenant_id, id: operation_id }, { state: 'failed', error_code: code })
  announce(tx, intent, {
    type: 'refund.failed',
    version,
    state: 'failed',
    operation_id,
    resource_id: id,
    amount_minor,
    reason_code: code,
  })
}

const Versioned = Type.Object({ version: Type.Integer() })

async function moveAmounts(
  tx: Tx,
  { tenant_id, id }: IntentRow,
  { pending, refunded }: { readonly pending: number; readonly refunded: number },
): Promise<number> {
  const { version } = await tx.one(
    Versioned,
    sql`
      update payments.payment_intents
      set amount_refund_pending_minor = amount_refund_pending_minor + ${pending},
        amount_refunded_minor = amount_refunded_minor + ${refunded}, version = version + 1
      where tenant_id = ${tenant_id} and id = ${id}
      returning version`,
  )
  return version
}

/** The snapshot must be about this refund of this payment, with the same amount. */
function discrepancyOf(intent: IntentRow, refund: RefundRow, snapshot: RefundSnapshot) {
  if (snapshot.handle !== null && snapshot.handle !== intent.provider_handle)
    return 'state_mismatch'
  if (snapshot.currency !== refund.currency) return 'currency_mismatch'
  return snapshot.amount_minor === refund.amount_minor ? null : 'amount_mismatch'
}

async function disagree(
  tx: Tx,
  intent: IntentRow,
  refund: RefundRow,
  snapshot: RefundSnapshot,
  discrepancy: NonNullable<ReturnType<typeof discrepancyOf>>,
) {
  const { tenant_id, operation_id, amount_minor } = refund
  await parkOperation(tx, { tenant_id, id: operation_id }, discrepancy)
  await openItem(tx, {
    tenant_id,
    provider: intent.provider,
    discrepancy,
    external_ref: snapshot.id,
    local_ref: operation_id,
    amount_minor: snapshot.amount_minor,
    currency: snapshot.currency,
    details: { expected_minor: amount_minor, refund_id: refund.id },
  })
}

/** A refund that was made outside the platform, for example in the provider's dashboard. */
export async function reportForeignRefund(
  tx: Tx,
  { name: provider, owner_id }: Pick<OpenProvider, 'name' | 'owner_id'>,
  snapshot: RefundSnapshot,
  intent: Pick<IntentRow, 'tenant_id' | 'id'> | undefined,
): Promise<boolean> {
  return await openItem(tx, {
    tenant_id: intent?.tenant_id ?? owner_id,
    provider,
    discrepancy: 'missing_local',
    external_ref: snapshot.id,
    local_ref: intent?.id ?? null,
    amount_minor: snapshot.amount_minor,
    currency: snapshot.currency,
    source: snapshot.id,
    details: { object: 'refund', status: snapshot.status },
  })
}
