/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const requestsReference: Reference['members'] = {
  ...ofNoun('PaymentRequest CreatePaymentRequest', {
    expires_at: 'Until then it can be paid.',
  }),
}
