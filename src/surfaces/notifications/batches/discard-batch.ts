/**
 * Deletes, in portions, a batch that was never acknowledged. None of the batch's messages was sent.
 */
import { sql, type Db } from '#dodeca/kernel'

const portion = 5000

export async function discardBatch(
  db: Db,
  { tenant_id, id }: { readonly tenant_id: string; readonly id: string },
): Promise<void> {
  // First takes the lease, so that no request adds recipients behind this deletion.
  const ours = await db.run(sql`
    update notifications.notification_batches set expand_token = null, expand_until = now()
    where tenant_id = ${tenant_id} and id = ${id} and state = 'expanding'`)
  if (ours === 0) return
  for (;;) {
    const deleted = await db.run(sql`
      with gone as (
        delete from notifications.notification_intents where (tenant_id, id) in (
          select tenant_id, id from notifications.notification_intents
          where tenant_id = ${tenant_id} and batch_id = ${id} limit ${portion})
        returning id, data_ref
      ),
      attempts as (
        delete from notifications.delivery_attempts a using gone
        where a.tenant_id = ${tenant_id} and a.intent_id = gone.id
      ),
      inputs as (
        delete from notifications.notification_inputs n using gone
        where n.tenant_id = ${tenant_id} and n.ref = gone.data_ref
      )
      select from gone`)
    if (deleted < portion) break
  }
  await db.run(sql`
    delete from notifications.data_keys where tenant_id = ${tenant_id} and owner_id = ${id}`)
  await db.run(sql`
    delete from notifications.notification_inputs where tenant_id = ${tenant_id} and owner_id = ${id}`)
  await db.run(sql`
    delete from notifications.notification_batches
    where tenant_id = ${tenant_id} and id = ${id} and state = 'expanding'`)
}
