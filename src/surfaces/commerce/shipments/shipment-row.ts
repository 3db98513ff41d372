/** The row of a shipment, and the function that opens one. */
import { Type } from 'typebox'
import { newId, sql, type Reader, type Sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { Shipment, type Key } from '../schemas.ts'

export const ShipmentRow = Type.Object({ ...Shipment.properties })

export const shipmentColumns = sql`s.id, s.order_id, s.state, s.lines, s.carrier,
  s.tracking_number, s.created_at, s.shipped_at, s.delivered_at`

export async function findShipment(reader: Reader, { tenant_id, id }: Key): Promise<Shipment> {
  const found = await reader.maybe(
    ShipmentRow,
    sql`
      select ${shipmentColumns} from commerce.shipments s
      where s.tenant_id = ${tenant_id} and s.id = ${id}`,
  )
  if (!found) throw problem('shipment_not_found')
  return found
}

export async function openShipment(tx: Tx, { tenant_id, id }: Key): Promise<void> {
  await tx.run(insertShipments(sql`(values (${tenant_id}::uuid, ${id}::uuid, ${newId()}::uuid))`))
}

/**
 * Opens a shipment of all lines that are not shipped yet, for each order of a table (tenant_id,
 * order_id, id of the shipment). An order has at most one open shipment.
 */
export function insertShipments(orders: Sql): Sql {
  return sql`
    insert into commerce.shipments (tenant_id, id, order_id)
    select w.tenant_id, w.id, w.order_id
    from ${orders} w (tenant_id, order_id, id)
    where exists (
      select from commerce.order_lines l
      where l.tenant_id = w.tenant_id and l.order_id = w.order_id and l.requires_shipping
        and l.shipped_quantity < l.quantity)
    on conflict do nothing`
}
