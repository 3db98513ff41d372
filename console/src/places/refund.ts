/** Refunds a payment, at its page or at that of its order: up to what is left of it now. */
import { decimalOf } from '../money.ts'
import type { Row } from '../operation.ts'
import type { Action } from '../resource.ts'
import { money } from '../value.tsx'

/** Without what is refunded, and what refunds hold that are not decided yet. */
export function leftOf(row: Row): number {
  const { amount_refunded_minor: refunded, amount_refund_pending_minor: held = 0 } = row
  return Number(row['amount_captured_minor']) - Number(refunded) - Number(held)
}

export const refund: Action = {
  by: 'createRefund',
  hurts: true,
  // To be seen and changed before it is sent.
  from: row => ({
    intent_id: row['id'],
    amount: decimalOf(leftOf(row), String(row['currency'])),
    reason: 'requested_by_customer',
  }),
  notes: row => {
    const { currency } = row
    const [left, all] = [leftOf(row), Number(row['amount_captured_minor'])]
    return { amount: `${money(left, currency)} / ${money(all, currency)}.` }
  },
  says: ({ reply: { amount_minor, currency, state } }) => {
    const amount = money(Number(amount_minor), currency)
    return state === 'succeeded'
      ? { en: `${amount} refunded`, de: `${amount} erstattet` }
      : { en: `${amount} is being refunded`, de: `${amount} wird erstattet` }
  },
}
