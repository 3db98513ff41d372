/**
 * Brings intents to the state that their attempts say, in the commit that changed an attempt, and announces
 * it. The rows are locked first and in one order, so that of two channels that finish at once the second
 * sees the first.
 *
 * | the newest attempts of its channels                 | the intent          |
 * | --------------------------------------------------- | ------------------- |
 * | one is pending, sending or unknown                  | processing, or held |
 * | one is delivered or complained                      | delivered           |
 * | one is accepted                                     | sent                |
 * | one is failed or bounced                            | failed              |
 * | one is cancelled                                    | cancelled           |
 * | all are skipped because of the time                 | expired             |
 * | all are skipped                                     | suppressed          |
 */
import { Type } from 'typebox'
import { Id, nullable, sql, type Tx } from '#dodeca/kernel'
import { announce, announced_states } from './announce.ts'

const Settled = Type.Object({
  tenant_id: Id,
  intent_id: Id,
  category: Type.String(),
  template_version: Type.String(),
  state: Type.String(),
  channels: Type.Array(Type.String()),
  error_code: nullable(Type.String()),
  version: Type.Integer(),
  emits: Type.Boolean(),
  closes_digest: nullable(Id),
  traceparent: nullable(Type.String()),
})

const columns = { tenant_id: 'uuid', intent_id: 'uuid' }

export type IntentKey = { readonly tenant_id: string; readonly intent_id: string }

/** Locked in one order, so that transactions that lock several rows never deadlock. */
export async function lockIntents(tx: Tx, keys: readonly IntentKey[]): Promise<void> {
  if (keys.length === 0) return
  await tx.run(sql`
    select from notifications.notification_intents i
    where (i.tenant_id, i.id) in (
      select k.tenant_id, k.intent_id from ${sql.table(keys, columns)} k)
    order by i.tenant_id, i.id for update`)
}

export async function settleIntents(tx: Tx, keys: readonly IntentKey[]): Promise<void> {
  if (keys.length === 0) return
  await lockIntents(tx, keys)
  const settled = await tx.many(
    Settled,
    sql`
      with wanted as (
        select distinct w.* from ${sql.table(keys, columns)} w
      ),
      standing as (
        select w.tenant_id, w.intent_id, array_agg(distinct a.channel) as channels,
          case
            when bool_or(a.state in ('pending', 'sending', 'unknown')) then
              case when bool_and(a.state = 'pending' and a.attempt_no = 1
                and a.next_attempt_at > kernel.now() or a.state not in ('pending', 'sending', 'unknown'))
                and not bool_or(a.state in ('accepted', 'delivered')) then 'held' else 'processing' end
            when bool_or(a.state in ('delivered', 'complained')) then 'delivered'
            when bool_or(a.state = 'accepted') then 'sent'
            when bool_or(a.state in ('failed', 'bounced')) then 'failed'
            when bool_or(a.state = 'cancelled') then 'cancelled'
            when bool_and(a.error_code in ('expired', 'quiet_hours_past_expiry')) then 'expired'
            else 'suppressed'
          end as state,
          min(a.error_code) filter (where a.error_code is not null) as error_code
        from wanted w
        join notifications.delivery_attempts a
          on a.tenant_id = w.tenant_id and a.intent_id = w.intent_id
        where a.state <> 'deferred'
        group by w.tenant_id, w.intent_id
      ),
      settled as (
        update notifications.notification_intents i
        set state = t.state, updated_at = (select kernel.now()),
          events = i.events + (i.emits and t.state = any(${announced_states}))::int
        from standing t
        where i.tenant_id = t.tenant_id and i.id = t.intent_id and i.state <> t.state
          and i.state not in ('failed', 'suppressed', 'cancelled', 'expired')
          and not (i.state = 'delivered' and t.state <> 'failed')
        returning i.tenant_id, i.id as intent_id, i.category, i.template_version, i.state, t.channels,
          t.error_code, i.events as version, i.emits, i.closes_digest, i.traceparent
      )
      -- Only what the code below uses: the recipients of a large batch emit nothing.
      select * from settled where emits or closes_digest is not null`,
  )
  for (const one of settled) {
    if (one.emits && announced_states.includes(one.state)) announce(tx, one)
  }
  await settleMembers(tx, settled)
}

type Closing = {
  readonly tenant_id: string
  readonly state: string
  readonly closes_digest: string | null
}

/** When the digest's message ends, each order in the digest gets the state of that message. */
export async function settleMembers(tx: Tx, settled: readonly Closing[]): Promise<void> {
  const closing = settled.filter(
    one => one.closes_digest !== null && announced_states.includes(one.state),
  )
  if (closing.length === 0) return
  await tx.run(sql`
    update notifications.notification_intents m
    set state = d.state, updated_at = (select kernel.now())
    from ${sql.table(closing, { tenant_id: 'uuid', closes_digest: 'uuid', state: 'text' })} d
    where m.tenant_id = d.tenant_id and m.digest_id = d.closes_digest
      and m.state not in ('cancelled', 'suppressed', 'delivered')`)
}
