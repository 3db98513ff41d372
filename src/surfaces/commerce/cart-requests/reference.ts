/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const cartRequestsReference: Reference['members'] = {
  ...ofNoun('CartPaymentRequest', {
    url: 'The address of the page. Anyone with it can pay there.',
    state: ['A `paid` one has ordered the cart.', 'open'],
    amount_minor: ['The total of the cart, in minor units.', 2975],
    currency: ['The currency of the cart, by ISO 4217.', 'EUR'],
    description: ['What the page and the payment say.', '2 × A thing'],
    return_url: ['Where the payer goes afterwards. Null: the page of the order.', null],
    expires_at: 'Until then the cart can be paid on the page.',
  }),
  ...ofNoun('RequestCartPayment', {
    email: ['The mail address of the order. A guest must send one.', 'ann@example.com'],
    billing_address: 'The address for the invoice of the order, if it is another one.',
    pricing_fingerprint: 'That of the cart as the buyer saw it. Another one is refused.',
    return_url: [
      'Where the payer goes afterwards. Without one: the page of the order.',
      'https://shop.example/thanks',
    ],
    description: 'What the page and the payment say. Without it: the lines of the cart.',
  }),
  ...ofNoun('OrderPageLink', {
    url: 'The address of the page of the order. Anyone with it can see the order.',
  }),
}
