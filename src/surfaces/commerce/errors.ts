/**
 * The errors of commerce. An object of another tenant or buyer gets the same error as a missing
 * object.
 */
import { problemsOf } from '#dodeca/kernel'
import { payment_errors } from './checkout/payment-errors.ts'

export const errors = {
  product_not_found: {
    status: 404,
    title: 'There is no such product',
    cause: 'No product that you may see has this id.',
    cure: 'Find the id with `GET /v1/products`.',
  },
  sku_not_found: {
    status: 404,
    title: 'There is no such SKU',
    cause: 'No product of the shop has a variant with this SKU.',
    cure: 'Find the SKU with `GET /v1/inventory` or in a product.',
  },
  cart_request_not_found: {
    status: 404,
    title: 'The cart has no payment request',
    cause: 'No page on which the cart is paid was created, or a change of its owner ended it.',
    cure: 'Create one with `POST /v1/carts/{cart_id}/payment-request`.',
  },
  cart_not_found: {
    status: 404,
    title: 'There is no such cart',
    cause: 'No cart of yours has this id.',
    cure: 'Find the id with `GET /v1/carts`.',
  },
  order_not_found: {
    status: 404,
    title: 'There is no such order',
    cause: 'No order that you may see has this id.',
    cure: 'Find the id with `GET /v1/orders`.',
  },
  shipment_not_found: {
    status: 404,
    title: 'There is no such shipment',
    cause: 'No shipment that you may see has this id.',
    cure: 'Find the id with `GET /v1/shipments`.',
  },
  return_not_found: {
    status: 404,
    title: 'There is no such return',
    cause: 'No return that you may see has this id.',
    cure: 'Find the id with `GET /v1/returns`.',
  },
  tax_rule_not_found: {
    status: 404,
    title: 'There is no such tax rule',
    cause: 'No tax rule of the shop has this id.',
    cure: 'Find the id with `GET /v1/tax-rules`.',
  },
  shipping_method_not_found: {
    status: 404,
    title: 'There is no such shipping method',
    cause: 'No shipping method of the shop has this id.',
    cure: 'Find the id with `GET /v1/shipping-methods`.',
  },
  discount_not_found: {
    status: 404,
    title: 'There is no such discount',
    cause: 'No discount of the shop has this code.',
    cure: 'Find the code with `GET /v1/discounts`.',
  },
  collection_not_found: {
    status: 404,
    title: 'There is no such collection',
    cause: 'No collection of the shop has this key.',
    cure: 'Find the key with `GET /v1/product-collections`.',
  },
  handle_taken: {
    status: 409,
    title: 'The handle is taken',
    cause: 'Handles of products are unique in a shop.',
    cure: 'Choose another handle.',
  },
  sku_taken: {
    status: 409,
    title: 'Another variant has this SKU',
    cause: 'A SKU names one variant of one product of the shop.',
    cure: 'Choose another SKU, or change the product that has it.',
  },
  price_version_exists: {
    status: 409,
    title: 'There is a price from this moment already',
    cause: 'A variant has one price for each currency and beginning.',
    cure: 'Choose another `effective_from`.',
  },
  insufficient_inventory: {
    status: 409,
    title: 'There is not enough stock',
    cause: 'Other orders have reserved or bought what was left.',
    cure: 'Lower the quantity, or try again when there is new stock.',
  },
  cart_not_open: {
    status: 409,
    title: 'The cart belongs to an order',
    cause: 'A checkout has turned this cart into an order, so it cannot change.',
    cure: 'Open a new cart with `POST /v1/carts`.',
  },
  pricing_changed: {
    status: 409,
    title: 'The price has changed since it was shown',
    cause: 'Since the totals were shown, a price, a tax, a discount or the shipping has changed.',
    cure: 'Show the new totals in `quote`, and send its `pricing_fingerprint`.',
  },
  order_not_confirmed: {
    status: 409,
    title: 'The order ended before its payment was certain',
    cause:
      'The reservation of the goods had ended, or the order was cancelled. Money that was held is released.',
    cure: 'Check out again with a new `Idempotency-Key`.',
  },
  order_not_cancellable: {
    status: 409,
    title: 'The order cannot be cancelled',
    cause: 'Its goods are on the way, or it has ended.',
    cure: 'Read the state of the order. Request a return after the delivery.',
  },
  order_not_shippable: {
    status: 409,
    title: 'The order cannot be shipped',
    cause: 'The order is not confirmed, or all of it is shipped.',
    cure: 'Read the state and the lines of the order.',
  },
  buyer_erased: {
    status: 409,
    title: 'The buyer of the order was erased',
    cause: 'The account was erased with its address, so the goods cannot be sent.',
    cure: 'Cancel the order, which returns its money. If a part was shipped, refund the rest with `POST /v1/refunds`.',
  },
  order_not_returnable: {
    status: 409,
    title: 'The order cannot be returned',
    cause: 'Only goods that were shipped can be returned, within the time for returns.',
    cure: 'Read the state of the order and of its shipments.',
  },
  pending_order_limit: {
    status: 429,
    title: 'Too many orders wait for their payment',
    cause: 'Each of these orders holds goods until its payment ends.',
    cure: 'Pay or cancel an order that waits, then check out again.',
  },
  proven_address_required: {
    status: 403,
    title: 'The account has no proven address',
    cause: 'Guests have no proven address, and this needs one.',
    cure: 'Prove an address with `POST /v1/email-changes`, then ask again with the new session.',
  },
  order_code_wrong: {
    status: 403,
    title: 'The code is wrong or too old',
    cause:
      'A code is valid for ten minutes, and only for the order to whose address it was mailed.',
    cure: 'Ask for another code on the page of the order.',
  },
  order_in_progress: {
    status: 409,
    title: 'The order has not ended',
    cause: 'Its goods are not shipped yet or a return has not ended, and both need the address.',
    cure: 'Cancel the order, or wait until it has ended.',
  },
  shop_closed: {
    status: 409,
    title: 'The shop is closed',
    cause: 'The organization of the shop is disabled, so pages of its orders are not shown.',
    cure: 'Ask the shop. The page is back when the shop is.',
  },
  shipment_quantity_exceeded: {
    status: 409,
    title: 'More than is left to ship',
    cause: 'Other shipments have taken a part of the line.',
    cure: 'Read `shipped_quantity` of the lines, and ship at most the rest.',
  },
  payment_not_capturable: {
    status: 409,
    title: 'The money of the order cannot be taken',
    cause: 'The money is no longer held, or its capture was declined. Nothing is shipped.',
    cure: 'Read the payment of the order. Cancel the order, or ask the buyer to pay again.',
  },
  capture_pending: {
    status: 409,
    title: 'The money of the order is being taken',
    retryable: true,
    cause: 'Another shipment of the order waits for the capture of its payment.',
    cure: 'Send the same request again after the time in `Retry-After`.',
  },
  return_quantity_exceeded: {
    status: 409,
    title: 'More than was shipped and not yet returned',
    cause: 'A part was returned before, or was never shipped.',
    cure: 'Read the lines of the order, and return at most the rest.',
  },
  image_not_available: {
    status: 422,
    title: 'The image is not available',
    cause: 'A file does not exist, is not yours, has not passed its checks, or is no picture.',
    cure: 'Upload a picture, and wait until its file is `available`.',
  },
  variant_file_not_available: {
    status: 422,
    title: 'A file of a variant is not available',
    cause: 'A file of a variant does not exist, is not yours, or has not passed its checks.',
    cure: 'Upload it for `generic`, and wait until it is `available`.',
  },
  effective_from_in_past: {
    status: 422,
    title: 'A price cannot begin in the past',
    cause: 'Earlier orders keep the price that they have.',
    cure: 'Choose a time in the future, or leave `effective_from` out.',
  },
  currency_unsupported: {
    status: 422,
    title: 'The currency is not supported',
    cause: 'It is no code of ISO 4217, or the shop does not sell in it.',
    cure: 'Choose a currency of the shop settings.',
  },
  quantity_limit: {
    status: 422,
    title: 'More than may be ordered at once',
    cause: 'A line of a cart has an upper limit.',
    cure: 'Lower the quantity.',
  },
  variant_not_purchasable: {
    status: 422,
    title: 'This cannot be bought now',
    cause: 'The product is a draft or archived, or the variant is not on sale.',
    cure: 'Remove it from the cart, or publish the product.',
  },
  cart_line_limit: {
    status: 422,
    title: 'The cart has as many lines as it may have',
    cause: 'A cart has an upper limit of lines (`COMMERCE_CART_LINES`).',
    cure: 'Remove a line, or use a second cart.',
  },
  cart_empty: {
    status: 422,
    title: 'The cart is empty',
    cause: 'A checkout needs at least one line.',
    cure: 'Add an item with `PUT /v1/carts/{cart_id}/items/{sku}`.',
  },
  address_required: {
    status: 422,
    title: 'An address is needed',
    cause: 'Goods are sent, so taxes and shipping depend on the address.',
    cure: 'Send `shipping_address`.',
  },
  payment_required: {
    status: 422,
    title: 'A payment method is needed',
    cause: 'The total is larger than zero.',
    cure: 'Send `payment` with a `payment_method`.',
  },
  price_unavailable: {
    status: 422,
    title: 'There is no price in this currency',
    cause: 'The variant has no price in the currency of the cart at this time.',
    cure: 'Choose another currency, or add a price with `POST /v1/price-versions`.',
  },
  shipping_method_unavailable: {
    status: 422,
    title: 'The shipping method is not available',
    cause: 'The method does not exist, or does not serve this address, weight or total.',
    cure: 'Choose another method of `GET /v1/shipping-methods`.',
  },
  discount_not_applicable: {
    status: 422,
    title: 'A discount code does not apply',
    cause: 'The code is unknown, has ended, is used up, or its conditions are not met.',
    cure: 'Remove the code from the cart.',
  },
  order_total_limit: {
    status: 422,
    title: 'The total is larger than an order may be',
    cause: 'The total of one order has an upper limit (`COMMERCE_ORDER_TOTAL_MAX_MINOR`).',
    cure: 'Split the order.',
  },
  restocking_fee_exceeds_refund: {
    status: 422,
    title: 'The fee is larger than the refund',
    cause: 'The buyer would have to pay for the return.',
    cure: 'Lower the fee.',
  },
  ...payment_errors,
} as const

export const problem = problemsOf(errors)
