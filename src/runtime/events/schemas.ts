/** Event types and published events on the wire. */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, text, Time, Version } from '#dodeca/kernel'

/** Two or three parts: a noun, and what happened to it. */
export const TypeName = Type.String({
  pattern: '^[a-z][a-z0-9_]*(\\.[a-z0-9_]+){1,2}$',
  maxLength: 100,
})

const Json = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

export const PutEventType = closed(
  { description: text(500), schema: Json },
  { title: 'PutEventType' },
)
export type PutEventType = Static<typeof PutEventType>

export const EventTypeView = Type.Object(
  {
    type: Type.String(),
    /** Whether the type is part of the platform, or was declared with `PUT /v1/event-types/{type}`. */
    origin: Type.Enum(['platform', 'declared']),
    description: nullable(Type.String()),
    schema_version: Type.Integer(),
    version: Version,
    /** The JSON Schema of the event's `data`. */
    schema: Type.Unknown(),
    /** Since when no event of the type can be published. */
    archived_at: nullable(Time),
    created_at: nullable(Time),
    updated_at: nullable(Time),
  },
  { title: 'EventType' },
)
export type EventTypeView = Static<typeof EventTypeView>

export const PublishedEvent = closed(
  {
    type: TypeName,
    data: Json,
    aggregate_type: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$' })),
    aggregate_id: Type.Optional(Id),
    aggregate_version: Type.Optional(Version),
    tenant_id: Type.Optional(Id),
  },
  { title: 'PublishedEvent' },
)
export type PublishedEvent = Static<typeof PublishedEvent>

const events_max = 100
export const PublishEvents = closed(
  { events: Type.Array(PublishedEvent, { minItems: 1, maxItems: events_max }) },
  { title: 'PublishEvents' },
)

export const Published = Type.Object({ event_ids: Type.Array(Id) }, { title: 'PublishedEvents' })
