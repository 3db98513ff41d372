/**
 * Asks payments for one operation, outside any transaction. It may be asked again and again under the same
 * id, by the request, the queue and after a crash: all of them are one effect.
 */
import { parseTime } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/errors/problem.ts'
import type { PaymentResult, RefundResult } from '../../payments/face.ts'
import type { Deps } from '../deps.ts'
import type { OperationRow } from './operation-row.ts'

export type Told =
  | { readonly kind: 'payment'; readonly result: PaymentResult }
  | { readonly kind: 'refund'; readonly result: RefundResult }
  /** Refused for good: nothing was begun. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Not known yet, or not begun: ask again. */
  | { readonly kind: 'later'; readonly code: string }

export async function askPayments(deps: Deps, operation: OperationRow): Promise<Told> {
  try {
    return await ask(deps, operation)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.status >= 500) return { kind: 'later', code: error.code }
    if (operation.type !== 'capture' || error.status !== 409) {
      return { kind: 'refused', code: error.code }
    }
    return await afterConflict(deps, operation, error.code)
  }
}

async function ask({ payments }: Pick<Deps, 'payments'>, one: OperationRow): Promise<Told> {
  const { tenant_id, id: operation_id, order_id, amount_minor, currency, intent_id } = one
  const named = { operation_id, tenant_id }
  switch (one.type) {
    case 'authorize': {
      const { payment_method, return_url, buyer_id } = one
      const result = await payments.authorize({
        ...named,
        order_ref: order_id,
        amount_minor,
        currency,
        payment_method: payment_method ?? '',
        return_url,
        buyer_id,
      })
      return { kind: 'payment', result }
    }
    case 'capture': {
      if (intent_id === null) return { kind: 'refused', code: 'not_authorized' }
      const result = await payments.capture({ ...named, intent_id, amount_minor })
      return { kind: 'payment', result }
    }
    case 'refund': {
      if (intent_id === null) return { kind: 'refused', code: 'not_captured' }
      const reason = one.reason ?? 'requested_by_customer'
      const result = await payments.refund({ ...named, intent_id, amount_minor, reason })
      return { kind: 'refund', result }
    }
    case 'void': {
      const authorize_operation_id = one.authorize_operation_id ?? ''
      const reason = one.reason === 'order_cancelled' ? one.reason : 'order_expired'
      const result = await payments.void({ ...named, authorize_operation_id, reason })
      return 'refund_id' in result ? { kind: 'refund', result } : { kind: 'payment', result }
    }
  }
}

/** A capture in conflict: with something under way, which ends, or with an authorization that is gone. */
async function afterConflict(
  { payments, kernel }: Deps,
  { tenant_id, authorize_operation_id }: OperationRow,
  code: string,
): Promise<Told> {
  const held = await payments.get(tenant_id, authorize_operation_id ?? '')
  const ends = held?.authorization_expires_at ?? null
  const lapsed = ends !== null && parseTime(ends) <= kernel.clock.nowMs()
  const waits = held?.status === 'pending' || (held?.status === 'authorized' && !lapsed)
  return waits ? { kind: 'later', code } : { kind: 'refused', code }
}
