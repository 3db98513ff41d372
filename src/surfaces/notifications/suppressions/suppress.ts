/**
 * Suppresses an address in one tenant, for one category or for all categories. If the address is
 * suppressed already, the first reason stays. Only reasons that let mails of class security pass
 * (a complaint, an unsubscription, by hand) give way to a report that the address does not work.
 */
import { Type } from 'typebox'
import { Id, newId, sql, type Db, type Tx } from '#dodeca/kernel'

export type NewSuppression = {
  readonly tenant_id: string
  readonly hash: Buffer
  readonly channel: string
  readonly category: string
  readonly reason: string
}

/** Allows one mail of class security a day to a bounced address. Returns false for the others. */
export async function takeTrial(
  db: Db,
  { tenant_id, hash, channel }: Pick<NewSuppression, 'tenant_id' | 'hash' | 'channel'>,
): Promise<boolean> {
  const taken = await db.run(sql`
    update notifications.suppressions set retry_at = kernel.now() + interval '1 day'
    where tenant_id = ${tenant_id} and destination_hash = ${hash} and channel = ${channel}
      and reason = 'hard_bounce'
      and coalesce(retry_at, effective_at + interval '1 day') <= kernel.now()`)
  return taken > 0
}

const Made = Type.Object({ id: Id, is_new: Type.Boolean() })

/** Returns the id of the suppression, or null if the address was suppressed already. */
export async function suppress(tx: Tx, what: NewSuppression): Promise<string | null> {
  const { tenant_id, hash, channel, category, reason } = what
  const id = newId()
  const made = await tx.maybe(
    Made,
    sql`
      insert into notifications.suppressions as s
        (tenant_id, id, destination_hash, channel, category, reason)
      values (${tenant_id}, ${id}, ${hash}, ${channel}, ${category}, ${reason})
      on conflict (tenant_id, destination_hash, channel, category) do update
        set reason = excluded.reason, effective_at = kernel.now(), retry_at = null
        where s.reason in ('complaint', 'unsubscribe', 'manual')
          and excluded.reason in ('hard_bounce', 'stop_keyword', 'invalid_destination')
      returning s.id, s.id = ${id} as is_new`,
  )
  if (!made?.is_new) return null
  tx.emit({
    type: 'suppression.created',
    tenant_id,
    aggregate_type: 'suppression',
    aggregate_id: made.id,
    aggregate_version: 1,
    data: { suppression_id: made.id, channel, category, reason },
  })
  return made.id
}
