/** The routes with which operators manage consumers and parks. */
import { Type } from 'typebox'
import type { Cursors } from '../../kernel/http/contract/cursor.ts'
import {
  closed,
  count,
  Id,
  nullable,
  pageOf,
  pageQuery,
  reply,
  route,
  text,
  Time,
} from '#dodeca/kernel'
import type { Route } from '#dodeca/kernel'
import { readConsumers } from '../../kernel/events/consumers/lag.ts'
import type { Interest } from '../../kernel/events/consumers/leases.ts'
import { listParks, park_states, retryPark, skipPark } from '../../kernel/events/operate.ts'

export type RouteNeeds = {
  cursors: Cursors
  /** The event types that each consumer and each sink of the code subscribes to. */
  interests: readonly Interest[]
  wake(): void
}

const permission = 'kernel.events.operate'
const name = text(200)
const position = count(0, Number.MAX_SAFE_INTEGER)

const Consumer = Type.Object(
  {
    consumer: name,
    position,
    lag_events: position,
    lag_seconds: Type.Number({ minimum: 0 }),
    parked: position,
  },
  { title: 'EventConsumer' },
)

const Park = Type.Object(
  {
    id: Id,
    consumer: name,
    event_id: Id,
    aggregate_id: Id,
    attempts: count(0, 1_000_000),
    next_attempt_at: nullable(Time),
    state: Type.Enum([...park_states]),
    last_error_code: text(200),
  },
  { title: 'EventPark' },
)

const Reason = closed({ reason: text(500) }, { title: 'ParkDecision' })

export function eventRoutes(needs: RouteNeeds): Route[] {
  return [listConsumers(needs), listOfParks(needs), decide(needs, 'retry'), decide(needs, 'skip')]
}

function listConsumers({ cursors, interests }: RouteNeeds): Route {
  return route({
    method: 'GET',
    path: '/v1/event-consumers',
    name: 'listEventConsumers',
    summary: 'List the consumers of the event log and how far behind they are',
    description: 'The lag is counted exactly up to 1,000 events in each of the 16 lanes.',
    permission,
    added: true,
    rate: 'read',
    query: pageQuery({}),
    replies: { 200: pageOf(Consumer) },
    fails: ['invalid_cursor'],
    handle: async ({ tx, principal, query }) => {
      const scope = { path: '/v1/event-consumers', tenant_id: principal.tenant_id, query }
      const { after, fetch } = cursors.start(scope)
      const rows = await readConsumers(tx, interests, {
        after: String(after?.[0] ?? ''),
        limit: fetch,
      })
      const found = cursors.page(scope, rows, row => [row.consumer])
      return reply(200, found.body, found.headers)
    },
  })
}

function listOfParks({ cursors }: RouteNeeds): Route {
  return route({
    method: 'GET',
    path: '/v1/event-parks',
    name: 'listEventParks',
    summary: 'List the events that failed and block their aggregate, newest first',
    permission,
    added: true,
    rate: 'read',
    query: pageQuery({
      consumer: Type.Optional(name),
      state: Type.Optional(Type.Enum([...park_states])),
    }),
    replies: { 200: pageOf(Park) },
    fails: ['invalid_cursor'],
    handle: async ({ tx, principal, query }) => {
      const scope = { path: '/v1/event-parks', tenant_id: principal.tenant_id, query }
      const { after, fetch } = cursors.start(scope)
      const before = after === null ? null : String(after[0])
      const rows = await listParks(tx, query, { before, limit: fetch })
      const found = cursors.page(scope, rows, row => [row.id])
      return reply(200, found.body, found.headers)
    },
  })
}

function decide({ wake }: RouteNeeds, act: 'retry' | 'skip'): Route {
  return route({
    method: 'POST',
    path: `/v1/event-parks/{id}/${act}` as const,
    name: `${act}EventPark`,
    summary:
      act === 'retry'
        ? 'Retry a dead parked event once'
        : 'Skip a parked event, so that the events behind it follow',
    permission,
    added: true,
    rate: 'write',
    idempotency: 'optional',
    absent: 'event_park_not_found',
    body: Reason,
    replies: { 200: Park },
    fails: ['event_park_not_found', 'invalid_transition'],
    handle: async ({ tx, principal, params, body }) => {
      const decision = {
        id: params.id,
        actor: principal.id,
        tenant_id: principal.tenant_id,
        reason: body.reason,
      }
      const park = act === 'retry' ? await retryPark(tx, decision) : await skipPark(tx, decision)
      tx.afterCommit(wake)
      return reply(200, park)
    },
  })
}
