/** The errors of commerce that a payment causes. */
export const payment_errors = {
  card_data_refused: {
    status: 422,
    title: 'A card number must not be sent here',
    cause: 'A text or number in the body is a valid card number. The body was not stored.',
    cure: 'Send the id of a payment method that the provider gave to your page, such as `pm_…`.',
  },
  amount_not_representable: {
    status: 422,
    title: 'This exact amount cannot be paid in this currency',
    cause:
      'The payment provider counts this currency in larger steps, and totals are never rounded. Nothing was ordered.',
    cure: 'Set prices whose totals with tax are multiples of the step: ten minor units for BHD, JOD, KWD, OMR and TND, whole ariary for MGA.',
  },
  payment_declined: {
    status: 422,
    title: 'The payment was declined',
    cause: 'The bank of the card declined it; `decline_code` says why. Nothing is held.',
    cure: 'Try again with another payment method and a new `Idempotency-Key`.',
  },
  payment_provider_unavailable: {
    status: 503,
    title: 'The payment provider cannot be reached',
    retryable: true,
    cause: 'Calls to the provider fail, or no provider is configured. Nothing was stored or sent.',
    cure: 'Send the same request with the same `Idempotency-Key` again in some seconds.',
  },
  return_url_not_allowed: {
    status: 422,
    title: 'The buyer must not be led to this address',
    cause:
      'The origin of `return_url` is not that of the platform, in `KERNEL_CORS_ORIGINS`, or that of an application of the tenant.',
    cure: 'Ask the operator to add the origin to `KERNEL_CORS_ORIGINS`, or register the shop as an application: `POST /v1/clients`.',
  },
  request_not_open: {
    status: 409,
    title: 'The payment request is not open',
    cause: 'It was paid, has expired, was cancelled, or all uses of the link are taken.',
    cure: 'Read its `state`. If the amount is still owed, create a new payment request.',
  },
  operation_pending: {
    status: 409,
    title: 'The outcome of an earlier operation on this payment is not known yet',
    retryable: true,
    cause: 'An authorization, capture or cancellation of this payment is not finished.',
    cure: 'Read the payment until `pending_operation` is null, then decide what to do.',
  },
  payment_page_unavailable: {
    status: 409,
    title: 'There is no payment page',
    cause: 'The payment provider of this deployment cannot be used in a browser.',
    cure: 'Ask the operator to set the publishable key of the provider.',
  },
} as const
