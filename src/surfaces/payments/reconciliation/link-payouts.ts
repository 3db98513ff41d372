/**
 * Records which transactions each payout contains. This comes after all pages of transactions,
 * because the provider lists a payout before the charges that it contains.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { booksOf, type PaymentProvider } from '../provider/port.ts'
import { recordPayoutOf } from '../settlements/record-settlements.ts'
import type { PageResult, Run } from './page-result.ts'

const Unlinked = Type.Object({ balance_transaction_id: Type.String(), payout: Type.String() })
const page_size = 20

export async function linkPayouts(
  { kernel, provider }: Deps,
  run: Run,
  signal: AbortSignal,
): Promise<PageResult> {
  // A payout contains its own transaction, so a linked payout is not found again.
  const payouts = await kernel.db.many(
    Unlinked,
    sql`
      select balance_transaction_id, source_ref as payout
      from payments.settlement_records
      where tenant_id = ${provider.owner_id} and payout_id is null and provider = ${provider.name}
        and kind = 'payout' and source_ref is not null
        and (${run.page_after}::text is null or balance_transaction_id > ${run.page_after}::text)
      order by balance_transaction_id limit ${page_size}`,
  )
  const contents: (readonly [string, string[]])[] = []
  for (const { payout } of payouts) {
    contents.push([payout, await contentOf(provider, payout, signal)])
  }
  const last = payouts.at(-1)?.balance_transaction_id ?? null
  return {
    after: payouts.length === page_size ? last : null,
    compared: 0,
    steps: contents.map(([payout, ids]) => async tx => {
      await recordPayoutOf(tx, provider.name, payout, ids)
      return { fixed: 0, opened: 0 }
    }),
  }
}

async function contentOf(
  provider: PaymentProvider,
  payout: string,
  signal: AbortSignal,
): Promise<string[]> {
  const ids = new Set<string>()
  for (let after: string | undefined; ;) {
    signal.throwIfAborted()
    const { data, has_more } = await booksOf(provider).paidOut(payout, after)
    const before = ids.size
    for (const { id } of data) ids.add(id)
    if (!has_more || data.length === 0) return [...ids]
    if (ids.size === before) throw new Error(`the contents of payout ${payout} do not go on`)
    after = data.at(-1)?.id
  }
}
