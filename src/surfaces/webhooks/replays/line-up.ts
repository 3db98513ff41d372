/**
 * Schedules ended deliveries again, in the order of their ids, one portion in each transaction.
 * Deliveries that this replay has already scheduled are counted and not changed. So repeating a
 * portion after a crash changes nothing.
 */
import { type Static, Type } from 'typebox'
import { Id, nullable, sql, type Reader, type Sql, type Tx } from '#dodeca/kernel'
import { oldest_days } from '../sending/pending-ids.ts'

/** Selects the deliveries that are sent again, and the subscription that gets them. */
export type Selection = {
  readonly tenant_id: string
  readonly subscription_id: string
  readonly replay_id: string
  readonly since: string
  readonly until: string
  readonly states: readonly string[]
  /** Names of types. Null means all types. */
  readonly types: readonly string[] | null
}

export type Step = {
  /** The position after the last scanned delivery. */
  readonly after: string
  readonly many: number
}

export type Due = { readonly lead_seconds: number; readonly rate_per_second: number }

/** `after` is null when there are no more deliveries. */
export type Portion = { readonly found: number; readonly after: string | null }

/** One statement scans at most this many deliveries, even if few of them match. */
const window = 5000

const Row = Type.Object({
  found: Type.Integer(),
  seen: Type.Integer(),
  last_found: nullable(Id),
  last_seen: nullable(Id),
})

const ends = sql`
  select (select count(*)::int from chosen) as found, (select count(*)::int from seen) as seen,
    (select id from chosen order by id desc limit 1) as last_found,
    (select id from seen order by id desc limit 1) as last_seen`

export async function countEnded(
  reader: Pick<Reader, 'one'>,
  selection: Selection,
  after: string,
): Promise<Portion> {
  const step = { after, many: window }
  return portionOf(await reader.one(Row, sql`with ${chosen(selection, step)} ${ends}`), step)
}

export async function lineUpEnded(
  tx: Pick<Tx, 'one'>,
  selection: Selection,
  step: Step,
  due: Due,
): Promise<Portion> {
  const { tenant_id, subscription_id, replay_id, states } = selection
  const row = await tx.one(
    Row,
    sql`
      with ${chosen(selection, step)},
      lined_up as (
        update webhooks.deliveries d
        set state = 'pending', completed_at = null, behind = true, replay_id = ${replay_id},
          tries = 0, replay_no = d.replay_no + 1, replayed_at = c.due_at,
          next_attempt_at = c.due_at,
          held_seconds = s.held_seconds
            + coalesce(extract(epoch from (select kernel.now()) - s.paused_at), 0)::bigint
        from (select event_id, (select kernel.now()) + make_interval(secs => ${due.lead_seconds}
              + (row_number() over (order by id) - 1) / ${due.rate_per_second}::float8) as due_at
            from chosen where not mine) c
        join webhooks.subscriptions s on s.tenant_id = ${tenant_id} and s.id = ${subscription_id}
          and s.state in ('active', 'paused')
        where d.tenant_id = ${tenant_id} and d.event_id = c.event_id
          and d.subscription_id = ${subscription_id} and d.state = any (${states}::text[])
      )
      ${ends}`,
  )
  return portionOf(row, step)
}

function chosen(
  { tenant_id, subscription_id, replay_id, until, states, types }: Selection,
  { after, many }: Step,
): Sql {
  return sql`
    seen as materialized (
      select d.id, d.event_id, d.api_version, d.event_type, d.state,
        d.replay_id is not distinct from ${replay_id}::uuid as mine
      from webhooks.deliveries d
      where d.tenant_id = ${tenant_id} and d.subscription_id = ${subscription_id}
        and d.id > ${after}::uuid and d.id < kernel.first_id_of(${until}::timestamptz)
        and d.event_id >= webhooks.first_id_beside(${after}::uuid)
        and d.event_id >= kernel.first_id_of(now() - make_interval(days => ${oldest_days}))
        and d.event_id < kernel.first_id_of(${until}::timestamptz)
      order by d.id limit ${window}
    ),
    chosen as materialized (
      select s.id, s.event_id, s.mine from seen s
      where (${types}::text[] is null or s.event_type = any (${types}::text[]))
        and (s.mine or s.state = any (${states}::text[])
          and exists (select from webhooks.event_bodies b
            where b.tenant_id = ${tenant_id} and b.event_id = s.event_id
              and b.api_version = s.api_version))
      order by s.id limit ${many}
    )`
}

function portionOf({ found, seen, ...last }: Static<typeof Row>, { many }: Step): Portion {
  if (found === many) return { found, after: last.last_found }
  return { found, after: seen === window ? last.last_seen : null }
}
