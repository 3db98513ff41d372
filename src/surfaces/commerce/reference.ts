/** The explanations of this surface in the published document. */
import type { Reference } from '#dodeca/kernel'
import { cartRequestsReference } from './cart-requests/reference.ts'
import { cartsReference } from './carts/reference.ts'
import { catalogReference } from './catalog/reference.ts'
import { checkoutReference } from './checkout/reference.ts'
import { collectionsReference } from './collections/reference.ts'
import { inventoryReference } from './inventory/reference.ts'
import { ordersReference } from './orders/reference.ts'
import { pricesReference } from './prices/reference.ts'
import { returnsReference } from './returns/reference.ts'
import { rulesReference } from './rules/reference.ts'
import { shipmentsReference } from './shipments/reference.ts'

export const reference: Reference = {
  introduction:
    'A shop: products, prices, stock, carts, checkout, orders, shipments and returns. The platform calculates totals and can explain each cent. Two buyers never get the same unit. Money is captured only for confirmed orders.',
  members: {
    ...cartsReference,
    ...cartRequestsReference,
    ...checkoutReference,
    ...ordersReference,
    ...shipmentsReference,
    ...returnsReference,
    ...rulesReference,
    ...catalogReference,
    ...collectionsReference,
    ...inventoryReference,
    ...pricesReference,
    sku: ['The name that the shop gave to one unit of stock.', 'MUG-BLUE'],
    handle: ['The name of the product in addresses.', 'blue-mug'],
    category: ['A path; a list of it includes what is below it.', 'kitchen/mugs'],
    tax_class: ['The class that selects its tax rules.', 'standard'],
    currency: ['A code of ISO 4217.', 'EUR'],
    quantity: ['How many units.', 2],
    attributes: ['Names and values that the shop shows.', { material: 'stoneware' }],
    options: ['The options of this variant.', { colour: 'blue' }],
    tags: ['Words by which the shop groups products.', ['summer', 'new']],
    translations: [
      'Titles and descriptions in other languages, by language.',
      { de: { title: 'Blaue Tasse' } },
    ],
    'query.locale': ['The language of titles and descriptions; `de-AT` also takes `de`.', 'de'],
    file_ids: ['Ids of uploaded files that a buyer of the variant gets.'],
    attribute: [
      'Attributes that products have, as name:value with commas between them. Of several values of one name one is enough. A comma or colon in a name or value follows a backslash.',
      'material:stoneware',
    ],
    option: ['Options that a variant on sale has, written like `attribute`.', 'colour:blue'],
    'query.tags': ['Tags, with commas between them. Products have all of them.', 'summer'],
    collection: ['The key of a collection.', 'gifts'],
    'query.price_from': ['The least price of a product, in the currency of the list.', 1000],
    'query.price_to': ['The highest price of a product, in the currency of the list.', 5000],
    'query.scheduled': ['True: only prices that begin later.'],
    'listProducts.include': ['`facets` adds how many products have each value.'],
    'getOrder.include': ['`calculation` adds how each amount came about.'],
    'path.key': ['The name of the collection in addresses.', 'gifts'],
    in_stock: ['Whether a variant is in stock.'],
    all: [
      'The facets that each product has.',
      [
        { by: 'tag', value: 'gift' },
        { by: 'attribute', name: 'material', value: 'stoneware' },
      ],
    ],
    product_ids: ['The products.'],
    by: ['Whether it is a tag, a category, an attribute or an option.', 'attribute'],
    facets: ['How many products have which tag, category, attribute and option.'],
    complete: ['Whether all products that fit were counted.', true],
    automatic: ['Whether it applies without a code.', false],
    priority: ['Discounts apply from the highest priority, then by code.', 0],
    collections: ['Collections whose products get the discount.', ['gifts']],
    buy_quantity: ['How many units are bought for each time that units are given.', 2],
    get_quantity: ['How many units are given each time: the cheapest ones.', 1],
    times_max: ['How often units are given in one order.', 1],
    min_quantity: ['How many units of its lines an order needs.', 3],
    discounts: ['The codes of the cart, and the discounts that apply without one.'],
    images: ['Ids of uploaded files, the first one for lists.'],
    q: ['The words to search for. A part in quotes is searched exactly.', 'blue mug'],
    state: ['The state.'],
    buyer_erased: ['Whether the account of the buyer was erased, with its address.', false],
    delta: ['How many units are added; a negative number removes units.', 100],
    on_hand: ['Units in the warehouse, including reserved ones.', 100],
    reserved: ['Units that are reserved for orders.', 3],
    available: ['Units that can be ordered.', 97],
    rate_ppm: ['A rate in parts per million: 190000 is 19 %.', 190_000],
    country: ['A code of ISO 3166-1 with two letters.', 'DE'],
    countries: ['The countries it ships to; an empty list means everywhere.', ['DE', 'FR']],
    prices_include_tax: ['Whether prices include tax. Where it is not said, tax is added to them.'],
    effective_from: ['The time from which the price is valid.'],
    compare_at_minor: ['An earlier or recommended price, shown beside the price.', 2499],
    discount_codes: ['The codes that the buyer entered.', ['SPRING10']],
    'Checkout.discount_codes': ['Discount codes, used instead of those of the cart.', ['SPRING10']],
    email: ['The email address of the buyer.', 'mara@example.com'],
    locale: ['The language of the mails about the order, and of its page.', 'de-CH'],
    guest: ['Whether an anonymous account placed the order, and no person has claimed it.', false],
    order_ids: ['The orders that are yours now.'],
    more: ['Whether there may be more of them: call it again.', false],
    previous_buyer_id: ['The anonymous account that placed the order.'],
    shop: ['The id of the tenant, as the link has it.'],
    code: ['The code that buyers enter.', 'SPRING10'],
    pricing_fingerprint: [
      'A fingerprint of everything that the totals were calculated from. Send it with the checkout to order only at these totals.',
      'jZae727K08KaOmKSgOaGzww_XVqGr_PKEgIMkjrcbJI',
    ],
    payment_method: [
      'The id of a payment method of the provider, or of one that you saved; never a card number.',
      'pm_card_visa',
    ],
    save: ['Whether to keep the payment method for your later payments.', true],
    return_url: [
      'The URL to which the provider sends the buyer back.',
      'https://shop.example/back',
    ],
    'OrderNextStep.type': ['What to do.', 'use_stripe_sdk'],
    'OrderNextStep.url': ['Where the browser goes, or null.', null],
    'OrderNextStep.client_secret': [
      'Without a `url`: the secret for `stripe.handleNextAction`.',
      'pi_3Q9x_secret_8s',
    ],
    shipping_method_id: ['One of the shipping methods listed in the cart.', 'parcel'],
    number: ['The number of the order, without gaps in a shop; null before it is confirmed.', 1042],
    reason_code: ['Why, in one word.', 'changed_mind'],
    carrier: ['The carrier.', 'DHL'],
    tracking_number: ['The number by which the carrier knows it.', '00340434161094042557'],
    restocking_fee_minor: ['The fee that is kept back from the refund.', 500],
    received_quantity: ['How many units were received.', 1],
    restock: ['Whether the units go back to stock.', true],
    usage_limit: ['How often the code may be used in total.', 100],
    stackable: [
      'Whether it combines with other discounts. The first one that does not is alone.',
      false,
    ],
    rounding_mode: ['Whether tax is rounded on each line or once on the order.', 'line'],
    capture_policy: ['When the money is taken.', 'on_first_shipment'],
    capture_before_expiry: [
      'Captures the payment of unshipped orders one day before the authorization expires.',
    ],
    return_window_days: ['How long after shipping goods may be returned.', 30],
    max_order_quantity: ['How many units one order may have.', 999],
    weight_grams: ['The weight of one unit.', 350],
  },
}
