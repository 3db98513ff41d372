/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const cartsReference: Reference['members'] = {
  ...ofNoun('Cart CartSummary', {
    state: 'A `locked` cart is being bought, an `ordered` one has become an order.',
  }),
  ...ofNoun('Cart', {
    'discounts.state': 'Whether the discount takes something off.',
    'discounts.reason': 'Why it does not apply; null if it does.',
  }),
  ...ofNoun('CartItem', {
    product_id: 'The product of the unit.',
    title: 'The title of the product, in the language of the cart.',
    unit_price_minor: 'The price of one unit; null if it has none in the currency of the cart.',
    price_version_id: 'The price that was used.',
    subtotal_minor: 'The price of all units.',
    discount_minor: 'What discounts take off.',
    tax_minor: 'The tax on the rest.',
    total_minor: 'What the line costs, with tax.',
    availability: 'Whether so many units are in stock, and the product on sale.',
  }),
  ...ofNoun('Cart CartSummary', {
    order_id: 'The order that the cart has become; null before.',
  }),
  ...ofNoun('Cart', {
    items: 'The lines of the cart.',
    shipping_methods: 'The ways to send it to the address.',
    'shipping_methods.id': 'The name by which the cart chooses it.',
    'shipping_methods.name': 'What the buyer reads.',
    'shipping_methods.amount_minor': 'What it costs for this cart.',
    expires_at: 'When the cart is removed if it is not changed.',
    'discounts.amount_minor': 'What the discount takes off.',
    shipping_address: 'Where it is sent; null until it is known.',
    totals: 'What the cart costs.',
  }),
  ...ofNoun('ChangeCart', {
    shipping_address: 'Where it is sent. Shipping and taxes follow from it.',
  }),
  ...ofNoun('Address GivenAddress', {
    name: 'Who receives it.',
    line1: 'Street and number.',
    line2: 'A second line, such as a floor.',
    city: 'The city.',
    postal_code: 'The postal code.',
    region: 'The state or province, where a country has them.',
  }),
  ...ofNoun('Totals', {
    subtotal_minor: 'The prices of all lines.',
    discount_minor: 'What discounts take off the lines.',
    shipping_minor: 'The price of shipping.',
    shipping_discount_minor: 'What discounts take off shipping.',
    tax_minor: 'The taxes of lines and shipping.',
    total_minor: 'What is paid.',
  }),
}
