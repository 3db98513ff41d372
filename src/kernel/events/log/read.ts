/**
 * Queries on the event log. Only one process writes positions, so everything after a cursor is
 * complete. Each query also returns the position up to which its result is complete.
 */
import { type Static, Type } from 'typebox'
import type { Reader } from '../../database/db.ts'
import { sql, type Sql } from '../../database/sql.ts'
import { LoggedEvent } from '../event.ts'

export const LanedEvent = Type.Object({ ...LoggedEvent.properties, lane: Type.Integer() })
export type LanedEvent = Static<typeof LanedEvent>

export const lanes_count = 16

// Wide enough to skip a million events in seconds when a consumer's events are rare, and narrow
// enough for one statement.
const window_positions = 100_000

/** The columns of an event as consumers read them. `kernel.events` must have the alias e. */
export const columns: Sql = sql`e.position, e.id, e.tenant_id, e.type, e.schema_version,
  e.aggregate_type, e.aggregate_id, e.aggregate_version, e.payload, e.payload_ref, e.traceparent,
  e.occurred_at, e.created_at, e.lane`

/** Matches events of these types. Null means all types. */
export function ofTypes(types: readonly string[] | null): Sql {
  return types === null ? sql`true` : sql`e.type = any (${types}::text[])`
}

/** The newest position. The log is insert-only, so this never reads dead rows. */
export const head_position: Sql = sql`coalesce(
  (select position from kernel.events order by position desc limit 1), 0)`

const Head = Type.Object({ head: Type.Integer() })

/** The newest event that a reader knows. The id is null while the log is empty. */
export type Tail = { readonly position: number; readonly id: string | null }

const newest = sql`
  from (values (true)) as always (one)
  left join lateral (
    select position, id from kernel.events order by position desc limit 1
  ) newest on true`
const Newest = Type.Object({
  position: Type.Integer(),
  id: Type.Union([Type.String(), Type.Null()]),
})
const Poll = Type.Object({ ...Newest.properties, parks_due: Type.Boolean() })

export function readNewest(reader: Reader): Promise<Tail> {
  return reader.one(
    Newest,
    sql`select coalesce(newest.position, 0) as position, newest.id ${newest}`,
  )
}

/** The only query of an idle process. It covers every consumer and lane. */
export async function poll(
  reader: Reader,
  consumers: readonly string[],
): Promise<{ newest: Tail; parks_due: boolean }> {
  const { parks_due, ...tail } = await reader.one(
    Poll,
    sql`
      select coalesce(newest.position, 0) as position, newest.id,
        (${parksDue(consumers)}) as parks_due
      ${newest}`,
  )
  return { newest: tail, parks_due }
}

export function parksDue(consumers: readonly string[]): Sql {
  return sql`
    select exists (
      select from kernel.event_parks
      where blocking and state <> 'dead' and next_attempt_at <= now()
        and consumer = any (${consumers}::text[]))`
}

export async function readHead(reader: Reader): Promise<number> {
  return (await reader.one(Head, sql`select ${head_position} as head`)).head
}

/**
 * Reads the next events of all lanes, once for all consumers of this process. Returns null if the
 * known event is not in its place: a standby that lacked it has taken over, and its position and
 * those before it may belong to other events.
 */
export async function readTail(
  reader: Reader,
  after: Tail,
  limit: number,
): Promise<LanedEvent[] | null> {
  const found = await reader.many(
    LanedEvent,
    sql`
      select ${columns}
      from kernel.events e
      where e.position >= ${after.position}
      order by e.position
      limit ${limit + 1}`,
  )
  if (after.id === null) return found.slice(0, limit)
  const [first, ...next] = found
  return first?.id === after.id ? next : null
}

const Reach = Type.Object({
  head: Type.Integer(),
  first: Type.Union([Type.Integer(), Type.Null()]),
})

/** Events of one lane after a cursor, and the position up to which the list is complete. */
export async function readLane(
  reader: Reader,
  from: { lane: number; types: readonly string[] | null; after: number; limit: number },
): Promise<{ events: LanedEvent[]; through: number }> {
  const { head, first } = await reader.one(
    Reach,
    sql`
      select ${head_position} as head, (
        select position from kernel.events where position > ${from.after} order by position limit 1
      ) as first`,
  )
  if (first === null) return { events: [], through: Math.max(head, from.after) }
  const until = Math.min(head, first + window_positions)
  const events = await reader.many(
    LanedEvent,
    sql`
      select ${columns}
      from kernel.events e
      where e.lane = ${from.lane}
        and e.position > ${from.after}
        and e.position <= ${until}
        and ${ofTypes(from.types)}
      order by e.position
      limit ${from.limit}`,
  )
  const last = events.at(-1)
  return { events, through: last && events.length === from.limit ? last.position : until }
}

const Place = Type.Object({ position: Type.Integer(), is_found: Type.Boolean() })
const found_max = 200

export type LogPortion = {
  readonly events: readonly LoggedEvent[]
  /** The portion is complete up to this position. */
  readonly through: number
  readonly at_end: boolean
}

/**
 * Reads one portion of a tenant's events after a position, and returns those of a type and, if given,
 * of an aggregate.
 */
export async function readLog(
  reader: Reader,
  from: {
    readonly tenant_id: string
    readonly type: string
    readonly aggregate_id: string | null
    readonly after: number
  },
  portion = 5000,
): Promise<LogPortion> {
  const { tenant_id, type, aggregate_id, after } = from
  const places = await reader.many(
    Place,
    sql`
      select position, type = ${type} and (${aggregate_id}::uuid is null
        or aggregate_id = ${aggregate_id}::uuid) as is_found
      from kernel.events
      where tenant_id = ${tenant_id} and position > ${after}
      order by position
      limit ${portion}`,
  )
  const all = places.filter(one => one.is_found).map(one => one.position)
  const positions = all.slice(0, found_max)
  const cut = positions.length < all.length
  const last = cut ? positions.at(-1) : places.at(-1)?.position
  const rest = { through: last ?? after, at_end: !cut && places.length < portion }
  if (positions.length === 0) return { events: [], ...rest }
  const events = await reader.many(
    LanedEvent,
    sql`
      select ${columns}
      from kernel.events e
      where e.position = any (${positions}::bigint[])
      order by e.position`,
  )
  return { events, ...rest }
}
