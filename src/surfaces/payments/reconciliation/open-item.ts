/**
 * An item for an operator: a difference between our books and the provider's. One difference has
 * one open item.
 */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'

export type Disagreement = {
  readonly tenant_id: string
  readonly provider: string
  readonly discrepancy:
    | 'missing_local'
    | 'missing_external'
    | 'amount_mismatch'
    | 'currency_mismatch'
    | 'state_mismatch'
    | 'fee_mismatch'
    | 'duplicate_effect'
    | 'orphan_authorization'
    | 'balance_drift'
    | 'unresolved_operation'
  readonly external_ref: string | null
  readonly local_ref: string | null
  readonly amount_minor: number
  readonly currency: string
  /** The item is recorded although the platform has already corrected the difference. */
  readonly state?: 'open' | 'auto_resolved'
  readonly details?: Readonly<Record<string, unknown>>
  /** An operation waits until the item is resolved. */
  readonly blocks?: boolean
  /** The charge or refund of money that the provider lists twice; it becomes one item. */
  readonly source?: string | null
}

/**
 * Returns true if the item is new. An operator who ignored an item is not asked about the same
 * difference again, unless an operation waits for the answer.
 */
export async function openItem(tx: Tx, one: Disagreement): Promise<boolean> {
  const { tenant_id, discrepancy, amount_minor, currency, state = 'open', blocks = false } = one
  const source = one.source ?? null
  const about = source === null ? {} : { source }
  const details = sql.json({ amount_minor, currency, ...about, ...one.details })
  const made = await tx.maybe(
    Type.Object({ id: Type.String() }),
    sql`
      -- any tenant: the provider's ids are unique
      insert into payments.reconciliation_items (
        tenant_id, id, provider, external_ref, local_ref, state, discrepancy, details, resolved_at)
      select ${tenant_id}, ${newId()}, ${one.provider}, ${one.external_ref}, ${one.local_ref},
        ${state}, ${discrepancy}, ${details}::jsonb,
        case when ${state} = 'auto_resolved' then kernel.now() end
      where (${blocks} or not exists (
        select from payments.reconciliation_items i
        where i.tenant_id = ${tenant_id} and i.provider = ${one.provider}
          and i.discrepancy = ${discrepancy} and i.state = 'ignored'
          and i.external_ref is not distinct from ${one.external_ref}
          and i.local_ref is not distinct from ${one.local_ref}
          and i.details = ${details}::jsonb))
        and not exists (
          select from payments.reconciliation_items i
          where i.provider = ${one.provider} and i.details ->> 'source' = ${source}
            and i.external_ref is distinct from ${one.external_ref})
      on conflict do nothing
      returning id`,
  )
  if (!made) return false
  tx.emit({
    type: 'reconciliation_item.opened',
    tenant_id,
    aggregate_type: 'reconciliation_item',
    aggregate_id: made.id,
    aggregate_version: 1,
    data: {
      intent_id: null,
      operation_id: null,
      resource_id: made.id,
      order_ref: null,
      amount_minor: Math.abs(amount_minor),
      currency,
      state,
      reason_code: discrepancy,
    },
  })
  return true
}
