/** Opens the shipment of what is not shipped yet; an order has one open shipment at most. */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Key } from '../schemas.ts'

export async function openShipment(tx: Tx, { tenant_id, id }: Key): Promise<void> {
  await tx.run(sql`
    insert into commerce.shipments (tenant_id, id, order_id)
    select ${tenant_id}, ${newId()}, ${id}
    where exists (
      select from commerce.order_lines l
      where l.tenant_id = ${tenant_id} and l.order_id = ${id} and l.requires_shipping
        and l.shipped_quantity < l.quantity)
    on conflict do nothing`)
}
