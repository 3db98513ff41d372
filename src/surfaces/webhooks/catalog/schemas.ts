/** Events and their types on the wire. Only the feed's cursor contains the position of an event. */
import { type Static, Type } from 'typebox'
import { Id, nullable, pageOf, pageQuery, text, Time } from '#dodeca/kernel'

const event = {
  id: Id,
  tenant_id: Id,
  type: Type.String(),
  schema_version: Type.Integer(),
  aggregate_id: Id,
  aggregate_version: Type.Integer(),
  payload_ref: Type.String(),
  /** The trace of the request that caused the event. */
  trace_id: nullable(Type.String()),
  /** The route or the work whose transaction wrote the event, such as `POST /v1/jobs`. */
  written_by: nullable(Type.String()),
  /** Events with the same number were committed together. */
  transaction_id: nullable(Type.Integer()),
  occurred_at: Time,
  created_at: Time,
  data: Type.Unknown(),
}

export const WebhookEvent = Type.Object(event, { title: 'WebhookEvent' })
export type WebhookEvent = Static<typeof WebhookEvent>

/** The number of the event's deliveries in each state. */
export const DeliveriesSummary = Type.Object({
  total: Type.Integer(),
  pending: Type.Integer(),
  delivered: Type.Integer(),
  permanent_failure: Type.Integer(),
  exhausted: Type.Integer(),
  cancelled: Type.Integer(),
})

export const WebhookEventWithDeliveries = Type.Object(
  { ...event, deliveries: DeliveriesSummary },
  { title: 'WebhookEventWithDeliveries' },
)
export type WebhookEventWithDeliveries = Static<typeof WebhookEventWithDeliveries>

export const FeedQuery = pageQuery({
  /** Patterns, separated by commas. */
  types: Type.Optional(text(2000)),
  since: Type.Optional(Time),
  /**
   * Only events that one request caused. The value is the trace id of the request's `traceparent`.
   * If the request had no `traceparent`, the value is the request id without dashes. Give `since`
   * too.
   */
  trace_id: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' })),
})

/** The reader can always resume with this cursor, even from the end of the log. */
export const EventFeed = Type.Object({
  ...pageOf(WebhookEvent).properties,
  next_cursor: text(1024),
})

export const WebhookEventType = Type.Object(
  {
    type: Type.String(),
    schema_version: Type.Integer(),
    /** The schema of the event's `data`. */
    json_schema: Type.Unknown(),
    example: Type.Unknown(),
  },
  { title: 'WebhookEventType' },
)
export type WebhookEventType = Static<typeof WebhookEventType>

export const EventTypesQuery = pageQuery({})
export const EventTypePage = pageOf(WebhookEventType)
