/**
 * Takes due deliveries of lanes that this sender owns, under one token. Of an aggregate in order only the
 * lowest version goes; the later ones are laid aside until it is done. What another sender had begun and
 * did not finish comes back with the mark `lost`.
 */
import { type Static, Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id, nullable, Time } from '../../../kernel/http/shapes.ts'

const Row = Type.Object({
  id: Id,
  tenant_id: Id,
  event_id: Id,
  subscription_id: Id,
  event_type: Type.String(),
  aggregate_id: Id,
  api_version: Type.String(),
  ordered: Type.Boolean(),
  /** Of this attempt. */
  attempt_no: Type.Integer(),
  tries: Type.Integer(),
  replay_id: nullable(Id),
  /** From when its age counts. */
  since: Time,
  /** What was on hold meanwhile does not count. */
  held_seconds: Type.Integer(),
  subscription_version: Type.Integer(),
  lost: Type.Boolean(),
  aside: Type.Boolean(),
})

export type Claimed = Static<typeof Row>

export type Wanted = { readonly subscription_id: string; readonly many: number }

/** Nothing older is sent: bodies are kept for a month, and their weeks a little longer. */
export const oldest_days = 38

export async function claim(
  tx: Tx,
  owner: string,
  token: string,
  lease_seconds: number,
  wanted: readonly Wanted[],
): Promise<Claimed[]> {
  const due = sql`d.state = 'pending' and d.next_attempt_at <= kernel.now()
    and (d.lease_token is null or d.leased_until <= now())
    and d.event_id >= kernel.first_id_of(now() - make_interval(days => ${oldest_days}))
    and d.event_id < kernel.first_id_of(now() + interval '1 day')`
  return tx.many(
    Row,
    sql`
      -- any tenant: a sender owns endpoints of all of them
      with due as materialized (
        select d.event_id, d.subscription_id, d.lost, s.version as subscription_version,
          s.held_seconds, d.ordered and exists (
            select from webhooks.deliveries p
            where p.subscription_id = d.subscription_id and p.aggregate_id = d.aggregate_id
              and p.state = 'pending' and p.ordered and p.aggregate_version < d.aggregate_version
              and p.event_id >= kernel.first_id_of(now() - make_interval(days => ${oldest_days}))
          ) as aside
        from unnest(${wanted.map(one => one.subscription_id)}::uuid[],
          ${wanted.map(one => one.many)}::int[]) as w (id, many)
        join webhooks.subscriptions s on s.id = w.id and s.state = 'active'
        join webhooks.sender_shards h
          on h.shard = s.shard and h.owner = ${owner} and h.leased_until > now()
        cross join lateral (
          select * from (
            (select d.event_id, d.subscription_id, d.aggregate_id, d.aggregate_version, d.ordered,
              d.behind, d.next_attempt_at, d.lease_token is not null as lost
            from webhooks.deliveries d
            where d.subscription_id = w.id and not d.behind and ${due}
            order by d.next_attempt_at, d.event_id limit w.many)
            union all
            (select d.event_id, d.subscription_id, d.aggregate_id, d.aggregate_version, d.ordered,
              d.behind, d.next_attempt_at, d.lease_token is not null as lost
            from webhooks.deliveries d
            where d.subscription_id = w.id and d.behind and ${due}
            order by d.next_attempt_at, d.event_id limit w.many)
          ) d
          order by d.behind, d.next_attempt_at, d.event_id limit w.many
        ) d
      )
      update webhooks.deliveries d
      set lease_token = case when due.aside then null else ${token}::uuid end,
        leased_until = case when due.aside then null
          else now() + make_interval(secs => ${lease_seconds}) end,
        next_attempt_at = case when due.aside then 'infinity' else d.next_attempt_at end,
        attempt_count = d.attempt_count + due.lost::int
      from due
      where d.event_id = due.event_id and d.subscription_id = due.subscription_id
        and d.state = 'pending' and (d.lease_token is null or d.leased_until <= now())
      returning d.id, d.tenant_id, d.event_id, d.subscription_id, d.event_type, d.aggregate_id,
        d.api_version, d.ordered, d.attempt_count + 1 as attempt_no, d.tries, d.replay_id,
        coalesce(d.replayed_at, d.occurred_at) as since,
        (due.held_seconds - d.held_seconds)::int as held_seconds, due.subscription_version,
        due.lost, due.aside`,
  )
}
