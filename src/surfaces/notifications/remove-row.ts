/** Deletes one row by its id. Deleting it again succeeds; an id that never existed gets 404. */
import { Type } from 'typebox'
import { sql, type Sql, type Tx } from '#dodeca/kernel'

const Known = Type.Object({ known: Type.Boolean() })

export async function removeRow(
  tx: Tx,
  at: { readonly tenant_id: string; readonly id: string },
  statement: Sql,
): Promise<'removed' | 'before' | 'absent'> {
  const { tenant_id, id } = at
  if ((await tx.run(statement)) > 0) {
    await tx.run(sql`
      insert into notifications.removed_ids (tenant_id, id) values (${tenant_id}, ${id})
      on conflict do nothing`)
    return 'removed'
  }
  const { known } = await tx.one(
    Known,
    sql`
      select exists (select from notifications.removed_ids
        where tenant_id = ${tenant_id} and id = ${id}) as known`,
  )
  return known ? 'before' : 'absent'
}
