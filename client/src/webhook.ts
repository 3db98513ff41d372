/**
 * For receivers of webhooks: verifies that a request comes from the platform, over its exact bytes
 * and before any of it is parsed. It uses only Web Crypto, so it runs in every JavaScript runtime.
 */

export type WebhookEvent<Data = unknown> = {
  /** The same for every attempt and every replay: drop an event whose id you have processed. */
  readonly id: string
  readonly tenant_id: string
  readonly type: string
  readonly schema_version: number
  readonly api_version: string
  readonly aggregate_id: string
  /**
   * Increases with each change of the aggregate. Drop an event that is older than the version you
   * know.
   */
  readonly aggregate_version: number
  readonly payload_ref: string | null
  readonly occurred_at: string
  readonly created_at: string
  /** Null if it is too large to be sent. `payload_ref` is then its address. */
  readonly data: Data
}

export type Webhook<Data = unknown> = {
  readonly event: WebhookEvent<Data>
  /** Counted from 1, including replays. */
  readonly attempt: number
  readonly delivery_id: string | null
  /** Null unless the event was sent again on request. */
  readonly replay_id: string | null
}

export type WebhookRefusal = 'headers_missing' | 'signature_invalid' | 'timestamp_out_of_window'

/** Reply with 401 and do nothing else. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
  readonly code: WebhookRefusal

  constructor(code: WebhookRefusal) {
    super(`This webhook cannot be trusted: ${code}`)
    this.code = code
  }
}

export type WebhookHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /** The allowed difference between the sender's clock and this one, in both directions. */
  readonly tolerance_seconds?: number
  readonly now_ms?: number
}

const prefix = 'whsec_'
const signatures_max = 16
const challenged = 'webhook_subscription.challenged'

/**
 * `body` is the exact content, before any parser. Any of several secrets may match: during a
 * rotation pass the old one and the new one.
 */
export async function verifyWebhook<Data = unknown>(
  secret: string | readonly string[],
  body: string | Uint8Array,
  headers: WebhookHeaders,
  { tolerance_seconds = 300, now_ms = Date.now() }: VerifyOptions = {},
): Promise<Webhook<Data>> {
  const id = read(headers, 'webhook-id')
  const timestamp = read(headers, 'webhook-timestamp')
  const signature = read(headers, 'webhook-signature')
  if (!id || !timestamp || !signature) throw new WebhookRefused('headers_missing')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const content = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (!(await fits(secrets, content, signature))) throw new WebhookRefused('signature_invalid')
  const sent_seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(now_ms / 1000 - sent_seconds) <= tolerance_seconds)) {
    throw new WebhookRefused('timestamp_out_of_window')
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return {
    event: JSON.parse(text) as WebhookEvent<Data>, // a signature by the platform
    attempt: Number(read(headers, 'webhook-attempt') ?? 1),
    delivery_id: read(headers, 'webhook-delivery-id') ?? null,
    replay_id: read(headers, 'webhook-replay') ?? null,
  }
}

/** The body of your 2xx reply to the event that asks whether the endpoint wants to receive. */
export function challengeOf({ type, data }: WebhookEvent): { challenge: string } | null {
  if (type !== challenged) return null
  return { challenge: (data as { challenge: string }).challenge }
}

async function fits(
  secrets: readonly string[],
  content: Uint8Array<ArrayBuffer>,
  header: string,
): Promise<boolean> {
  const given = header
    .split(' ')
    .filter(one => one.startsWith('v1,'))
    .slice(0, signatures_max)
    .flatMap(one => bytesOf(one.slice('v1,'.length)) ?? [])
  let found = false
  for (const secret of secrets) {
    const raw = bytesOf(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret)
    if (!raw) throw new TypeError('A secret must be whsec_ followed by the base64 of its bytes.')
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify'])
    // No early end, because the time must not reveal which secret or which signature matched.
    for (const one of given) {
      const same = await crypto.subtle.verify('HMAC', key, one, content)
      found ||= same
    }
  }
  return found
}

function read(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(found) ? found.join(' ') : (found as string | undefined)
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
  } catch {
    return null
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
