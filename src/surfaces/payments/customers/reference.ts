/** What the members of customers and of their saved payment methods are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const customersReference: Reference['members'] = {
  ...ofNoun('Customer', {
    account_id: ['The account of the customer. Only the account itself sets it.', null],
    version: 'Increases with every change of the customer.',
  }),
  ...ofNoun('Customer CreateCustomer ChangeCustomer', {
    email: ['The mail address of the customer.', 'ann@example.com'],
    name: ['The name of the customer.', 'Ann Example'],
    locale: ['The language of the customer.', 'de-DE'],
    address: ['The address of the customer.', null],
    tax_id: ['The tax number of the customer.', 'DE123456789'],
  }),
  ...ofNoun('CustomerAddress', {
    line1: ['The street and house number of the customer.', 'Main Street 1'],
    line2: ['A second line of the address of the customer.', null],
    city: ['The city of the customer.', 'Berlin'],
    region: ['The region or state of the customer.', null],
    postal_code: ['The postal code of the customer.', '10115'],
    country: ['The country of the customer, by ISO 3166-1.', 'DE'],
  }),
  ...ofNoun('PaymentMethod', {
    customer_id: 'The customer that pays with it.',
    account_id: ['The account of that customer; null if they have none.', null],
    provider: ['The provider that has kept it.', 'stripe'],
    payment_account_id: [
      'Your own payment account that has kept it. Null is the account of the platform.',
      null,
    ],
    method: ['What kind of payment method it is.', 'card'],
    brand: ['The brand of the card.', 'visa'],
    last4: ['The last digits of the card.', '4242'],
    exp: ['The last month in which it can be used.', '2034-12'],
    state: ['A `detached` one is charged no more.', 'active'],
    version: 'Increases when it is detached.',
  }),
}
