/**
 * The body that is sent for an event. It is made and stored once for each version of the payload.
 * So every delivery, attempt and replay sends the same bytes, even after a new release.
 */
import { createHash } from 'node:crypto'
import type { LoggedEvent } from '#dodeca/kernel'

export type Body = {
  readonly api_version: string
  readonly bytes: Buffer
  readonly sha256: Buffer
  /** The trace of the event. Its attempts continue this trace. */
  readonly traceparent: string | null
}

/**
 * Above this size the body does not contain the data. It contains a reference to the place where
 * the data can be read.
 */
const bytes_max = 256 * 1024

export function bodyOf(event: LoggedEvent, api_version: string): Body {
  const whole = render(event, api_version, event.payload)
  const bytes = whole.length <= bytes_max ? whole : render(event, api_version, null)
  const sha256 = createHash('sha256').update(bytes).digest()
  return { api_version, bytes, sha256, traceparent: event.traceparent }
}

function render(event: LoggedEvent, api_version: string, data: unknown): Buffer {
  const { id, tenant_id, type, schema_version, aggregate_id, aggregate_version } = event
  return Buffer.from(
    JSON.stringify({
      id,
      tenant_id,
      type,
      schema_version,
      api_version,
      aggregate_id,
      aggregate_version,
      payload_ref: payloadRef(id),
      occurred_at: event.occurred_at,
      created_at: event.created_at,
      data,
    }),
  )
}

export function payloadRef(event_id: string): string {
  return `/v1/webhook-events/${event_id}`
}
