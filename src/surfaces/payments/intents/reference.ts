/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const intentsReference: Reference['members'] = {
  ...ofNoun('CancelPaymentIntent', {
    reason: 'Why the payment is cancelled.',
  }),
  ...ofNoun('PaymentOperation', {
    state: 'Whether the provider has done it.',
  }),
  ...ofNoun('PaymentOperation', {
    type: 'What is done at the provider.',
  }),
  ...ofNoun('PaymentIntent PaymentIntentSummary', {
    'last_error.code': 'The reason.',
    'last_error.decline_code': 'The reason of the bank, as the provider says it.',
  }),
  ...ofNoun('PaymentIntent CreatePaymentIntent PaymentIntentSummary', {
    customer_id: ['The customer who pays; null if none is named.', null],
  }),
  ...ofNoun('AuthorizePaymentIntent', {
    save: ['Whether to keep the payment method for later payments of the customer.', true],
    off_session: ['Whether the payer is absent. For saved payment methods only.', false],
  }),
}
