/** What payments refuses. A payment of another tenant is refused like one that is not there. */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  payment_intent_not_found: { status: 404, title: 'There is no such payment intent' },
  refund_not_found: { status: 404, title: 'There is no such refund' },
  dispute_not_found: { status: 404, title: 'There is no such dispute' },
  ledger_account_not_found: { status: 404, title: 'There is no such ledger account' },
  ledger_transaction_not_found: { status: 404, title: 'There is no such ledger transaction' },
  reconciliation_run_not_found: { status: 404, title: 'There is no such reconciliation run' },
  reconciliation_item_not_found: { status: 404, title: 'There is no such reconciliation item' },
  operation_pending: {
    status: 409,
    title: 'The outcome of an earlier operation on this payment is not known yet',
    retryable: true,
  },
  amount_exceeds_capturable: { status: 409, title: 'The amount exceeds what is authorized' },
  authorization_expired: { status: 409, title: 'The authorization has expired' },
  refund_exceeds_captured: { status: 409, title: 'The refund exceeds what is left of the payment' },
  intent_not_captured: { status: 409, title: 'Nothing was captured that could be refunded' },
  intent_managed: { status: 409, title: 'Another part of the platform manages this payment' },
  payment_refused: { status: 409, title: 'The payment provider refuses this operation' },
  already_resolved: { status: 409, title: 'The item is resolved already' },
  amount_ambiguous: { status: 422, title: 'Give either amount_minor or amount' },
  amount_precision: { status: 422, title: 'The amount has more decimals than its currency' },
  amount_too_small: { status: 422, title: 'The amount is too small' },
  amount_too_large: { status: 422, title: 'The amount is too large' },
  amount_not_representable: { status: 422, title: 'The provider cannot take this exact amount' },
  currency_unknown: { status: 422, title: 'The currency is not accepted' },
  provider_unsupported: { status: 422, title: 'The payment provider is not supported' },
  card_data_refused: { status: 422, title: 'A card number must not be sent here' },
  payment_declined: { status: 422, title: 'The payment was declined' },
  payment_method_invalid: { status: 422, title: 'The payment method does not exist' },
  payment_provider_unavailable: {
    status: 503,
    title: 'The payment provider cannot be reached',
    retryable: true,
  },
} as const

export const problem = problemsOf(errors)
