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
const Poll = Type.Object({ head: Type.Integer(), parks_due: Type.Boolean() })

/** The only query of an idle process. It covers every consumer and lane. */
export function poll(
  reader: Reader,
  consumers: readonly string[],
): Promise<{ head: number; parks_due: boolean }> {
  return reader.one(
    Poll,
    sql`
      select ${head_position} as head, (${parksDue(consumers)}) as parks_due`,
  )
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

/** Reads the next events of all lanes, once for all consumers of this process. */
export function readTail(reader: Reader, after: number, limit: number): Promise<LanedEvent[]> {
  return reader.many(
    LanedEvent,
    sql`
      select ${columns}
      from kernel.events e
      where e.position > ${after}
      order by e.position
      limit ${limit}`,
  )
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
