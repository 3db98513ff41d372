/** Routes that list stock, and show and adjust the stock of a SKU. */
import { type Static, Type } from 'typebox'
import { closed, oneOf, page, routesOf, sql, text, Version } from '#dodeca/kernel'
import type { Reader, Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Sku } from '../schemas.ts'
import { adjust } from './stock.ts'

const InventoryItem = Type.Object(
  {
    sku: Sku,
    on_hand: Type.Integer(),
    reserved: Type.Integer(),
    available: Type.Integer(),
    version: Version,
  },
  { title: 'InventoryItem' },
)
const Adjust = closed(
  {
    delta: Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 }),
    reason: oneOf('received', 'correction', 'damaged'),
    note: Type.Optional(text(500)),
  },
  { title: 'AdjustInventory' },
)

const path = '/v1/inventory'
const one = `${path}/{sku}` as const
const absent = 'sku_not_found'

const { open, create, list, get } = routesOf<Deps>({
  read: 'commerce.inventory.read',
  write: 'commerce.inventory.adjust',
  added: true,
  absent,
  params: { sku: Sku },
})

export const inventoryRoutes = open({
  listInventory: list(
    path,
    'List the stock of all SKUs, by SKU',
    { item: InventoryItem },
    async ({ tx, principal, list }) => {
      return await page(tx, {
        scope: list,
        row: InventoryItem,
        place: ['sku'],
        fetch: (after, n) => stockAfter(principal.tenant_id, after.sku, n),
      })
    },
  ),

  getInventoryItem: get(
    one,
    'Get the stock of a SKU',
    { tool: 'read', reply: InventoryItem },
    async ({ tx, principal, params }) => {
      const item = await findItem(tx, principal.tenant_id, params.sku)
      return item
    },
  ),

  adjustInventory: create(
    `${one}/adjustments`,
    'Add or remove stock',
    {
      sends: [],
      description: 'Stock that is reserved for orders cannot be taken off.',
      idempotency: 'required',
      body: Adjust,
      reply: InventoryItem,
      fails: ['insufficient_inventory'],
    },
    async ({ tx, principal: { id: cause_id, tenant_id }, params: { sku }, body }) => {
      if (body.delta === 0) {
        throw problem('validation_failed', {
          errors: [{ location: 'body', pointer: '/delta', constraint: 'not_zero' }],
          detail: 'The delta must not be 0.',
        })
      }
      const moved = await adjust(tx, { tenant_id, sku, cause_id, ...body })
      const item = await findItem(tx, tenant_id, sku)
      if (moved) return item
      throw problem('insufficient_inventory', {
        detail: `${item.reserved} of ${item.on_hand} are reserved. Take off at most ${item.available}.`,
        more: { items: [{ sku, requested: -body.delta, available: item.available }] },
      })
    },
  ),
})

async function findItem(
  reader: Reader,
  tenant_id: string,
  sku: string,
): Promise<Static<typeof InventoryItem>> {
  const item = await reader.maybe(
    InventoryItem,
    sql`
      select sku, on_hand, reserved, on_hand - reserved as available, version
      from commerce.inventory_items where tenant_id = ${tenant_id} and sku = ${sku}`,
  )
  if (!item) throw problem(absent)
  return item
}

export function stockAfter(tenant_id: string, sku: string | null, n: number): Sql {
  return sql`
    select sku, on_hand, reserved, on_hand - reserved as available, version
    from commerce.inventory_items
    where tenant_id = ${tenant_id} and (${sku}::text is null or sku > ${sku}::text)
    order by sku limit ${n}`
}
