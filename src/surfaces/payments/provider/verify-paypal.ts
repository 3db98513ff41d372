/**
 * Verifies a webhook of PayPal: an RSA signature over the id and the time of the message, the id of the
 * webhook and the CRC of the body. The body is not kept: it only says which object to read.
 */
import { Buffer } from 'node:buffer'
import { verify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ProviderVerdict, SignedProviderMessage } from '#dodeca/kernel'
import type { PayPalLine } from './connect-paypal.ts'
import { refOf } from './paypal-snapshots.ts'
import type { ProviderEvent } from './port.ts'

/** PayPal sends a message again for three days. One that is received twice changes nothing. */
const late_seconds = 4 * 86_400
const early_seconds = 300

export async function verifyPayPal(
  line: Pick<PayPalLine, 'webhook_id' | 'certificates' | 'trusted'>,
  { raw, headers }: SignedProviderMessage,
  now_seconds: number,
): Promise<ProviderVerdict<ProviderEvent>> {
  const header = (name: string) => {
    const value = headers[`paypal-${name}`]
    return typeof value === 'string' && value.length <= 2000 ? value : ''
  }
  const webhook_id = await line.webhook_id().catch(() => null)
  const [id, time] = [header('transmission-id'), header('transmission-time')]
  const unsigned = id === '' || header('auth-algo').toLowerCase() !== 'sha256withrsa'
  if (webhook_id === null || unsigned) return { refused: 'signature_invalid' }
  const at_s = Date.parse(time) / 1000
  if (!(at_s > now_seconds - late_seconds && at_s < now_seconds + early_seconds)) {
    return { refused: 'timestamp_out_of_window' }
  }
  const trusted = await line.trusted().catch(() => null)
  const key = trusted && (await line.certificates.keyAt(header('cert-url'), trusted, now_seconds))
  const signed = Buffer.from(`${id}|${time}|${webhook_id}|${crc32(raw)}`)
  const signature = Buffer.from(header('transmission-sig'), 'base64')
  if (!key || key.asymmetricKeyType !== 'rsa' || !verify('sha256', signed, key, signature)) {
    return { refused: 'signature_invalid' }
  }
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
  const { id, event_type } = (event ?? {}) as PayPalEvent
  if (typeof id !== 'string' || id.length > 255 || typeof event_type !== 'string') return undefined
  return eventOf(event as PayPalEvent)
}

export type PayPalEvent = {
  readonly id: string
  readonly event_type: string
  readonly create_time?: string
  readonly resource?: {
    readonly id?: unknown
    readonly dispute_id?: unknown
    readonly supplementary_data?: { readonly related_ids?: { readonly order_id?: unknown } }
  }
}

/** Null if it names no object that we know. */
export function eventOf({ id, event_type, create_time, resource }: PayPalEvent) {
  const object_ref = refIn(event_type, resource ?? {})
  if (object_ref === null || object_ref.length > 255) return null
  const created_s = Math.floor((Date.parse(create_time ?? '') || 0) / 1000)
  return { event_id: id, type: event_type.slice(0, 255), object_ref, created_s }
}

function refIn(type: string, resource: NonNullable<PayPalEvent['resource']>): string | null {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
  const id = text(resource.id)
  const order = text(resource.supplementary_data?.related_ids?.order_id)
  if (type.startsWith('CHECKOUT.ORDER.')) return id
  if (type.startsWith('CUSTOMER.DISPUTE.')) {
    const dispute = text(resource.dispute_id) ?? id
    return dispute && refOf('dispute', dispute)
  }
  // A refund has this type, too.
  if (type === 'PAYMENT.CAPTURE.REFUNDED') return id && refOf('refund', id)
  if (type.startsWith('PAYMENT.REFUND.')) return id && refOf('refund', id)
  if (order !== null) return order
  return type.startsWith('PAYMENT.CAPTURE.') && id !== null ? refOf('capture', id) : null
}
