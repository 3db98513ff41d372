/**
 * Creates a small shop for each demo tenant: products with variants, prices in two currencies,
 * taxes of three countries, and orders in every state, paid through the provider. A shop that has
 * products is not changed.
 */
import { Type } from 'typebox'
import { newId, sql, type DemoTenant, type Principal } from '#dodeca/kernel'
import { setItem } from './carts/set-item.ts'
import { createProduct } from './catalog/create-product.ts'
import { placeOrder } from './checkout/place-order.ts'
import type { Deps } from './deps.ts'
import { adjust } from './inventory/stock.ts'
import { cancelOrder } from './orders/cancel-order.ts'
import { lockOrder } from './orders/order-row.ts'
import { applyAnswer } from './payments/apply-answer.ts'
import { askPayments } from './payments/ask-payments.ts'
import { findOperation } from './payments/operations.ts'
import { putRecord } from './rules/records.ts'
import { address, goods, records, stories, variantsOf, type Story } from './seed-data.ts'
import { beginShipment } from './shipments/begin-shipment.ts'
import { linesOf } from './orders/line-row.ts'
import { requestReturn } from './returns/request-return.ts'

const Held = Type.Object({ products: Type.Integer() })

export async function seed(deps: Deps, tenants: readonly DemoTenant[]): Promise<string[]> {
  const made: string[] = []
  for (const { id, slug, member } of tenants) {
    const { products } = await deps.kernel.db.one(
      Held,
      sql`
        select count(*)::int as products from commerce.catalog_products where tenant_id = ${id}`,
    )
    if (products > 0) continue
    const buyer = principalOf(member, id)
    await stockShop(deps, buyer)
    made.push(`${goods.length} products of ${slug}`)
    const account = await deps.payments.choose(deps.kernel.db, id, {}, '')
    if (!deps.payments.accepting(account)) continue
    for (const story of stories) await play(deps, buyer, story)
    made.push(`${stories.length} orders of ${slug}`)
  }
  return made
}

function principalOf(id: string, tenant_id: string): Principal {
  return { id, tenant_id, kind: 'account', session_id: null, aal: 'aal1', auth_time: 0 }
}

async function stockShop({ kernel, files }: Deps, actor: Principal): Promise<void> {
  const { tenant_id } = actor
  await kernel.db.tx(async tx => {
    for (const { kind, key, record } of records) {
      const conditions = { if_match: undefined, if_none_match: undefined }
      await putRecord(tx, { tenant_id, kind, key }, record, actor.id, conditions)
    }
    for (const product of goods) {
      const variants = variantsOf(product)
      const { sizes: _sizes, amount_minor: _amount, ...given } = product
      await createProduct(tx, { files }, actor, { ...given, state: 'active', variants })
      for (const [at, { sku }] of variants.entries()) {
        const delta = 12 + ((sku.length * 7 + at * 5) % 60)
        await adjust(tx, { tenant_id, sku, delta, reason: 'received', cause_id: actor.id })
      }
    }
  })
}

/** Moves one order from its cart to the state that its story needs. */
async function play(deps: Deps, principal: Principal, story: Story): Promise<void> {
  const { db } = deps.kernel
  const { tenant_id, id: owner_id } = principal
  const cart = { tenant_id, owner_id, id: newId() }
  const operation_id = newId()
  const key = { value: `seed-${operation_id}`, fingerprint: Buffer.from(operation_id) }
  const order = await db.tx(async tx => {
    for (const [sku, quantity] of story.items) await setItem(tx, deps, cart, sku, quantity)
    return await placeOrder(tx, deps, {
      principal,
      key,
      operation_id,
      guest: null,
      given: {
        cart_id: cart.id,
        shipping_address: address,
        shipping_method_id: 'parcel',
        payment: { payment_method: story.payment_method },
        ...(story.codes ? { discount_codes: [...story.codes] } : {}),
      },
    })
  })
  await settle(deps, operation_id)
  if (story.next === 'cancel') {
    await db.tx(async tx => {
      const locked = await lockOrder(tx, order)
      if (locked) await cancelOrder(tx, deps, locked, 'changed_mind')
    })
  }
  if (story.next === 'ship' || story.next === 'return') await shipAll(deps, principal, order.id)
  if (story.next === 'return') await askReturn(deps, principal, order.id)
}

async function settle(deps: Deps, operation_id: string): Promise<void> {
  const operation = await findOperation(deps.kernel.db, operation_id)
  if (!operation) return
  const answer = await askPayments(deps, operation)
  await deps.kernel.db.tx(tx => applyAnswer(tx, deps, operation_id, answer))
}

async function shipAll(deps: Deps, { id: principal_id, tenant_id }: Principal, id: string) {
  const { db } = deps.kernel
  const operation_id = newId()
  const lines = (await linesOf(db, { tenant_id, id })).map(line => ({
    order_line_id: line.id,
    quantity: line.quantity,
  }))
  const key = { value: `seed-${operation_id}`, fingerprint: Buffer.from(operation_id) }
  const parcel = { carrier: 'DHL', tracking_number: '00340434161094042557' }
  const asked = { order: { tenant_id, id }, lines, ...parcel, principal_id, key, operation_id }
  await db.tx(tx => beginShipment(tx, deps, asked))
  await settle(deps, operation_id)
}

async function askReturn({ kernel: { db } }: Deps, principal: Principal, order_id: string) {
  const { tenant_id, id: buyer_id } = principal
  const [line] = await linesOf(db, { tenant_id, id: order_id })
  if (!line) return
  const given = {
    order_id,
    lines: [{ order_line_id: line.id, quantity: 1, reason_code: 'too_small' }],
  }
  const key = { value: `seed-${order_id}`, fingerprint: Buffer.from(order_id) }
  await db.tx(tx => requestReturn(tx, { tenant_id, buyer_id, key, given }))
}
