/**
 * Routes for events that can be delivered: one event, the list of events in log order for receivers
 * that were unavailable, and the types that a subscription can contain.
 */
import {
  narrowSession,
  reply,
  routesOf,
  type RequestFacts,
  type StreamPlaces,
  mayRead,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { EventType } from '../types/event-types.ts'
import { getEvent, readFeed, viewOf, wantedTypes } from './read-events.ts'
import {
  EventFeed,
  EventTypePage,
  EventTypesQuery,
  FeedQuery,
  WebhookEventWithDeliveries,
  type WebhookEventType,
} from './schemas.ts'
import { watchFeed, type FeedWatcher } from './watch-events.ts'

const path = '/v1/webhook-events'

type Needed = Pick<Deps, 'kernel' | 'types' | 'rights'> & {
  readonly watcher: FeedWatcher
  readonly places: StreamPlaces
}

const { open, get } = routesOf<Needed>({ absent: 'event_not_found', read: 'webhooks.events.read' })

export const catalogRoutes = open({
  listWebhookEvents: get(
    path,
    'List events in the order of the log, or stream new ones',
    {
      tool: 'read',
      description:
        'The oldest events come first. A page may be empty although more events follow. Every reply ' +
        'has a `next_cursor`: at the end of the log, send it later to get newer events. With ' +
        '`Accept: text/event-stream` the reply is a stream of new events; Last-Event-ID resumes it.',
      added: true,
      query: FeedQuery,
      reply: EventFeed,
      fails: ['event_type_unknown', 'permission_denied', 'quota_exceeded'],
      headers: { vary: 'accept' },
    },
    {
      handle: async ({ tx, principal: { tenant_id }, query, list, grants }, deps) => {
        const { cursors } = deps.kernel
        const types = await wantedTypes(tx, deps, query.types, await grants())
        const { after: place, limit, fetch } = cursors.start(list)
        const after = (place?.[0] ?? null) as number | null // our own cursor: a position
        const from = { tenant_id, after, limit, types, trace_id: query.trace_id }
        const { rows, through, has_more, is_ahead } = await readFeed(tx, from, query.since ?? null)
        if (is_ahead) throw problem('invalid_cursor')
        // `page` adds a cursor only to a full page. Each place is `through`, so the cursor is at the
        // end of the scan. The feed always returns a cursor, even if the page is not full.
        const there = Array.from({ length: fetch }, () => through)
        const { body, headers } = cursors.page(list, there, position => [position])
        const next_cursor = body.next_cursor ?? ''
        return reply(
          200,
          { data: rows.map(viewOf), next_cursor, has_more },
          has_more ? headers : {},
        )
      },
      watch: async ({ db, principal, query, request, grants }, deps) => {
        await wantedTypes(db, deps, query.types, await grants())
        const { tenant_id, id: principal_id } = principal
        const holder = { tenant_id, principal_id, session_id: narrowSession(principal) }
        const types = async () => {
          const [held] = await deps.rights.recentGrantsOf([{ ...holder, reads: true }])
          const asked = (query.types ?? '*').split(',')
          const readable = held && asked.every(one => mayRead(held, one.trim()))
          return readable ? await wantedTypes(db, deps, query.types, held) : null
        }
        const watched = { tenant_id, after: lastEventOf(request), signal: request.signal, types }
        return deps.places.hold(principal_id, watchFeed(db, deps.watcher, watched))
      },
    },
  ),

  getWebhookEvent: get(
    `${path}/{event_id}`,
    'An event, its data, and how many of its deliveries are in which state',
    { reply: WebhookEventWithDeliveries },
    async ({ tx, params: { event_id }, principal: { tenant_id }, grants }, deps) =>
      await getEvent(tx, deps, event_id, { tenant_id, grants: await grants() }),
  ),

  listWebhookEventTypes: get(
    '/v1/webhook-event-types',
    'List the event types that you can subscribe to, by name',
    { permission: 'authenticated', added: true, query: EventTypesQuery, reply: EventTypePage },
    async ({ tx, list }, { kernel: { cursors }, types }) => {
      await types.fresh(tx)
      const { after, fetch } = cursors.start(list)
      const last = (after?.[0] ?? '') as string // our own cursor: a name
      const rest = types
        .all()
        .filter(one => one.type > last)
        .slice(0, fetch)
      const { body, headers } = cursors.page(list, rest, one => [one.type])
      return reply(200, { ...body, data: body.data.map(typeView) }, headers)
    },
  ),
})

function lastEventOf({ headers }: RequestFacts): number | null {
  const given = Number(headers['last-event-id'] ?? Number.NaN)
  return Number.isSafeInteger(given) && given >= 0 ? given : null
}

function typeView({ type, schema_version, data, example }: EventType): WebhookEventType {
  return { type, schema_version, json_schema: data, example: example() }
}
