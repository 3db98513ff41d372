/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const requestsReference: Reference['members'] = {
  ...ofNoun('PaymentOption', {
    account: ['The account at which one pays so: its name, or `platform`.', 'platform'],
    payment_account_id: ['The same account by its id. Null: that of the platform.', null],
    provider: ['Whose form or page the payer sees.', 'stripe'],
  }),
  ...ofNoun('PaymentRequest CreatePaymentRequest', {
    expires_at: 'Until then it can be paid.',
    provider: ['At which alone it may be paid; null for any that is offered.', null],
    locale: ['The language of the page; null: that of the browser.', null],
  }),
  ...ofNoun('PaymentRequest CreatePaymentRequest', {
    return_url: [
      'Where the payer goes from the page after the payment.',
      'https://shop.example/thanks',
    ],
    customer_id: ['The customer who is asked, and who may keep a card; null for anybody.', null],
  }),
  ...ofNoun('CreatePaymentRequest', {
    account: ['The account at which alone it may be paid: its name, or `platform`.', 'platform'],
  }),
  ...ofNoun('AttemptPayment', {
    save: ['Whether the payer wants the card to be kept. Only on a page for a customer.', true],
  }),
}
