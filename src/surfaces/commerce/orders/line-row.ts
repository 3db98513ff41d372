/** The lines of an order, as its buyer accepted them. */
import { type Static, Type } from 'typebox'
import { Amount, Id, sql, type Reader } from '#dodeca/kernel'
import { Currency, Quantity, Short, Sku, type Key } from '../schemas.ts'

export const OrderLine = Type.Object(
  {
    id: Id,
    line_no: Type.Integer(),
    sku: Sku,
    product_id: Id,
    product_description: Type.String(),
    quantity: Quantity,
    accepted_unit_price_minor: Amount,
    subtotal_minor: Amount,
    discount_minor: Amount,
    tax_minor: Amount,
    total_minor: Amount,
    currency: Currency,
    price_version_id: Id,
    tax_breakdown: Type.Array(
      Type.Object({
        name: Short,
        rate_ppm: Type.Integer(),
        amount_minor: Amount,
        tax_rule_version: Type.Integer(),
      }),
    ),
    shipped_quantity: Type.Integer(),
    returned_quantity: Type.Integer(),
  },
  { title: 'OrderLine' },
)
export type OrderLine = Static<typeof OrderLine>

export const LineRow = Type.Object({
  ...OrderLine.properties,
  requires_shipping: Type.Boolean(),
  track_inventory: Type.Boolean(),
  refunded_quantity: Type.Integer(),
})
export type LineRow = Static<typeof LineRow>

export function linesOf(reader: Reader, { tenant_id, id }: Key): Promise<LineRow[]> {
  return reader.many(
    LineRow,
    sql`
      select id, line_no, sku, product_id, product_description, quantity,
        accepted_unit_price_minor, subtotal_minor, discount_minor, tax_minor, total_minor,
        currency, price_version_id, tax_breakdown, requires_shipping, track_inventory,
        shipped_quantity, returned_quantity, refunded_quantity
      from commerce.order_lines
      where tenant_id = ${tenant_id} and order_id = ${id} order by line_no`,
  )
}
