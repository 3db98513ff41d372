/** Routes of event types, and the route that publishes events of declared ones. */
import { nounOf, page, reply, routesOf, text, type Reader } from '#dodeca/kernel'
import type { OwnEventType } from '../../kernel/events/event-types.ts'
import { surface_names } from '../surface-names.ts'
import { archiveType, declareType, type TypeDeps } from './declare-type.ts'
import { problem } from './errors.ts'
import type { Publish } from './publish-events.ts'
import { EventTypeView, PublishEvents, Published, PutEventType, TypeName } from './schemas.ts'

export type RouteDeps = TypeDeps & { readonly publish: Publish }

/** The nouns of the types in code, our surfaces, and what else would look like the platform. */
export function reservedNouns(types: Iterable<string>): ReadonlySet<string> {
  return new Set([...[...types].map(nounOf), ...surface_names, 'kernel', 'dodeca', 'platform'])
}

const absent = 'event_type_not_found'
const path = '/v1/event-types/{type}'

const { open, get, list, put, del, post } = routesOf<RouteDeps>({
  absent,
  read: 'authenticated',
  write: 'kernel.event_types.write',
  added: true,
  params: { type: TypeName },
})

export const eventTypeRoutes = open({
  listEventTypes: list(
    '/v1/event-types',
    'List the event types of the platform and those that were declared, by name',
    { narrow: 'any', item: EventTypeView },
    async ({ tx, list }, deps) => {
      const types = await allTypes(tx, deps)
      return page(tx, {
        scope: list,
        row: EventTypeView,
        place: ['type'],
        fetch: ({ type }, n) => types.filter(one => type === null || one.type > type).slice(0, n),
      })
    },
  ),

  getEventType: get(
    path,
    'An event type and the schema of its data',
    // The names of types in code have other forms too.
    { narrow: 'any', params: { type: text(100) }, sends: ['etag'], reply: EventTypeView },
    async ({ tx, params }, deps) => {
      const found = (await allTypes(tx, deps)).find(one => one.type === params.type)
      if (!found) throw problem(absent)
      return found
    },
  ),

  putEventType: put(
    path,
    'Declare an event type, or change its description or schema',
    {
      description:
        'The type belongs to the platform: every tenant can publish it. A changed schema raises ' +
        '`schema_version`. A type that was archived can be published again.',
      sends: ['etag', 'location'],
      absent: 'validation_failed',
      body: PutEventType,
      replies: { 200: EventTypeView, 201: EventTypeView },
      fails: [
        'event_type_declared',
        'event_type_reserved',
        'event_schema_invalid',
        'precondition_failed',
        'quota_exceeded',
      ],
    },
    async ({ tx, params, body, request }, deps) => {
      const conditions = {
        if_match: request.headers['if-match'],
        if_none_match: request.headers['if-none-match'],
      }
      const { row, made } = await declareType(tx, deps, params.type, body, conditions)
      const view = viewOf(row)
      return made ? reply(201, view, { location: `/v1/event-types/${row.type}` }) : reply(200, view)
    },
  ),

  archiveEventType: del(
    path,
    'Archive an event type, so that it is not published any more',
    {
      description: 'Its events stay readable, and subscriptions and rules that name it stay.',
      fails: ['event_type_declared', 'precondition_failed'],
    },
    async ({ tx, params, request }, { code }) =>
      await archiveType(tx, code, params.type, {
        if_match: request.headers['if-match'],
        if_none_match: undefined,
      }),
  ),

  publishEvents: post(
    '/v1/events',
    'Publish events of declared types, all or none',
    {
      description:
        'Each event needs `kernel.events.publish` for its type; one for another tenant needs ' +
        '`kernel.events.publish_any`. Without `aggregate_id` the event is an aggregate of its own. ' +
        'Without `aggregate_version` the version rises by itself. `data` names people by id only: ' +
        'events are kept for the retention of the log, also when an account is erased.',
      permission: 'authenticated',
      narrow: 'kernel.events.publish',
      idempotency: 'required',
      absent: 'validation_failed',
      body: PublishEvents,
      replies: { 201: Published },
      fails: [
        'permission_denied',
        'content_too_large',
        'event_type_unknown',
        'event_data_invalid',
        'event_tenant_unknown',
        'aggregate_version_stale',
      ],
    },
    async ({ tx, principal: { tenant_id }, grants, body }, { publish }) => {
      const by = { tenant_id, grants }
      return reply(201, { event_ids: [...(await publish(tx, body.events, by))] })
    },
  ),
})

async function allTypes(reader: Reader, { kernel, code }: TypeDeps): Promise<EventTypeView[]> {
  const { eventTypes } = kernel.declared
  await eventTypes.fresh(reader)
  const own = new Map(eventTypes.own().map(row => [row.type, row]))
  return eventTypes.all().flatMap(([type, { version, data, internal }]): EventTypeView[] => {
    if (internal) return []
    const row = code.has(type) ? undefined : own.get(type)
    if (row) return [viewOf(row)]
    const never = { description: null, archived_at: null, created_at: null, updated_at: null }
    return [{ type, origin: 'platform', schema_version: version, schema: data, version, ...never }]
  })
}

function viewOf(row: OwnEventType): EventTypeView {
  return { ...row, origin: 'declared' }
}
