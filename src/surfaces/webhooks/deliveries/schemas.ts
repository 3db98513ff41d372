/** Deliveries, their attempts and replays on the wire. Leases are internal and never shown. */
import { type Static, Type } from 'typebox'
import { Id, nullable, oneOf, Time } from '#dodeca/kernel'

const states = ['pending', 'delivered', 'permanent_failure', 'exhausted', 'cancelled'] as const
export const DeliveryState = oneOf(...states)

const delivery = {
  id: Id,
  tenant_id: Id,
  event_id: Id,
  subscription_id: Id,
  state: DeliveryState,
  attempt_count: Type.Integer(),
  /** Null if nothing will be sent, or if an earlier version of its aggregate must be sent first. */
  next_attempt_at: nullable(Time),
  last_http_status: nullable(Type.Integer()),
  last_error_code: nullable(Type.String()),
  completed_at: nullable(Time),
  event_type: Type.String(),
  aggregate_id: Id,
  aggregate_version: Type.Integer(),
  replay_no: Type.Integer(),
  created_at: Time,
}
export const Delivery = Type.Object(delivery, { title: 'WebhookDelivery' })

const Timings = Type.Object({
  dns_ms: Type.Number(),
  connect_ms: Type.Number(),
  tls_ms: Type.Number(),
  first_byte_ms: Type.Number(),
  total_ms: Type.Number(),
})

export const Attempt = Type.Object(
  {
    id: Id,
    delivery_id: Id,
    attempt_no: Type.Integer(),
    started_at: Time,
    duration_ms: nullable(Type.Integer()),
    http_status: nullable(Type.Integer()),
    error_code: nullable(Type.String()),
    response_excerpt: nullable(Type.String()),
    timings: nullable(Timings),
    remote_ip: nullable(Type.String()),
    secret_version: nullable(Type.Integer()),
    replay_id: nullable(Id),
  },
  { title: 'WebhookDeliveryAttempt' },
)

export const ReplayRecord = Type.Object({
  id: Id,
  actor: Type.String(),
  reason: Type.String(),
  created_at: Time,
})

/** The row of the delivery. `body_sha256` is null if the bytes are deleted. */
const KnownDelivery = Type.Object({ ...delivery, body_sha256: nullable(Type.String()) })
export const KnownDeliveryRow = Type.Object({
  ...KnownDelivery.properties,
  replay_id: nullable(Id),
})

export const shown_max = 100
export const DeliveryInFull = Type.Object(
  {
    ...KnownDelivery.properties,
    attempts: Type.Array(Attempt, { maxItems: shown_max }),
    replays: Type.Array(ReplayRecord, { maxItems: shown_max }),
  },
  { title: 'WebhookDeliveryInFull' },
)
export type DeliveryInFull = Static<typeof DeliveryInFull>
