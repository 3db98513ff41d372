/**
 * Suppresses the orders of an open digest whose senders have lost the right to send them. The
 * others become a message without them.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, sql, type Tx } from '#dodeca/kernel'
import type { Category } from '../categories/built-in.ts'
import type { People } from '../deps.ts'
import { by_platform } from '../intents/order.ts'
import { readSenders } from '../intents/senders.ts'
import { laneOf, Priority, type Channel } from '../schemas.ts'
import { settleIntents } from '../sending/settle-intents.ts'

const Group = Type.Object({
  principal_id: nullable(Id),
  session_id: nullable(Id),
  priority: Priority,
  many: Type.Integer(),
})
type Group = Static<typeof Group>
const Refused = Type.Object({ tenant_id: Id, intent_id: Id })

type Digest = {
  readonly tenant_id: string
  readonly id: string
  readonly principal_id: string | null
  readonly session_id: string | null
  readonly order_of: { readonly channels: readonly Channel[]; readonly priority: Priority }
  readonly total: number
}
export type Remaining = {
  /** The sender and the priority of the message: those of the first order, if it is still allowed. */
  readonly principal_id: string
  readonly session_id: string | null
  readonly priority: Priority
  readonly total: number
}

/** Null if no order remains. The caller has locked the digest. */
export async function refuseMembers(
  tx: Tx,
  { grantsOf }: Pick<People, 'grantsOf'>,
  digest: Digest,
  category: Category,
): Promise<Remaining | null> {
  const { tenant_id, id } = digest
  const groups = await tx.many(
    Group,
    sql`
      select principal_id, session_id, priority, count(*)::int as many
      from notifications.notification_intents
      where tenant_id = ${tenant_id} and digest_id = ${id} and state = 'held'
      group by principal_id, session_id, priority
      order by min(id::text)`,
  )
  const senders = await readSenders(
    holders => grantsOf(tx, holders),
    groups.map(({ principal_id, session_id }) => ({ tenant_id, principal_id, session_id })),
  )
  const may = ({ priority, ...sender }: Group) =>
    senders.may({ tenant_id, ...sender }, { category, priority, in_batch: false })
  const refused = groups.filter(group => !may(group))
  await suppress(tx, digest, refused)
  const kept = groups.filter(may)
  const own = kept.find(
    one =>
      one.principal_id === digest.principal_id &&
      one.session_id === digest.session_id &&
      one.priority === digest.order_of.priority,
  )
  const [first = own] = own ? [own] : kept
  if (!first) return null
  const { principal_id, session_id, priority } = first
  const total = digest.total - refused.reduce((sum, { many }) => sum + many, 0)
  return { principal_id: principal_id ?? by_platform, session_id, priority, total }
}

/** Each gets attempts that say why, like every notification that is suppressed. */
async function suppress(tx: Tx, digest: Digest, refused: readonly Group[]): Promise<void> {
  if (refused.length === 0) return
  const { tenant_id, id, order_of } = digest
  const groups = refused.map(group => ({ ...group, lane: laneOf(group.priority) }))
  const columns = {
    principal_id: 'uuid',
    session_id: 'uuid',
    priority: 'text',
    lane: 'smallint',
  } as const
  const intents = await tx.many(
    Refused,
    sql`
      with refused as (
        select m.tenant_id, m.id as intent_id, g.lane
        from ${sql.table(groups, columns)} g
        join notifications.notification_intents m
          on m.principal_id is not distinct from g.principal_id
            and m.session_id is not distinct from g.session_id and m.priority = g.priority
        where m.tenant_id = ${tenant_id} and m.digest_id = ${id} and m.state = 'held'
      ),
      tried as (
        insert into notifications.delivery_attempts
          (tenant_id, id, intent_id, channel, attempt_no, state, error_code, lane)
        select r.tenant_id, gen_random_uuid(), r.intent_id, c.channel, 1, 'skipped',
          'sender_revoked', r.lane
        from refused r cross join unnest(${[...order_of.channels]}::text[]) c (channel)
        returning tenant_id, intent_id, channel
      ),
      decided as (
        insert into notifications.decisions (tenant_id, intent_id, channel, rule, outcome)
        select tenant_id, intent_id, channel, 'sender', 'skip' from tried
      ),
      fewer as (
        update notifications.digests d
        set total = d.total - (select count(*) from refused)
        where d.tenant_id = ${tenant_id} and d.id = ${id}
      )
      select tenant_id, intent_id from refused`,
  )
  await settleIntents(tx, intents)
}
