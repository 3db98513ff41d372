/**
 * Applies reports of providers to attempts. A report only moves an attempt forward (accepted,
 * delivered, failed, bounced, complained), in whatever order reports arrive. An unknown attempt
 * takes any report. A report that arrives before our own commit is stored as a row, and that
 * transaction applies it.
 */
import { Type } from 'typebox'
import { Id, nullable, sql, type Tx } from '#dodeca/kernel'
import { suppress } from '../suppressions/suppress.ts'
import type { IntentKey } from '../sending/settle-intents.ts'

const Applied = Type.Object({
  tenant_id: Id,
  intent_id: Id,
  channel: Type.String(),
  hash: Type.Unsafe<Buffer | null>({}),
  state: Type.String(),
  destination_id: nullable(Id),
})

const ranks = sql`(values ('accepted', 1), ('delivered', 2), ('failed', 3), ('bounced', 4),
  ('complained', 5)) as r (type, rank)`
const reasons: Readonly<Record<string, string>> = {
  bounced: 'hard_bounce',
  complained: 'complaint',
}

/** The caller has locked these intents and settles them afterwards. */
export async function applyReports(tx: Tx, keys: readonly IntentKey[]): Promise<void> {
  if (keys.length === 0) return
  const applied = await tx.many(
    Applied,
    sql`
      with open as (
        select distinct a.tenant_id, a.intent_id, a.channel, a.target, a.attempt_no, e.provider,
          e.event_id, e.type
        from ${sql.table(keys, { tenant_id: 'uuid', intent_id: 'uuid' })} w
        join notifications.delivery_attempts a
          on a.tenant_id = w.tenant_id and a.intent_id = w.intent_id
        join notifications.provider_events e on not e.applied and e.provider = a.provider and (
          e.provider_message_id = a.provider_message_id
          or e.ref = a.intent_id || '.' || a.channel
            || case a.target when '' then '' else '.' || a.target end)
        where a.state in ('accepted', 'delivered', 'failed', 'bounced', 'complained', 'unknown')
          and a.attempt_no = (select max(l.attempt_no) from notifications.delivery_attempts l
            where l.tenant_id = a.tenant_id and l.intent_id = a.intent_id and l.channel = a.channel
              and l.target = a.target and l.state not in ('pending', 'sending', 'deferred'))
      ),
      marked as (
        update notifications.provider_events e
        set applied = true, tenant_id = o.tenant_id, intent_id = o.intent_id
        from open o where e.provider = o.provider and e.event_id = o.event_id
      ),
      highest as (
        select distinct on (o.tenant_id, o.intent_id, o.channel, o.target) o.*, r.rank
        from open o join ${ranks} on r.type = o.type
        order by o.tenant_id, o.intent_id, o.channel, o.target, r.rank desc
      )
      update notifications.delivery_attempts a
      set state = h.type, updated_at = kernel.now(), next_attempt_at = null,
        error_code = case when h.type in ('failed', 'bounced') then 'content_rejected'
          when h.type = 'complained' then a.error_code end
      from highest h
      where a.tenant_id = h.tenant_id and a.intent_id = h.intent_id and a.channel = h.channel
        and a.target = h.target and a.attempt_no = h.attempt_no
        and h.rank > coalesce((select r.rank from ${ranks} where r.type = a.state), 0)
      returning a.tenant_id, a.intent_id, a.channel, a.destination_hash as hash, a.state,
        a.destination_id`,
  )
  for (const { tenant_id, channel, hash, state } of applied) {
    const reason = reasons[state]
    if (reason === undefined || hash === null) continue
    await suppress(tx, { tenant_id, hash, channel, category: '*', reason })
  }
}
