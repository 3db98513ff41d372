/**
 * Calls payments for one operation, outside any transaction. The request, the queue, and a process
 * after a crash may repeat the call with the same id. All these calls together have one effect.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseTime, Problem } from '#dodeca/kernel'
import type { PaymentResult, RefundResult } from '../../payments/face.ts'
import type { Deps } from '../deps.ts'
import { findOperation, type OperationRow } from './operations.ts'

export type Certain =
  | { readonly kind: 'payment'; readonly result: PaymentResult }
  | { readonly kind: 'refund'; readonly result: RefundResult }
  /** Refused finally: nothing was begun. */
  | { readonly kind: 'refused'; readonly code: string }

export type Answer =
  | Certain
  /** The outcome is not known, or the operation was not begun: call again. */
  | { readonly kind: 'later'; readonly code: string }

/** A retry takes over only after the longest possible time of one attempt. */
const lease_margin_seconds = 10

/** The lease of a request that uses `askInTime`. */
export function leaseSeconds({ kernel: { settings } }: Deps): number {
  return Math.ceil(settings['commerce.payment_wait_ms'] / 1000) + lease_margin_seconds
}

/** For a request. If the call takes too long for it, the queue applies the outcome. */
export async function askInTime(deps: Deps, operation_id: string): Promise<Answer> {
  const operation = await findOperation(deps.kernel.db, operation_id)
  if (!operation) throw new Error(`there is no operation ${operation_id}`)
  await deps.kernel.fault('commerce.before_ask')
  const wait_ms = deps.kernel.settings['commerce.payment_wait_ms']
  const timer = new AbortController()
  const late = wait(wait_ms, { kind: 'later', code: 'slow' } as const, { signal: timer.signal })
  const asked = askPayments(deps, operation)
  // The promise that loses the race may still fail.
  for (const one of [late, asked]) one.catch(() => {})
  try {
    return await Promise.race([asked, late])
  } finally {
    timer.abort()
  }
}

export async function askPayments(deps: Deps, operation: OperationRow): Promise<Answer> {
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

async function ask({ payments }: Pick<Deps, 'payments'>, one: OperationRow): Promise<Answer> {
  const { tenant_id, id: operation_id, order_id, amount_minor, currency, intent_id } = one
  const named = { operation_id, tenant_id }
  switch (one.type) {
    case 'authorize': {
      const { payment_method, save_method: save, return_url, buyer_id } = one
      const { payment_account: account } = one
      const result = await payments.authorize({
        ...named,
        order_ref: order_id,
        amount_minor,
        currency,
        account,
        payment_method: payment_method ?? '',
        save,
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

/**
 * A capture that conflicts with a running call, with an authorization that has ended, or with a
 * capture outside of the platform. The latter counts as ours if it took the whole amount.
 */
async function afterConflict(
  { payments, kernel }: Deps,
  { tenant_id, authorize_operation_id, amount_minor }: OperationRow,
  code: string,
): Promise<Answer> {
  const held = await payments.get(tenant_id, authorize_operation_id ?? '')
  if (held?.status === 'captured' && held.amount_captured_minor === amount_minor) {
    return { kind: 'payment', result: held }
  }
  const ends = held?.authorization_expires_at ?? null
  const lapsed = ends !== null && parseTime(ends) <= kernel.clock.nowMs()
  const waits = held?.status === 'pending' || (held?.status === 'authorized' && !lapsed)
  return waits ? { kind: 'later', code } : { kind: 'refused', code }
}
