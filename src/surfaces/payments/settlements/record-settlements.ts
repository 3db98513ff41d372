/**
 * Records each of the provider's balance transactions once, links it to its payment, and posts fees
 * that were not known at the capture. Unexplained money goes to the suspense account, so that the
 * clearing account always equals the provider's balance.
 */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { postFee } from '../ledger/post-fee.ts'
import type { BalanceTransaction } from '../provider/port.ts'

const Owner = Type.Object({ tenant_id: Type.String(), id: Type.String() })
const Made = Type.Object({ id: Type.String() })

/** Returns true if the transaction was new. */
export async function recordSettlement(
  tx: Tx,
  deps: Deps,
  one: BalanceTransaction,
): Promise<boolean> {
  const { provider } = deps
  const owner = await ownerOf(tx, deps, one)
  const made = await tx.maybe(
    Made,
    sql`
      insert into payments.settlement_records (
        tenant_id, id, provider, balance_transaction_id, kind, source_ref, intent_id, amount_minor,
        fee_minor, net_minor, currency, exchange_rate, available_on, provider_created_at)
      values (
        ${owner?.tenant_id ?? provider.owner_id}, ${newId()}, ${provider.name}, ${one.id},
        ${one.kind}, ${one.source}, ${owner?.id ?? null}, ${one.amount_minor}, ${one.fee_minor},
        ${one.net_minor}, ${one.currency}, ${one.exchange_rate},
        to_timestamp(${one.available_on_s}), to_timestamp(${one.created_s}))
      on conflict (provider, balance_transaction_id) do nothing
      returning id`,
  )
  const payer = owner && { ...owner, provider: provider.name }
  if (payer && one.kind === 'charge') await postFee(tx, deps, payer, one)
  if (!made) return false
  tx.emit({
    type: 'settlement.recorded',
    tenant_id: owner?.tenant_id ?? provider.owner_id,
    aggregate_type: 'settlement',
    aggregate_id: made.id,
    aggregate_version: 1,
    data: {
      intent_id: owner?.id ?? null,
      operation_id: null,
      resource_id: made.id,
      order_ref: null,
      amount_minor: Math.abs(one.net_minor),
      currency: one.currency,
      state: one.kind,
      reason_code: null,
    },
  })
  return true
}

/** Finds the payment by the object of the transaction: a charge, a refund or a dispute of ours. */
async function ownerOf(tx: Tx, { provider }: Deps, { source }: BalanceTransaction) {
  if (source === null) return undefined
  return await tx.maybe(
    Owner,
    sql`
      -- any tenant: the provider's ids are unique
      select tenant_id, id from payments.payment_intents
      where provider = ${provider.name} and charge_ref = ${source}
      union all
      select tenant_id, intent_id from payments.refunds
      where provider = ${provider.name} and provider_refund_id = ${source}
      union all
      select tenant_id, intent_id from payments.disputes
      where provider = ${provider.name} and provider_dispute_id = ${source}
      limit 1`,
  )
}

/** Records which payout contains each transaction. */
export async function recordPayoutOf(tx: Tx, provider: string, payout: string, ids: string[]) {
  await tx.run(sql`
    -- any tenant: the provider's ids are unique
    update payments.settlement_records set payout_id = ${payout}
    where provider = ${provider} and balance_transaction_id = any(${ids}::text[])
      and payout_id is null`)
}
