/**
 * Applies a payout: settled money leaves for the bank, and returns if the payout fails. Each
 * movement is posted once.
 */
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { post, transfer } from '../ledger/post-transaction.ts'
import { accountIdOf } from '../provider/account-key.ts'
import type { PayoutSnapshot } from '../provider/port.ts'

const to_bank = ['bank', 'provider_clearing'] as const
/** While its balance is negative, the provider takes money from the bank. */
const back_from_bank = ['provider_clearing', 'bank'] as const

const Known = Type.Object({ id: Type.String(), state: Type.String(), version: Type.Integer() })

export async function applyPayout(
  { kernel, provider }: Deps,
  snapshot: PayoutSnapshot,
): Promise<void> {
  const { amount_minor, currency } = snapshot
  const { owner_id: tenant_id } = provider
  await kernel.db.tx(async tx => {
    const payout = await tx.one(
      Known,
      sql`
        insert into payments.payouts as p (
          tenant_id, id, provider, provider_payout_id, amount_minor, currency, state, arrival_at)
        values (
          ${tenant_id}, ${newId()}, ${provider.name}, ${snapshot.id}, ${amount_minor}, ${currency}, 'new',
          to_timestamp(${snapshot.arrival_s}))
        on conflict (provider, provider_payout_id) do update set arrival_at = excluded.arrival_at
        returning id, state, version`,
    )
    const common = { tenant_id, payment_account_id: accountIdOf(provider.name), currency }
    const amount = Math.abs(amount_minor)
    const [to, from] = amount_minor < 0 ? back_from_bank : to_bank
    if (snapshot.booked_ref) {
      await post(tx, {
        ...common,
        purpose: 'payout',
        external_ref: snapshot.booked_ref,
        description: `Payout ${snapshot.id}`,
        legs: transfer(to, from, amount),
      })
    }
    if (snapshot.failure_booked_ref) {
      await post(tx, {
        ...common,
        purpose: 'payout_returned',
        external_ref: snapshot.failure_booked_ref,
        description: `Payout ${snapshot.id} failed`,
        legs: transfer(from, to, amount),
      })
    }
    // A paid payout may still fail. No other change follows these two states.
    const over =
      payout.state === 'failed' || (payout.state === 'paid' && snapshot.status !== 'failed')
    if (over || payout.state === snapshot.status) return
    const version = payout.state === 'new' ? payout.version : payout.version + 1
    await tx.run(sql`
      update payments.payouts set state = ${snapshot.status}, version = ${version}
      where tenant_id = ${tenant_id} and id = ${payout.id}`)
    tx.emit({
      type: 'payout.recorded',
      tenant_id,
      aggregate_type: 'payout',
      aggregate_id: payout.id,
      aggregate_version: version,
      data: {
        intent_id: null,
        operation_id: null,
        resource_id: payout.id,
        order_ref: null,
        amount_minor: amount,
        currency,
        state: snapshot.status,
        reason_code: null,
      },
    })
  })
}
