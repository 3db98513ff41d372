/** Cancels orders that wait in an open digest. The others become a message without them. */
import { Type } from 'typebox'
import { Id, nullable, sql, type Sql, type Tx } from '#dodeca/kernel'
import { announce } from '../sending/announce.ts'

const Cancelled = Type.Object({
  tenant_id: Id,
  intent_id: Id,
  category: Type.String(),
  template_version: Type.String(),
  version: Type.Integer(),
  emits: Type.Boolean(),
  traceparent: nullable(Type.String()),
  channels: Type.Array(Type.String()),
})

/**
 * False if the digest is closed: the message that contains its orders may be on its way. The lock
 * is taken before that of the order, as by the transaction that closes the digest.
 */
export async function holdDigest(tx: Tx, tenant_id: string, id: string): Promise<boolean> {
  const open = await tx.run(sql`
    select from notifications.digests
    where tenant_id = ${tenant_id} and id = ${id} and state = 'open' for update`)
  return open > 0
}

/** `which` selects orders `m` in digests that the caller has locked or is about to delete. */
export async function cancelMembers(tx: Tx, which: Sql): Promise<void> {
  const cancelled = await tx.many(
    Cancelled,
    sql`
      with ended as (
        update notifications.notification_intents m
        set state = 'cancelled', updated_at = kernel.now(), events = m.events + m.emits::int
        where ${which} and m.state = 'held' and m.digest_id is not null
        returning m.tenant_id, m.id as intent_id, m.digest_id, m.category, m.template_version,
          m.events as version, m.emits, m.traceparent
      ),
      fewer as (
        update notifications.digests d set total = d.total - e.many
        from (select tenant_id, digest_id, count(*)::int as many from ended group by 1, 2) e
        where d.tenant_id = e.tenant_id and d.id = e.digest_id
      )
      select e.tenant_id, e.intent_id, e.category, e.template_version, e.version, e.emits,
        e.traceparent, array(select jsonb_array_elements_text(d.order_of -> 'channels')) as channels
      from ended e
      join notifications.digests d on d.tenant_id = e.tenant_id and d.id = e.digest_id`,
  )
  for (const one of cancelled) {
    if (one.emits) announce(tx, { ...one, state: 'cancelled', error_code: 'cancelled' })
  }
}
