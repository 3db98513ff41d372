/** The place of commerce: orders, products, stock, returns and price rules. */
import { decimalOf } from '../money.ts'
import { plain, type Row } from '../operation.ts'
import { OnSale } from '../panels/on-sale.tsx'
import { resource, type Offer, type Place } from '../resource.ts'
import { may, me } from '../session.ts'
import { isId, money } from '../value.tsx'
import { leftOf, refund } from './refund.ts'

/** What is not shipped yet. */
function restOf({ lines }: Row): Row {
  const rest = (lines as readonly Row[]).map(line => ({
    order_line_id: line['id'],
    quantity: Number(line['quantity']) - Number(line['shipped_quantity']),
  }))
  return { lines: rest.filter(({ quantity }) => quantity > 0) }
}

/** The variants of a product whose prices its page shows. */
const prices_max = 10

function paymentOf(row: Row): Row {
  return (row['payment'] ?? {}) as Row
}

const intentsOf = (row: Row) => [paymentOf(row)['intent_id']].filter(isId)

/** What the buyer has, and does not return already. */
function returnableOf({ id, lines }: Row): Row {
  const all = (lines as readonly Row[]).map(line => ({
    order_line_id: line['id'],
    quantity: Number(line['shipped_quantity']) - Number(line['returned_quantity']),
  }))
  return { order_id: id, lines: all.filter(({ quantity }) => quantity > 0) }
}

/** What was paid for each line, to be refunded. */
function amountsOf(order: Row): readonly Offer[] {
  // A refund has an amount and no lines: what no longer fits has been refunded.
  const left = leftOf(paymentOf(order))
  return (order['lines'] as readonly Row[]).flatMap(({ sku, quantity, total_minor, currency }) => {
    const [minor, code] = [Number(total_minor), plain(currency)]
    const label = `${plain(sku)} × ${plain(quantity)}: ${money(minor, code)}`
    return minor > 0 && minor <= left ? [{ label, given: { amount: decimalOf(minor, code) } }] : []
  })
}

function linesOf({ lines }: Row): Readonly<Record<string, string>> {
  const all = (lines ?? []) as readonly Row[]
  return Object.fromEntries(
    all.map(line => [plain(line['id']), plain(line['title'] ?? line['sku'])]),
  )
}

export const commerce: Place = {
  name: 'commerce',
  title: { en: 'Commerce', de: 'Handel' },
  resources: [
    resource({
      name: 'orders',
      title: { en: 'Orders', de: 'Bestellungen' },
      list: 'listOrders',
      read: 'getOrder',
      columns: [
        'number',
        'state',
        'payment_state',
        'total_minor',
        'buyer_erased',
        'created_at',
        'id',
      ],
      events: ['order.', 'payment.', 'refund.'],
      actions: [
        {
          ...refund,
          when: row => intentsOf(row).length > 0 && leftOf(paymentOf(row)) > 0,
          needs: 'payments.intents.read',
          about: { read: 'getPaymentIntent', path: row => ({ id: intentsOf(row)[0] ?? '' }) },
          offers: amountsOf,
        },
        { by: 'shipOrder', in: ['confirmed'], from: restOf, calls: linesOf },
        {
          by: 'requestReturn',
          when: row => row['buyer_id'] === me().id && (returnableOf(row)['lines'] as []).length > 0,
          from: returnableOf,
          calls: linesOf,
        },
        {
          by: 'cancelOrder',
          hurts: true,
          in: ['pending', 'confirmed'],
          when: ({ buyer_id }) => buyer_id === me().id || may('commerce.orders.cancel_any'),
        },
      ],
      related: [
        {
          title: { en: 'Refunds', de: 'Erstattungen' },
          list: 'listRefunds',
          filter: 'intent_id',
          of: intentsOf,
          columns: ['state', 'amount_minor', 'reason', 'created_at'],
          opens: 'payments/refunds',
        },
      ],
    }),
    resource({
      name: 'products',
      title: { en: 'Products', de: 'Produkte' },
      list: 'listProducts',
      read: 'getProduct',
      create: 'createProduct',
      begins: { state: 'draft' },
      top: OnSale,
      columns: ['title', 'state', 'handle', 'price_from', 'in_stock', 'category', 'id'],
      events: ['product.', 'price.'],
      actions: ['changeProduct'],
      related: [
        {
          title: { en: 'Prices', de: 'Preise' },
          list: 'listPriceVersions',
          filter: 'sku',
          of: ({ variants }) =>
            (variants as readonly Row[]).slice(0, prices_max).map(({ sku }) => plain(sku)),
          columns: ['sku', 'amount_minor', 'effective_from'],
          opens: 'commerce/prices',
        },
      ],
    }),
    resource({
      name: 'stock',
      title: { en: 'Stock', de: 'Bestand' },
      list: 'listInventory',
      read: 'getInventoryItem',
      key: ['sku'],
      columns: ['sku', 'available', 'reserved', 'on_hand'],
      events: ['order.', 'return.'],
      actions: ['adjustInventory'],
    }),
    resource({
      name: 'returns',
      title: { en: 'Returns', de: 'Rückgaben' },
      list: 'listReturns',
      read: 'getReturn',
      create: 'requestReturn',
      columns: ['state', 'order_id', 'refund', 'note', 'created_at', 'id'],
      events: ['return.', 'refund.'],
      actions: [
        { by: 'approveReturn', in: ['requested'] },
        { by: 'rejectReturn', hurts: true, in: ['requested'] },
        { by: 'receiveReturn', in: ['approved'] },
        { by: 'retryRefund', in: ['refund_failed'] },
        {
          by: 'cancelReturn',
          hurts: true,
          in: ['requested', 'approved'],
          // Only its buyer cancels a return. Without this permission all rows are the caller's own.
          when: () => !may('commerce.orders.read_any'),
        },
      ],
    }),
    resource({
      name: 'shipments',
      title: { en: 'Shipments', de: 'Sendungen' },
      list: 'listShipments',
      columns: ['state', 'carrier', 'tracking_number', 'order_id', 'created_at', 'id'],
      events: ['order.'],
      actions: ['confirmDelivery', { by: 'reportLostShipment', hurts: true }],
    }),
    resource({
      name: 'carts',
      title: { en: 'My carts', de: 'Meine Warenkörbe' },
      list: 'listCarts',
      read: 'getCart',
      create: 'openCart',
      columns: ['id', 'state', 'currency', 'order_id', 'updated_at'],
      actions: [
        { by: 'checkOut', in: ['open'], from: ({ id }) => ({ cart_id: id }) },
        'setCartItem',
        'changeCart',
        { by: 'deleteCart', hurts: true, in: ['open'] },
      ],
    }),
    resource({
      name: 'collections',
      title: { en: 'Collections', de: 'Kollektionen' },
      list: 'listProductCollections',
      read: 'getProductCollection',
      create: 'putProductCollection',
      key: ['key'],
      columns: ['key', 'title', 'updated_at'],
      actions: ['putProductCollection', { by: 'deleteProductCollection', hurts: true }],
    }),
    resource({
      name: 'prices',
      title: { en: 'Prices', de: 'Preise' },
      list: 'listPriceVersions',
      create: 'addPriceVersion',
      columns: ['sku', 'amount_minor', 'currency', 'effective_from', 'id'],
      events: ['price.'],
      actions: [],
    }),
    resource({
      name: 'discounts',
      title: { en: 'Discounts', de: 'Rabatte' },
      list: 'listDiscounts',
      read: 'getDiscount',
      create: 'putDiscount',
      key: ['code'],
      columns: ['code', 'state', 'kind', 'rate_ppm', 'amount_minor', 'used', 'ends_at'],
      actions: ['putDiscount'],
    }),
    resource({
      name: 'tax-rules',
      title: { en: 'Tax rules', de: 'Steuersätze' },
      list: 'listTaxRules',
      read: 'getTaxRule',
      create: 'putTaxRule',
      columns: ['name', 'state', 'country', 'tax_class', 'rate_ppm', 'updated_at'],
      actions: ['putTaxRule'],
    }),
    resource({
      name: 'shipping-methods',
      title: { en: 'Shipping methods', de: 'Versandarten' },
      list: 'listShippingMethods',
      read: 'getShippingMethod',
      create: 'putShippingMethod',
      columns: ['name', 'state', 'countries', 'tax_class', 'updated_at'],
      actions: ['putShippingMethod'],
    }),
    resource({
      name: 'settings',
      title: { en: 'Settings', de: 'Einstellungen' },
      read: 'getCommerceSettings',
      create: 'putCommerceSettings',
      columns: [],
    }),
  ],
}
