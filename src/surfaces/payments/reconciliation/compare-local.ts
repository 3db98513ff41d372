/** The opposite direction: payments in our books that this run did not find at the provider. */
import { Type } from 'typebox'
import { Id, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { openItem } from './open-item.ts'
import type { PageResult, Run } from './page-result.ts'

const Missed = Type.Object({
  tenant_id: Id,
  id: Id,
  provider_handle: Type.String(),
  amount_minor: Type.Integer(),
  currency: Type.String(),
})
const page_size = 500
/** At the edges of the time window the two clocks may differ. */
const edge_seconds = 3600
/** A payer may take this long to approve, and only then the books show the payment. */
const approval_seconds = 3 * 3600

export async function compareLocal({ kernel, provider }: Deps, run: Run): Promise<PageResult> {
  const { books_late_seconds: late } = provider.rules
  const young_seconds = late === 0 ? edge_seconds : edge_seconds + approval_seconds + late
  const missed = await kernel.db.many(
    Missed,
    sql`
      -- any tenant: the provider has one account for all of them
      select tenant_id, id, provider_handle, amount_minor, currency
      from payments.payment_intents
      where provider = ${provider.name} and state in ('authorized', 'captured')
        and provider_handle_at > to_timestamp(${run.from_s + edge_seconds}::float8)
        and provider_handle_at < to_timestamp(
          least(${run.to_s}::float8, ${run.started_s}::float8) - ${young_seconds}::float8)
        and reconciled_in is distinct from ${run.id}::uuid
        and (${run.page_after}::uuid is null or id > ${run.page_after}::uuid)
      order by id limit ${page_size}`,
  )
  return {
    after: missed.length === page_size ? (missed.at(-1)?.id ?? null) : null,
    compared: missed.length,
    steps: missed.map(({ tenant_id, id, provider_handle, amount_minor, currency }) => async tx => {
      const opened = await openItem(tx, {
        tenant_id,
        provider: provider.name,
        discrepancy: 'missing_external',
        external_ref: provider_handle,
        local_ref: id,
        amount_minor,
        currency,
      })
      return { fixed: 0, opened: opened ? 1 : 0 }
    }),
  }
}
