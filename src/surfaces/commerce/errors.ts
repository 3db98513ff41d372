/**
 * The errors of commerce. An object of another tenant or buyer gets the same error as a missing
 * object.
 */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  product_not_found: { status: 404, title: 'There is no such product' },
  sku_not_found: { status: 404, title: 'There is no such SKU' },
  cart_not_found: { status: 404, title: 'There is no such cart' },
  order_not_found: { status: 404, title: 'There is no such order' },
  shipment_not_found: { status: 404, title: 'There is no such shipment' },
  return_not_found: { status: 404, title: 'There is no such return' },
  tax_rule_not_found: { status: 404, title: 'There is no such tax rule' },
  shipping_method_not_found: { status: 404, title: 'There is no such shipping method' },
  discount_not_found: { status: 404, title: 'There is no such discount' },
  handle_taken: { status: 409, title: 'Another product has this handle' },
  sku_taken: { status: 409, title: 'Another product has this SKU' },
  price_version_exists: { status: 409, title: 'There is a price from this moment already' },
  insufficient_inventory: { status: 409, title: 'There is not enough stock' },
  cart_not_open: { status: 409, title: 'The cart belongs to an order' },
  pricing_changed: { status: 409, title: 'The price has changed since it was shown' },
  order_not_confirmed: { status: 409, title: 'The order ended before its payment was certain' },
  order_not_cancellable: { status: 409, title: 'The order cannot be cancelled' },
  order_not_shippable: { status: 409, title: 'The order cannot be shipped' },
  order_not_returnable: { status: 409, title: 'The order cannot be returned' },
  pending_order_limit: { status: 409, title: 'Too many orders wait for their payment' },
  shipment_quantity_exceeded: { status: 409, title: 'More than is left to ship' },
  payment_not_capturable: { status: 409, title: 'The money of the order cannot be taken' },
  return_quantity_exceeded: { status: 409, title: 'More than was shipped and not yet returned' },
  image_not_available: { status: 422, title: 'The image is not available' },
  effective_from_in_past: { status: 422, title: 'A price cannot begin in the past' },
  currency_unsupported: { status: 422, title: 'The currency is not supported' },
  quantity_limit: { status: 422, title: 'More than may be ordered at once' },
  variant_not_purchasable: { status: 422, title: 'This cannot be bought now' },
  cart_line_limit: { status: 422, title: 'The cart has as many lines as it may have' },
  cart_empty: { status: 422, title: 'The cart is empty' },
  address_required: { status: 422, title: 'An address is needed' },
  payment_required: { status: 422, title: 'A payment method is needed' },
  price_unavailable: { status: 422, title: 'There is no price in this currency' },
  shipping_method_unavailable: { status: 422, title: 'The shipping method is not available' },
  discount_not_applicable: { status: 422, title: 'A discount code does not apply' },
  order_total_limit: { status: 422, title: 'The total is larger than an order may be' },
  restocking_fee_exceeds_refund: { status: 422, title: 'The fee is larger than the refund' },
  card_data_refused: { status: 422, title: 'A card number must not be sent here' },
  payment_declined: { status: 422, title: 'The payment was declined' },
  payment_provider_unavailable: {
    status: 503,
    title: 'The payment provider cannot be reached',
    retryable: true,
  },
} as const

export const problem = problemsOf(errors)
