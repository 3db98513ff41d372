/**
 * Posts the provider's fee on a charge. A setting says whether the merchant or the platform pays
 * it. The fees of a tenant's own account are the tenant's.
 */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { accountIdOf } from '../provider/account-key.ts'
import type { BalanceTransaction } from '../provider/port.ts'
import { post, transfer } from './post-transaction.ts'

type Payer = { readonly tenant_id: string; readonly id: string; readonly provider: string }

/** The fee is known at the capture, or later from the provider's books. It is posted once. */
export async function postFee(
  tx: Tx,
  { kernel }: Deps,
  { tenant_id, id, provider }: Payer,
  { id: external_ref, fee_minor, currency }: BalanceTransaction,
): Promise<void> {
  const payment_account_id = accountIdOf(provider)
  const platform_pays =
    payment_account_id === null && kernel.settings['payments.fee_payer'] === 'platform'
  const payer = platform_pays ? 'provider_fees' : 'merchant_balance'
  await post(tx, {
    tenant_id,
    payment_account_id,
    intent_id: id,
    purpose: 'fee',
    external_ref,
    currency,
    description: `Fee of the provider on payment ${id}`,
    legs: transfer(payer, 'provider_clearing', fee_minor),
  })
}
