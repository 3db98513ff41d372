/** The records of webhooks, on the wire and in rows, that more than one folder uses. */
import { type Static, Type } from 'typebox'
import { closed, count, Id, nullable, text, Time, Version } from '#dodeca/kernel'

/** Bytes of a row; they never go over the wire. */
export const Bytes = Type.Unsafe<Buffer>(Type.Any())

export const api_versions = ['2026-01'] as const

export const Pattern = Type.String({
  pattern: String.raw`^(\*|[A-Za-z0-9_]+(\.([a-z0-9_]+(\.[a-z0-9_]+)?|\*))?)$`,
  minLength: 1,
  maxLength: 200,
})
const Endpoint = text(2048)
const Description = nullable(text(500))
const Ordering = Type.Union([Type.Literal('none'), Type.Literal('aggregate')])
const Rate = nullable(count(1, 5000))
const MaxInFlight = count(1, 64)

const EventFilter = closed({
  types: Type.Array(Pattern, { minItems: 1, maxItems: 100, uniqueItems: true }),
  aggregate_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true })),
})
export type EventFilter = Static<typeof EventFilter>

export const CreateSubscription = closed({
  endpoint: Endpoint,
  event_filter: EventFilter,
  api_version: text(20),
  description: Type.Optional(Description),
  ordering: Type.Optional(Ordering),
  max_in_flight: Type.Optional(MaxInFlight),
  rate_per_second: Type.Optional(Rate),
  secret: Type.Optional(text(200)),
  verification: Type.Optional(Type.Union([Type.Literal('auto'), Type.Literal('manual')])),
})
export type CreateSubscription = Static<typeof CreateSubscription>

export const UpdateSubscription = closed({
  endpoint: Type.Optional(Endpoint),
  event_filter: Type.Optional(EventFilter),
  api_version: Type.Optional(text(20)),
  description: Type.Optional(Description),
  ordering: Type.Optional(Ordering),
  max_in_flight: Type.Optional(MaxInFlight),
  rate_per_second: Type.Optional(Rate),
  state: Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('paused')], {
      description:
        'The address of a disabled subscription is verified again before it is `active`.',
    }),
  ),
})
export type UpdateSubscription = Static<typeof UpdateSubscription>

const SubscriptionState = Type.String({ maxLength: 20 })

const subscription = {
  id: Id,
  tenant_id: Id,
  endpoint: Type.String(),
  event_filter: Type.Object({
    types: Type.Array(Type.String()),
    aggregate_ids: Type.Optional(Type.Array(Id)),
  }),
  state: SubscriptionState,
  secret_version: Type.Integer(),
  api_version: Type.String(),
  ordering: Type.String(),
  max_in_flight: Type.Integer(),
  rate_per_second: nullable(Type.Integer()),
  description: nullable(Type.String()),
  /**
   * Null if a person paused it. `owner_revoked` means that its owner may no longer read its types.
   */
  paused_reason: nullable(Type.String()),
  disabled_reason: nullable(Type.String()),
  disabled_at: nullable(Time),
  verification: Type.Object({ mode: Type.String(), expires_at: nullable(Time) }),
  created_at: Time,
}

export const Subscription = Type.Object(subscription, { title: 'WebhookSubscription' })
export type Subscription = Static<typeof Subscription>

export const NewSubscription = Type.Object(
  { ...subscription, secret: Type.String() },
  { title: 'NewWebhookSubscription' },
)
export type NewSubscription = Static<typeof NewSubscription>

export const Health = Type.Object({
  breaker: Type.String(),
  open_until: nullable(Time),
  not_before: nullable(Time),
  in_flight: Type.Integer(),
  /** Deliveries are counted up to 10,000. */
  pending: Type.Integer(),
  oldest_pending_at: nullable(Time),
  consecutive_failures: Type.Integer(),
  last_success_at: nullable(Time),
  p50_ms: nullable(Type.Integer()),
  p95_ms: nullable(Type.Integer()),
  bulkhead: Type.String(),
})

export const HealthySubscription = Type.Object(
  { ...subscription, health: Health },
  { title: 'WebhookSubscriptionWithHealth' },
)
export type HealthySubscription = Static<typeof HealthySubscription>

/** A subscription's row, as its use cases read it. */
export const SubscriptionRow = Type.Object({
  ...Type.Omit(Subscription, ['verification']).properties,
  /** Patterns of types; `types` of the filter on the wire. */
  event_filter: Type.Array(Type.String()),
  aggregate_ids: nullable(Type.Array(Id)),
  verification_mode: Type.String(),
  challenge_expires_at: nullable(Time),
  version: Version,
})
export type SubscriptionRow = Static<typeof SubscriptionRow>

export const RotateSecret = closed({ overlap_seconds: Type.Optional(count(0, 604_800)) })
export const RotatedSecret = Type.Object({
  secret: Type.String(),
  secret_version: Type.Integer(),
  previous_valid_until: nullable(Time),
})

export const Verify = closed({ challenge: Type.Optional(text(200)) })
export const Verified = Type.Object({ id: Id, state: SubscriptionState })
/** The reason why a verification failed. */
export type VerificationFault = 'timeout' | 'http_status' | 'mismatch' | 'blocked'

const Data = Type.Unsafe<unknown>(Type.Any())
export const TestEvent = closed({
  data: Type.Optional(Data),
  aggregate_id: Type.Optional(Id),
  aggregate_version: Type.Optional(Version),
})
export const TestAccepted = Type.Object({ id: Id, status: Type.String(), event_id: Id })
