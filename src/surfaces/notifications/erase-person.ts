/**
 * Erases a person. The person's key is deleted first, so that their addresses and the data of their
 * notifications become unreadable everywhere. Then the rows are deleted. The only remaining record
 * of a notification is that it existed.
 */
import type { Tx } from '../../kernel/database/db.ts'
import { sql } from '../../kernel/database/sql.ts'
import type { Deps } from './deps.ts'
import { settleIntents } from './sending/settle-intents.ts'
import { Type } from 'typebox'
import { Id } from '../../kernel/http/shapes.ts'

const Open = Type.Object({ tenant_id: Id, intent_id: Id })

export async function erasePerson(
  tx: Tx,
  { vault }: Pick<Deps, 'vault'>,
  { tenant_id, user_id }: { readonly tenant_id: string; readonly user_id: string },
): Promise<void> {
  const ref = `user:${user_id}`
  await vault.destroy(tx, { tenant_id, owner_id: user_id })
  const open = await tx.many(
    Open,
    sql`
      with ended as (
        update notifications.delivery_attempts a
        set state = 'cancelled', error_code = 'cancelled', next_attempt_at = null
        from notifications.notification_intents i
        where i.tenant_id = ${tenant_id} and i.recipient_ref = ${ref}
          and a.tenant_id = i.tenant_id and a.intent_id = i.id and a.state = 'pending'
        returning a.tenant_id, a.intent_id
      )
      select distinct tenant_id, intent_id from ended`,
  )
  await settleIntents(tx, open)
  await tx.run(sql`
    update notifications.delivery_attempts a set masked = null, destination_hash = null
    from notifications.notification_intents i
    where i.tenant_id = ${tenant_id} and i.recipient_ref = ${ref}
      and a.tenant_id = i.tenant_id and a.intent_id = i.id`)
  await tx.run(sql`
    delete from notifications.notification_inputs
    where tenant_id = ${tenant_id} and owner_id = ${user_id}`)
  await tx.run(sql`
    update notifications.notification_intents set metadata = null, dedupe_key = null
    where tenant_id = ${tenant_id} and recipient_ref = ${ref}`)
  await tx.run(sql`
    delete from notifications.destinations d
    using notifications.destinations own
    where own.tenant_id = ${tenant_id} and own.user_id = ${user_id}
      and d.tenant_id = own.tenant_id and d.destination_hash = own.destination_hash`)
  await tx.run(sql`
    delete from notifications.preference_sets where tenant_id = ${tenant_id} and user_id = ${user_id}`)
  await tx.run(sql`
    delete from notifications.inbox_items where tenant_id = ${tenant_id} and user_id = ${user_id}`)
  await tx.run(sql`
    delete from notifications.inboxes where tenant_id = ${tenant_id} and user_id = ${user_id}`)
  await tx.run(sql`
    delete from notifications.dedupe_windows
    where tenant_id = ${tenant_id} and recipient_ref = ${ref}`)
  await tx.run(sql`
    delete from notifications.digests where tenant_id = ${tenant_id} and recipient_ref = ${ref}`)
}
