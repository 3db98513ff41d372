/**
 * Claims due attempts of one lane with a token, and reads all data for rendering them. Attempts of
 * a batch are claimed through the batch, so that a batch that is being written or is paused costs
 * nothing and sends nothing.
 */
import { Type, type Static } from 'typebox'
import { held_tenants, Id, newId, nullable, sql, Time } from '#dodeca/kernel'
import type { Db, Sql, Tx } from '#dodeca/kernel'
import { Channel, Priority } from '../schemas.ts'

export const ClaimedRow = Type.Object({
  tenant_id: Id,
  intent_id: Id,
  channel: Channel,
  target: Type.String(),
  attempt_no: Type.Integer(),
  /** Set by the previous attempt if that attempt failed over. */
  provider: nullable(Type.String()),
  /** The outcome of an earlier attempt is unknown, so no other provider may send it. */
  pinned: Type.Boolean(),
  lane: Type.Integer(),
  batch_id: nullable(Id),
  /** The sender. */
  principal_id: nullable(Id),
  /** The sender's narrow session. */
  session_id: nullable(Id),
  recipient_ref: Type.String(),
  category: Type.String(),
  priority: Priority,
  template_version: Type.String(),
  locale: nullable(Type.String()),
  expires_at: Time,
  created_at: Time,
  /** The notification was cancelled while an attempt was on its way. */
  cancelled: Type.Boolean(),
  data_ref: nullable(Id),
  owner_id: nullable(Id),
  ciphertext: Type.Unsafe<Buffer | null>({}),
  /** The digest whose one message this is. */
  closes_digest: nullable(Id),
})

export type Claimed = Static<typeof ClaimedRow> & { readonly token: string }

/** The data from which a message is made, apart from its attempt. */
export const messageColumns = sql`i.principal_id, i.session_id, i.recipient_ref, i.category, i.priority,
  i.template_version, i.locale, i.expires_at, i.created_at, i.cancelled_at is not null as cancelled,
  i.data_ref, n.owner_id, n.ciphertext, i.closes_digest`

export const messageOf = (attempt: Sql) => sql`
  join notifications.notification_intents i
    on i.tenant_id = ${attempt}.tenant_id and i.id = ${attempt}.intent_id
  left join notifications.notification_inputs n on n.tenant_id = i.tenant_id and n.ref = i.data_ref`

const Due = Type.Object({ lane: Type.Integer(), single: Type.Boolean(), batched: Type.Boolean() })

/** Whether any lane has a due attempt. */
export const somethingDue = sql`
  -- any tenant: a sender sends for all of them
  select exists (
    select from generate_series(0, 3) l (lane), lateral (
      select from notifications.delivery_attempts a
      where a.state = 'pending' and a.batch_id is null and a.lane = l.lane
        and a.next_attempt_at <= kernel.now()
      limit 1) due
  ) or exists (
    select from notifications.notification_batches b, lateral (
      select from notifications.delivery_attempts a
      where a.batch_id = b.id and a.state = 'pending' and a.next_attempt_at <= kernel.now()
      limit 1) due
    where b.state = 'dispatching' and b.completed_at is null)`

/** The lanes that have due attempts. */
export function dueLanes(db: Db): Promise<Static<typeof Due>[]> {
  return db.many(
    Due,
    sql`
      -- any tenant: a sender sends for all of them
      select l.lane, exists (
          select from notifications.delivery_attempts a
          where a.state = 'pending' and a.batch_id is null and a.lane = l.lane
            and a.next_attempt_at <= (select kernel.now())) as single,
        exists (
          select from notifications.notification_batches b
          where b.state = 'dispatching' and b.completed_at is null and b.lane = l.lane) as batched
      from generate_series(0, 3) l (lane)`,
  )
}

const single = (lane: number, many: number) => sql`
  -- any tenant: a worker sends for all of them
  select tenant_id, intent_id, channel, target, attempt_no
  from notifications.delivery_attempts
  where state = 'pending' and batch_id is null and lane = ${lane}
    and next_attempt_at <= (select kernel.now()) and tenant_id <> all (${held_tenants})
  order by next_attempt_at limit ${many} for update skip locked`

/** Each of several batches gets a share, so that a large batch does not delay a small one. */
const batched = (lane: number, many: number) => sql`
  -- any tenant: a worker sends for all of them
  select d.* from (
    select b.id, greatest(1, ${many} / count(*) over ())::int as share
    from notifications.notification_batches b
    where b.state = 'dispatching' and b.completed_at is null and b.lane = ${lane}
      and b.tenant_id <> all (${held_tenants})
    order by b.id limit 50
  ) b
  cross join lateral (
    select tenant_id, intent_id, channel, target, attempt_no
    from notifications.delivery_attempts a
    where a.batch_id = b.id and a.state = 'pending' and a.next_attempt_at <= (select kernel.now())
    order by a.next_attempt_at limit b.share for update skip locked
  ) d`

export type Asked = {
  readonly of: 'single' | 'batched'
  readonly lane: number
  readonly many: number
  readonly lease_seconds: number
}

/**
 * Claims nothing while an operator has paused sending. With `fence`, a pause waits until the claim
 * ends.
 */
export async function claim(
  db: Db,
  fence: (tx: Tx) => Promise<boolean>,
  { of, lane, many, lease_seconds }: Asked,
): Promise<Claimed[]> {
  const token = newId()
  const due = of === 'single' ? single(lane, many) : batched(lane, many)
  try {
    return await db.tx(async tx => {
      const [open, rows] = await Promise.all([fence(tx), take(tx, due, token, lease_seconds)])
      if (!open) throw new Paused()
      return rows.map(row => ({ ...row, token }))
    })
  } catch (error) {
    if (error instanceof Paused) return []
    throw error
  }
}

class Paused extends Error {
  override readonly name = 'Paused'
}

function take(tx: Tx, due: Sql, token: string, lease_seconds: number) {
  return tx.many(
    ClaimedRow,
    sql`
      -- any tenant: a sender sends for all of them
      with due as materialized (${due}),
      taken as (
        update notifications.delivery_attempts a
        set state = 'sending', lease_token = ${token},
          leased_until = now() + make_interval(secs => ${lease_seconds})
        from due d
        where a.tenant_id = d.tenant_id and a.intent_id = d.intent_id and a.channel = d.channel
          and a.target = d.target and a.attempt_no = d.attempt_no
        returning a.tenant_id, a.intent_id, a.channel, a.target, a.attempt_no, a.provider, a.pinned,
          a.lane, a.batch_id
      )
      select t.*, ${messageColumns}
      from taken t ${messageOf(sql`t`)}`,
  )
}
