/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const checkoutReference: Reference['members'] = {
  ...ofNoun('Checkout', {
    cart_id: 'The cart that is bought.',
    shipping_address: 'Where it is sent, in place of the address of the cart.',
    billing_address: 'The address of the invoice. Without it, the shipping address.',
    payment: 'How the order is paid.',
    'payment.provider': ['One that is offered. Without it: the usual one.', 'paypal'],
    'payment.account': ['One that is offered: its name, or `platform`.', 'platform'],
  }),
}
