/** Disputes. The money leaves the balance when a dispute opens, and returns when it is won. */
import { invalidRequest, missing } from './api-error.ts'
import { newBalanceTransaction, type Charge, type Dispute } from './objects.ts'
import { stripeId } from './stripe-id.ts'
import type { Work } from './work.ts'

const answer_within_seconds = 7 * 86_400

export function openDispute(
  work: Work,
  charge: Charge,
  inquiry: boolean,
  amount = charge.amount_captured,
): Dispute {
  const id = stripeId('du')
  const { currency } = charge
  const withdrawn = inquiry
    ? []
    : [
        work.book(
          newBalanceTransaction(
            {
              amount: -amount,
              fee: work.config.dispute_fee_minor,
              currency,
              source: id,
              type: 'adjustment',
            },
            work.now_s,
            true,
          ),
        ),
      ]
  const dispute: Dispute = {
    id,
    object: 'dispute',
    amount,
    balance_transactions: withdrawn,
    charge: charge.id,
    created: work.now_s,
    currency,
    evidence_details: { due_by: work.now_s + answer_within_seconds, has_evidence: false },
    is_charge_refundable: inquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: inquiry ? 'warning_needs_response' : 'needs_response',
  }
  work.put('dispute', id, dispute)
  work.put('charge', charge.id, { ...charge, disputed: true })
  work.emit('charge.dispute.created', dispute)
  if (!inquiry) work.emit('charge.dispute.funds_withdrawn', dispute)
  return dispute
}

export function closeDispute(work: Work, id: string, won: boolean): Dispute {
  const dispute = work.get('dispute', id)
  if (!dispute) throw missing('dispute', id)
  const open = dispute.status === 'needs_response' || dispute.status === 'warning_needs_response'
  if (!open) throw invalidRequest('dispute_closed', 'This dispute is closed already.')
  const inquiry = dispute.status === 'warning_needs_response'
  const outcome = won ? 'won' : 'lost'
  const { amount, currency } = dispute
  const returned =
    won && !inquiry
      ? [
          work.book(
            newBalanceTransaction(
              { amount, fee: 0, currency, source: id, type: 'adjustment' },
              work.now_s,
              true,
            ),
          ),
        ]
      : []
  const closed: Dispute = {
    ...dispute,
    balance_transactions: [...dispute.balance_transactions, ...returned],
    status: inquiry ? 'warning_closed' : outcome,
  }
  work.put('dispute', id, closed)
  work.emit('charge.dispute.closed', closed)
  if (returned.length > 0) work.emit('charge.dispute.funds_reinstated', closed)
  return closed
}
