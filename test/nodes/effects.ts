/**
 * What an acknowledged operation of each surface has to leave behind, read from where it is kept: its row
 * and what follows from it, and how often each is there. A statement returns one row for each operation of
 * a tenant: its id, and how often the rarest and the most frequent of its effects is there (1 is right).
 */
import { Type } from 'typebox'
import { sql, type Db, type Sql } from '#dodeca/kernel'

export type Counts = { readonly id: string; readonly least: number; readonly most: number }

const Row = Type.Object({ id: Type.String(), least: Type.Integer(), most: Type.Integer() })

export type Effects = (db: Db) => Promise<readonly Counts[]>

const counted =
  (statement: (tenant_id: string) => Sql) =>
  (tenant_id: string): Effects =>
  db =>
    db.many(Row, statement(tenant_id))

/**
 * By their names, each of which is asked for once. Identity records no replies, because they hold secrets: a
 * repeat makes another key, which its owner finds in the list.
 */
export const keysOf = counted(
  tenant_id => sql`
    select name as id, count(*)::int as least, 1 as most from identity.api_keys
    where tenant_id = ${tenant_id}
    group by name`,
)

/** A post, and its entry in the feed of a follower. */
export const postsOf = counted(
  tenant_id => sql`
    select p.id::text, count(f.post_id)::int as least, count(f.post_id)::int as most
    from social.posts p
    left join social.feed_entries f
      on f.tenant_id = p.tenant_id and f.post_id = p.id and f.user_id <> p.author_id
    where p.tenant_id = ${tenant_id}
    group by p.id`,
)

export const filesOf = counted(
  tenant_id => sql`
    select u.id::text, count(f.id)::int as least, count(f.id)::int as most
    from uploads.uploads u
    left join uploads.files f
      on f.tenant_id = u.tenant_id and f.upload_id = u.id and f.state = 'available'
    where u.tenant_id = ${tenant_id}
    group by u.id`,
)

export const notificationsOf = counted(
  tenant_id => sql`
    select n.id::text, count(i.id)::int as least, count(i.id)::int as most
    from notifications.notification_intents n
    left join notifications.inbox_items i on i.tenant_id = n.tenant_id and i.intent_id = n.id
    where n.tenant_id = ${tenant_id} and n.category = 'order.updates'
    group by n.id`,
)

/** A message is wrong if its sequence is not the one after that of the message before it. */
export const messagesOf = counted(
  tenant_id => sql`
    select id::text, 1 as least,
      (1 + abs(sequence - row_number() over (partition by conversation_id order by sequence)))::int
        as most
    from chat.messages
    where tenant_id = ${tenant_id}`,
)

/** Each call that succeeded is paid for once; one that a crash ended may have cost nothing. */
export const inferencesOf = counted(
  tenant_id => sql`
    select o.id::text,
      case when o.completed_at is null then 0 when o.state <> 'succeeded' then 1
        else count(u.id) end::int as least,
      count(u.id)::int as most
    from inference.inference_operations o
    left join inference.usage_records u
      on u.tenant_id = o.tenant_id and u.operation_id = o.id and u.run = o.run
        and u.corrects_id is null
    where o.tenant_id = ${tenant_id}
    group by o.tenant_id, o.id`,
)

/** The texts are short: each is one chunk. */
export const documentsOf = counted(
  tenant_id => sql`
    select d.id::text, case when d.state = 'ready' then count(c.id) else 0 end::int as least,
      count(c.id)::int as most
    from retrieval.documents d
    left join retrieval.chunks c on c.tenant_id = d.tenant_id and c.document_id = d.id
    where d.tenant_id = ${tenant_id}
    group by d.tenant_id, d.id`,
)

/** A job may be begun several times; it ends once. */
export const jobsOf = counted(
  tenant_id => sql`
    select j.id::text, count(e.id)::int as least, count(e.id)::int as most
    from jobs.jobs j
    left join jobs.job_events e on e.job_id = j.id and e.type = 'succeeded'
    where j.tenant_id = ${tenant_id}
    group by j.id`,
)

/** Bookings of a captured payment. */
export const capturesOf = counted(
  tenant_id => sql`
    select p.id::text, count(t.id)::int as least, count(t.id)::int as most
    from payments.payment_intents p
    left join payments.ledger_transactions t
      on t.tenant_id = p.tenant_id and t.intent_id = p.id and t.purpose = 'capture'
    where p.tenant_id = ${tenant_id}
    group by p.id`,
)

export const ordersOf = counted(
  tenant_id => sql`
    select id::text, (state in ('confirmed', 'fulfilled'))::int as least, 1 as most from commerce.orders
    where tenant_id = ${tenant_id}`,
)

/** Links, and how often each was visited. */
export const linksOf = counted(
  tenant_id => sql`
    select l.code as id, coalesce(sum(s.clicks + s.bots), 0)::int as least,
      coalesce(sum(s.clicks + s.bots), 0)::int as most
    from links.links l
    left join links.daily_link_stats s on s.domain_id = l.domain_id and s.code = l.code
    where l.tenant_id = ${tenant_id}
    group by l.code`,
)

/** The payments that belong to the orders of a tenant, as its provider knows them. */
export const orderedPayments = (db: Db, tenant_id: string) =>
  db.many(
    Type.Object({ order_id: Type.String(), intent_id: Type.String() }),
    sql`
      select id::text as order_id, intent_id::text from commerce.orders
      where tenant_id = ${tenant_id} and intent_id is not null`,
  )
