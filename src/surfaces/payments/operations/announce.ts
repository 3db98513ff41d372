/**
 * Events of a payment. Each event increments the payment's version, so that consumers see the
 * changes in order.
 */
import type { Tx } from '#dodeca/kernel'
import type { events } from '../events.ts'
import type { IntentRow } from './rows.ts'

export type Announcement = {
  readonly type: Exclude<keyof typeof events, 'payment_account.changed'>
  readonly version: number
  readonly state: string
  readonly operation_id: string | null
  readonly amount_minor: number
  readonly reason_code?: string | null
  readonly resource_id?: string | null
}

export function announce(
  tx: Tx,
  intent: Pick<IntentRow, 'tenant_id' | 'id' | 'order_ref' | 'currency'>,
  given: Announcement,
): void {
  tx.emit({
    type: given.type,
    tenant_id: intent.tenant_id,
    aggregate_type: 'payment_intent',
    aggregate_id: intent.id,
    aggregate_version: given.version,
    data: {
      intent_id: intent.id,
      operation_id: given.operation_id,
      resource_id: given.resource_id ?? null,
      order_ref: intent.order_ref,
      amount_minor: given.amount_minor,
      currency: intent.currency,
      state: given.state,
      reason_code: given.reason_code ?? null,
    },
  })
}
