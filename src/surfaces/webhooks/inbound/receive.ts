/**
 * Receives a message of a provider. The signature is verified over the exact bytes before they are
 * parsed. The message is durable before it is acknowledged. A duplicate is acknowledged like the
 * first message.
 */
import { problem } from '../errors.ts'
import type { Kernel } from '../settings.ts'
import type { RequestFacts, RequestHead } from '#dodeca/kernel'
import type { Acknowledgement, Incoming } from './schemes/scheme.ts'
import { schemes } from './schemes/schemes.ts'
import { findScheme, type FindTrusted, type SourceKey } from './sources/find-source.ts'
import type { Store } from './store-receipt.ts'

export type ReceiveDeps = {
  readonly kernel: Pick<Kernel, 'db' | 'settings' | 'clock' | 'public_url'>
  readonly findTrusted: FindTrusted
  readonly store: Store
}

/** A reply with 202 names the receipt. */
export type Received = Acknowledgement & { readonly receipt_id?: string | null }

type Message = Pick<RequestFacts, 'raw' | 'headers' | 'path' | 'search'>

/**
 * GitHub documents this maximum size of a message. Messages of other providers have a lower limit.
 */
export const github_bytes_max = 25 * 1024 * 1024

/**
 * The limit is known before the first byte is read. Only a large message needs a look-up of its
 * source.
 */
export async function limitFor({ kernel }: ReceiveDeps, { params, headers }: RequestHead) {
  const encoding = String(headers['content-encoding'] ?? 'identity')
  // The provider signed the compressed bytes, and we do not decompress bytes from strangers.
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw problem('unsupported_media_type', { detail: 'A packed body is not unpacked.' })
  }
  const usual = kernel.settings['webhooks.inbound_max_bytes']
  const declared = headers['content-length']
  if (declared !== undefined && Number(declared) <= usual) return usual
  const { provider = '', account_ref = '' } = params
  const scheme = await findScheme(kernel.db, { provider, account_ref })
  return scheme === 'github' ? Math.max(usual, github_bytes_max) : usual
}

export function receive(deps: ReceiveDeps, key: SourceKey, request: Message): Promise<Received> {
  return inTime(deps.kernel.settings['webhooks.inbound_ack_ms'], receiveNow(deps, key, request))
}

async function receiveNow(
  { kernel, findTrusted, store }: ReceiveDeps,
  key: SourceKey,
  request: Message,
): Promise<Received> {
  const source = await findTrusted(key)
  const scheme = schemes[source.scheme]
  const message: Incoming = {
    body: request.raw,
    headers: request.headers,
    // Never uses the Host header, because the sender of a request could then choose the signed URL.
    url: `${kernel.public_url}${request.path}${request.search}`,
  }
  const verdict = scheme.verify(message, {
    secrets: source.secrets,
    options: source.options,
    now_seconds: kernel.clock.nowSeconds(),
    window_seconds: source.tolerance_seconds,
  })
  if (verdict.outcome !== 'ok') throw problem(verdict.outcome)
  const greeting = scheme.greets?.(message)
  if (greeting) return greeting
  const envelope = scheme.envelope(message, source.options)
  if (!envelope) {
    const detail = `An id is looked for ${scheme.identified(source.options)}.`
    throw problem('envelope_invalid', { detail })
  }
  const receipt_id = await store({ source, key, envelope, message, verdict })
  return { ...scheme.received, receipt_id }
}

/**
 * After the time limit the provider gets an error and sends the message again. If the first message
 * was stored after all, the second one counts as a duplicate.
 */
async function inTime<T>(patience_ms: number, received: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(problem('service_unavailable', { retry_after: 1 })),
      patience_ms,
    )
  })
  try {
    return await Promise.race([received, late])
  } finally {
    clearTimeout(timer)
  }
}
