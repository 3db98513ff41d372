/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const rulesReference: Reference['members'] = {
  ...ofNoun('Discount PutDiscount', {
    tags: 'Products with one of these tags get it.',
  }),
  ...ofNoun('CommerceAudit', {
    violations: 'How many rows break a rule. It should be 0.',
    checks: 'The rules, one by one.',
    'checks.name': 'The name of the rule.',
    'checks.says': 'What must be true.',
    'checks.violations': 'The first rows that break it.',
  }),
  ...ofNoun('Discount PutDiscount', {
    state: 'A `disabled` discount applies to no order.',
  }),
  ...ofNoun('ShippingMethod PutShippingMethod', {
    state: 'A `disabled` method is not offered.',
  }),
  ...ofNoun('TaxRule PutTaxRule', {
    state: 'A `disabled` rule is not used.',
  }),
  ...ofNoun('CommerceSettings PutCommerceSettings', {
    default_currency: 'The currency of lists that name none.',
  }),
  ...ofNoun('CommerceSettings', {
    version: 'Increases with every change of the settings.',
  }),
  ...ofNoun('Discount PutDiscount', {
    kind: 'A share, an amount, free shipping, or units that are given.',
    scope: 'Whether it is taken off the order, or off lines.',
    skus: 'Units that get it. If nothing is named here or below, all do.',
    categories: 'Products of these categories get it, with their subcategories.',
    amount_minor: 'How much it takes off; null for other kinds.',
    min_subtotal_minor: 'The prices that an order needs at least.',
    starts_at: 'From when on it applies.',
    ends_at: 'Until when it applies.',
  }),
  ...ofNoun('Discount', {
    used: 'How many orders have it.',
  }),
  ...ofNoun('ShippingMethod TaxRule', {
    id: 'The name that the shop gave it.',
  }),
  ...ofNoun('ShippingMethod PutShippingMethod', {
    name: 'What the buyer reads.',
    bands: 'What it costs, by the prices of the order.',
    'bands.min_subtotal_minor': 'From these prices on.',
    'bands.amount_minor': 'What it costs then.',
  }),
  ...ofNoun('TaxRule PutTaxRule', {
    name: 'The name of the tax, as invoices show it.',
    region: 'The state or province where it holds; without it, the whole country.',
  }),
}
