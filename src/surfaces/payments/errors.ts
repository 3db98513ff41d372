/**
 * The refusals of payments. A payment of another tenant gets the same refusal as a missing payment.
 */
import { problemsOf } from '#dodeca/kernel'

export const errors = {
  payment_intent_not_found: {
    status: 404,
    title: 'There is no such payment intent',
    cause: 'No payment intent of your tenant has this id.',
    cure: 'Find the id with `GET /v1/payment-intents`.',
  },
  payment_request_not_found: {
    status: 404,
    title: 'There is no such payment request',
    cause: 'No payment request of your tenant has this id.',
    cure: 'Find the id with `GET /v1/payment-requests`.',
  },
  request_not_open: {
    status: 409,
    title: 'The payment request is not open',
    cause: 'It was paid, has expired, was cancelled, or all uses of the link are taken.',
    cure: 'Read its `state`. If the amount is still owed, create a new payment request.',
  },
  order_refused: {
    status: 409,
    title: 'The order cannot be placed',
    cause:
      'What the payment request is for has changed or is not available; `reason` says why. Nothing was taken.',
    cure: 'Go back to the shop, look at the cart, and pay again.',
  },
  payment_page_unavailable: {
    status: 409,
    title: 'There is no payment page',
    cause: 'The payment provider of this deployment cannot be used in a browser.',
    cure: 'Ask the operator to set the publishable key of the provider.',
  },
  refund_not_found: {
    status: 404,
    title: 'There is no such refund',
    cause: 'No refund of your tenant has this id.',
    cure: 'Use the `id` in the reply of `POST /v1/refunds`.',
  },
  dispute_not_found: {
    status: 404,
    title: 'There is no such dispute',
    cause: 'No dispute of your tenant has this id.',
    cure: 'Find the id with `GET /v1/disputes`.',
  },
  ledger_account_not_found: {
    status: 404,
    title: 'There is no such ledger account',
    cause: 'No account that you may see has this id.',
    cure: 'Find the id with `GET /v1/ledger/accounts`.',
  },
  ledger_transaction_not_found: {
    status: 404,
    title: 'There is no such ledger transaction',
    cause: 'No transaction that you may see has this id.',
    cure: 'Find the id with `GET /v1/ledger/transactions`.',
  },
  reconciliation_run_not_found: {
    status: 404,
    title: 'There is no such reconciliation run',
    cause: 'No run has this id.',
    cure: 'Use the `id` in the reply of `POST /v1/reconciliation-runs`.',
  },
  reconciliation_item_not_found: {
    status: 404,
    title: 'There is no such reconciliation item',
    cause: 'No item has this id.',
    cure: 'Find the id with `GET /v1/reconciliation-items`.',
  },
  payment_account_not_found: {
    status: 404,
    title: 'There is no such payment account',
    cause: 'Your tenant has no own payment account of this name.',
    cure: 'Find the name with `GET /v1/payment-accounts`.',
  },
  payment_account_unusable: {
    status: 422,
    title: 'The payment account takes no new payments',
    cause: 'Your tenant has no active account of this name.',
    cure: 'Name an active account, or leave `account` out.',
  },
  payment_account_closed: {
    status: 409,
    title: 'The payment account is closed or closing',
    cause: 'A closing account authorizes nothing more, and a closed one refunds nothing more.',
    cure: 'Create a new payment intent. Refund payments of a closed account at the provider.',
  },
  payment_account_taken: {
    status: 409,
    title: 'The provider account is in use',
    cause: 'Another payment account of the platform has the same account with the provider.',
    cure: 'Delete the other payment account first, or use another account with the provider.',
  },
  payment_account_differs: {
    status: 409,
    title: 'These credentials are of another account with the provider',
    cause: 'Payments of this account may still be open where they were made.',
    cure: 'Create a payment account of another name, then delete this one.',
  },
  payment_account_refused: {
    status: 422,
    title: 'The provider refuses these credentials',
    cause: 'The provider did not accept the key, or the key may not read its own account.',
    cure: 'Check the key, give it the right to read the account, and send it again.',
  },
  operation_pending: {
    status: 409,
    title: 'The outcome of an earlier operation on this payment is not known yet',
    retryable: true,
    cause: 'An authorization, capture or cancellation of this payment is not finished.',
    cure: 'Read the payment until `pending_operation` is null, then decide what to do.',
  },
  amount_exceeds_capturable: {
    status: 409,
    title: 'The amount exceeds what is authorized',
    cause: 'A capture takes at most the amount that is held.',
    cure: 'Send at most `amount_capturable_minor`, or no amount to capture all of it.',
  },
  authorization_expired: {
    status: 409,
    title: 'The authorization has expired',
    cause: 'The bank held the amount until `authorization_expires_at` and has released it.',
    cure: 'Create a new payment intent and authorize it.',
  },
  refund_exceeds_captured: {
    status: 409,
    title: 'The refund exceeds what is left of the payment',
    cause: 'Refunds that succeeded or are pending leave less than this amount.',
    cure: 'Refund at most what the detail names, or send no amount to refund all that is left.',
  },
  balance_insufficient: {
    status: 409,
    title: 'The refund exceeds the balance of the merchant',
    cause: 'Your ledger account would fall further below zero than this deployment allows.',
    cure: 'Refund when captures have raised the balance, or ask the operator of the platform.',
  },
  intent_not_captured: {
    status: 409,
    title: 'Nothing was captured that could be refunded',
    cause: 'Only a captured payment can be refunded.',
    cure: 'Cancel the payment, which releases the held amount; or capture it first.',
  },
  intent_managed: {
    status: 409,
    title: 'Another part of the platform manages this payment',
    cause: 'The payment belongs to an order, which authorizes, captures and cancels it.',
    cure: 'Change the order. A refund is possible with `POST /v1/refunds`.',
  },
  payment_refused: {
    status: 409,
    title: 'The payment provider refuses this operation',
    cause:
      'The provider refused it, or another operation ended the payment first; it had no effect.',
    cure: 'Read `error_code` and the payment, then decide. A retry needs a new `Idempotency-Key`.',
  },
  already_resolved: {
    status: 409,
    title: 'The item is resolved already',
    cause: 'An operator resolved this item before.',
    cure: 'Read the item for who did it and why.',
  },
  already_reversed: {
    status: 409,
    title: 'The transaction is reversed already',
    cause: 'A transaction of the ledger can be reversed once.',
    cure: 'Find the transaction whose `reverses_id` names it. To restore it, reverse that one.',
  },
  amount_ambiguous: {
    status: 422,
    title: 'Give either amount_minor or amount',
    cause: 'The request has both members, or neither.',
    cure: 'Send `amount_minor` (whole minor units) or `amount` (a decimal text), not both.',
  },
  amount_precision: {
    status: 422,
    title: 'The amount has more decimals than its currency',
    cause: 'Amounts are never rounded.',
    cure: 'Round the amount to the decimals of the currency.',
  },
  amount_too_small: {
    status: 422,
    title: 'The amount is too small',
    cause: 'A payment is at least one minor unit.',
    cure: 'Send a larger amount.',
  },
  amount_too_large: {
    status: 422,
    title: 'The amount is too large',
    cause: 'The amount is above the limit of this deployment.',
    cure: 'Send at most the amount that the detail names.',
  },
  amount_not_representable: {
    status: 422,
    title: 'This exact amount cannot be paid in this currency',
    cause: 'The provider counts this currency in larger steps, and amounts are never rounded.',
    cure: 'Round the amount: whole ariary for MGA, ten minor units for BHD, JOD, KWD, OMR and TND.',
  },
  currency_unknown: {
    status: 422,
    title: 'The currency is not accepted',
    cause: 'It is no ISO 4217 code, or this deployment does not accept it.',
    cure: 'Use one of the currencies that the detail names.',
  },
  provider_unsupported: {
    status: 422,
    title: 'The payment provider is not supported',
    cause: 'The member `provider` names a provider that is not connected.',
    cure: 'Send `stripe`, or leave the member out.',
  },
  card_data_refused: {
    status: 422,
    title: 'A card number must not be sent here',
    cause: 'A text or number in the body is a valid card number. The body was not stored.',
    cure: 'Send the id of a payment method that the provider gave to your page, such as `pm_…`.',
  },
  payment_declined: {
    status: 422,
    title: 'The payment was declined',
    cause: 'The bank of the card declined it; `decline_code` says why. Nothing is held.',
    cure: 'Authorize again with another payment method and a new `Idempotency-Key`.',
  },
  payment_method_invalid: {
    status: 422,
    title: 'The payment method does not exist',
    cause: 'The provider does not know this payment method.',
    cure: 'Send the id of a payment method that the provider gave to your page.',
  },
  payment_method_not_found: {
    status: 404,
    title: 'There is no such saved payment method',
    cause: 'You have no saved payment method with this id, or may not see it.',
    cure: 'Find the id with `GET /v1/payment-methods`.',
  },
  payment_method_unsavable: {
    status: 422,
    title: 'The payment method cannot be saved',
    cause: 'The payment provider of this payment keeps no payment methods.',
    cure: 'Send the request without `save`.',
  },
  customer_required: {
    status: 422,
    title: 'It is not known who pays',
    cause: 'A payment method is saved for a customer, and the payment has none.',
    cure: 'Create the payment or the payment request with a `customer_id`.',
  },
  customer_unusable: {
    status: 422,
    title: 'The customer cannot be used here',
    cause: 'Your tenant has no such customer, or only the account of the customer may do this.',
    cure: 'Find the id with `GET /v1/customers`. The account saves its payment methods itself.',
  },
  payment_provider_unavailable: {
    status: 503,
    title: 'The payment provider cannot be reached',
    retryable: true,
    cause: 'Calls to the provider fail, or no provider is configured. Nothing was stored or sent.',
    cure: 'Send the same request with the same `Idempotency-Key` again in some seconds.',
  },
  provider_without_books: {
    status: 409,
    title: 'The payment provider has no books',
    cause: 'The provider of this platform lists no payments and no balances to compare with.',
    cure: 'Compare its statements with `GET /v1/ledger/transactions`.',
  },
} as const

export const problem = problemsOf(errors)

/** Refuses one member of a body. Its code is also the constraint. */
export function refuseMember(code: keyof typeof errors, pointer: string, detail?: string) {
  return problem(code, {
    ...(detail === undefined ? {} : { detail }),
    errors: [{ location: 'body', pointer, constraint: code }],
  })
}
