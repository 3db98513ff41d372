/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const accountsReference: Reference['members'] = {
  ...ofNoun('PaymentAccount', {
    version: 'Increases with every change of the account.',
  }),
  ...ofNoun('PutPaymentAccount.auth', {
    client_id: 'The client id of your app at PayPal.',
    client_secret: 'The secret of your app at PayPal.',
  }),
}
