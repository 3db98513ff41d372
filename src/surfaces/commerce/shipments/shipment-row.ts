/** The row of a shipment. */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
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
