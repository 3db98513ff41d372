/**
 * Verifies a webhook of Stripe, and reads which object it is about. The body is not kept, because it
 * may contain names and addresses, and the object is fetched anyway.
 */
import type { Buffer } from 'node:buffer'
import { verifyStripe, type ProviderVerdict, type SignedProviderMessage } from '#dodeca/kernel'
import type { StripeLine } from './connect-stripe.ts'
import type { ProviderEvent } from './port.ts'
import { eventOf } from './stripe-snapshots.ts'

export async function verifyWebhook(
  line: Pick<StripeLine, 'secrets'>,
  { raw, headers }: SignedProviderMessage,
  now_seconds: number,
): Promise<ProviderVerdict<ProviderEvent>> {
  const secrets = await line.secrets().catch(() => [])
  const { outcome } = verifyStripe({ headers, body: raw, secrets, now_seconds })
  if (outcome !== 'ok') return { refused: outcome }
  const event = read(raw)
  return event === undefined ? { refused: 'envelope_invalid' } : { events: event ? [event] : [] }
}

/** Undefined means that the body cannot be read. Null means that it names no object. */
function read(raw: Buffer): ProviderEvent | null | undefined {
  let event: unknown
  try {
    event = JSON.parse(raw.toString('utf8'))
  } catch {
    return undefined
  }
  const { id, type, created, data } = (event ?? {}) as Record<string, unknown>
  const object = (data as { object?: unknown } | undefined)?.object
  if (typeof id !== 'string' || id.length > 255 || typeof type !== 'string') return undefined
  if (typeof object !== 'object' || object === null) return undefined
  return eventOf({ id, type: type.slice(0, 255), created: Number(created) || 0, data: { object } })
}
