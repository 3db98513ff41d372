/**
 * Events that a tenant may read: events of public types that the caller has the permission to read.
 * Foreign, missing, internal and unreadable events get the same 404.
 */
import { type Static, Type } from 'typebox'
import {
  columnsOf,
  lacks,
  nullable,
  sql,
  type Reader,
  type Sql,
  mayRead,
  patternsOf,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { payloadRef } from '../fan-out/body.ts'
import { startOf } from './start-of.ts'
import { DeliveriesSummary, WebhookEvent, type WebhookEventWithDeliveries } from './schemas.ts'

/**
 * One page scans at most this many events of a tenant. So a page is fast even if the requested
 * types are rare.
 */
const window_events = 2000

const { payload_ref: _made, ...stored } = WebhookEvent.properties
const Row = Type.Object({ ...stored, position: Type.Integer() })
type Row = Static<typeof Row>

const columns = columnsOf(Row, 'e', {
  trace_id: sql`substr(e.traceparent, 4, 32)`,
  data: sql`e.payload`,
})

export function viewOf({ position: _position, ...event }: Row): WebhookEvent {
  return { ...event, payload_ref: payloadRef(event.id) }
}

type Caller = { readonly tenant_id: string; readonly grants: ReadonlySet<string> }

export async function getEvent(
  reader: Pick<Reader, 'many' | 'one' | 'maybe'>,
  { types }: Pick<Deps, 'types'>,
  id: string,
  { tenant_id, grants }: Caller,
): Promise<WebhookEventWithDeliveries> {
  const row = await reader.maybe(
    Row,
    sql`select ${columns} from kernel.events e where e.tenant_id = ${tenant_id} and e.id = ${id}`,
  )
  if (row) await types.fresh(reader)
  const known = row && types.find(row.type)
  if (!row || !known || !mayRead(grants, known.type)) throw problem('event_not_found')
  const deliveries = await reader.one(
    DeliveriesSummary,
    sql`
      select count(*)::int as total,
        count(*) filter (where d.state = 'pending')::int as pending,
        count(*) filter (where d.state = 'delivered')::int as delivered,
        count(*) filter (where d.state = 'permanent_failure')::int as permanent_failure,
        count(*) filter (where d.state = 'exhausted')::int as exhausted,
        count(*) filter (where d.state = 'cancelled')::int as cancelled
      from webhooks.deliveries d
      where d.tenant_id = ${tenant_id} and d.event_id = ${id}`,
  )
  return { ...viewOf(row), deliveries }
}

/** The names of the types that the caller requests and may read. */
export async function wantedTypes(
  reader: Pick<Reader, 'many' | 'one' | 'maybe'>,
  { types }: Pick<Deps, 'types'>,
  asked: string | undefined,
  grants: ReadonlySet<string>,
): Promise<string[]> {
  await types.fresh(reader)
  const patterns = (asked ?? '*').split(',').map(one => one.trim())
  if (!patterns.every(one => types.known(one))) {
    throw problem('event_type_unknown', {
      errors: [{ location: 'query', pointer: '/types', constraint: 'event_type' }],
    })
  }
  const refused = patterns.find(one => !mayRead(grants, one))
  if (refused !== undefined) {
    throw lacks(`webhooks.events.read:${refused}`)
  }
  return types
    .all()
    .map(({ type }) => type)
    .filter(type => mayRead(grants, type) && patternsOf(type).some(one => patterns.includes(one)))
}

const Reach = Type.Object({
  events: Type.Integer(),
  position: nullable(Type.Integer()),
  is_ahead: Type.Boolean(),
})

/** Whether a place lies behind the end of the log: a standby that lacked its end has taken over. */
export const isAhead = (position: Sql): Sql =>
  sql`${position} > (select c.position from kernel.event_counter c)`

export type Portion = {
  readonly rows: readonly Row[]
  /** Every event up to this position was scanned. */
  readonly through: number
  readonly has_more: boolean
  /** The reader has not got the events that have taken the positions before its place. */
  readonly is_ahead: boolean
}

export type FeedPart = {
  readonly tenant_id: string
  readonly after: number | null
  readonly limit: number
  readonly types: readonly string[]
  readonly trace_id?: string | undefined
}

/**
 * Reads the next events after a position. It reads the end of the scan before the events. Events
 * that are added meanwhile have higher positions and belong to a later page.
 */
export async function readFeed(
  reader: Pick<Reader, 'many' | 'one' | 'maybe'>,
  from: FeedPart,
  since: string | null,
): Promise<Portion> {
  const { tenant_id, limit, types, trace_id = null } = from
  const after = from.after ?? (await startOf(reader, tenant_id, since))
  if (after === null) return { rows: [], through: 0, has_more: false, is_ahead: false }
  const reach = await reader.one(
    Reach,
    sql`
      select count(*)::int as events, max(w.position) as position,
        case when count(*) = 0 then ${isAhead(sql`${after}::bigint`)} else false end as is_ahead
      from (
        select e.position from kernel.events e
        where e.tenant_id = ${tenant_id} and e.position > ${after}::bigint
        order by e.position limit ${window_events}
      ) w`,
  )
  const { is_ahead } = reach
  const through = reach.position ?? after
  const rows = await reader.many(
    Row,
    sql`
      select ${columns} from kernel.events e
      where e.tenant_id = ${tenant_id} and e.position > ${after}::bigint
        and e.position <= ${through}::bigint and e.type = any (${types}::text[])
        and (${since}::timestamptz is null or e.created_at >= ${since}::timestamptz)
        and (${trace_id}::text is null or substr(e.traceparent, 4, 32) = ${trace_id}::text)
      order by e.position
      limit ${limit + 1}`,
  )
  const last = rows[limit - 1]
  if (rows.length > limit && last) {
    return { rows: rows.slice(0, limit), through: last.position, has_more: true, is_ahead }
  }
  return { rows, through, has_more: reach.events === window_events, is_ahead }
}
