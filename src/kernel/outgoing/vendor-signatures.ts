/**
 * Verifies the signatures of four vendors, over the raw bytes. All routes that receive messages
 * from these vendors use these functions. If the header occurs twice, no scheme matches. Each
 * result contains the secret that matched.
 */
import { Buffer } from 'node:buffer'
import { createHash, timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'node:querystring'
import {
  type MessageHeaders,
  type Secret,
  type SignatureVerdict,
  verifySigned,
} from './signatures.ts'

export type VendorMessage = {
  readonly headers: MessageHeaders
  readonly body: Buffer
  readonly secrets: readonly Secret[]
  readonly now_seconds: number
  readonly window_seconds?: number
}

const invalid = { outcome: 'signature_invalid' } as const

/** `Stripe-Signature: t=…,v1=…`, with one `v1` for each valid secret. */
export function verifyStripe(message: VendorMessage): SignatureVerdict {
  const times: string[] = []
  const signatures: string[] = []
  for (const part of headerOf(message.headers, 'stripe-signature').split(',')) {
    const one = part.trim()
    if (one.startsWith('t=')) times.push(one.slice('t='.length))
    if (one.startsWith('v1=')) signatures.push(one.slice('v1='.length))
  }
  const [timestamp, second] = times
  if (timestamp === undefined || second !== undefined) return invalid
  return verifySigned({
    ...shared(message),
    algorithm: 'sha256',
    content: [`${timestamp}.`, message.body],
    signatures: signatures.map(hexOf),
    timestamp,
  })
}

/** `X-Hub-Signature-256`. The older SHA-1 header is ignored. The scheme signs no time. */
export function verifyGithub(message: VendorMessage): SignatureVerdict {
  const header = headerOf(message.headers, 'x-hub-signature-256')
  return verifySigned({
    ...shared(message),
    algorithm: 'sha256',
    content: [message.body],
    signatures: header.startsWith('sha256=') ? [hexOf(header.slice('sha256='.length))] : [],
    timestamp: null,
  })
}

export function verifySlack(message: VendorMessage): SignatureVerdict {
  const timestamp = headerOf(message.headers, 'x-slack-request-timestamp')
  const header = headerOf(message.headers, 'x-slack-signature')
  return verifySigned({
    ...shared(message),
    algorithm: 'sha256',
    content: [`v0:${timestamp}:`, message.body],
    signatures: header.startsWith('v0=') ? [hexOf(header.slice('v0='.length))] : [],
    timestamp,
  })
}

/**
 * `X-Twilio-Signature` over the public URL and the sorted form. For any other body the URL contains
 * its hash. The scheme signs no time. We try the URL with and without its port, and with its query
 * written in two ways, because Twilio signs one of these.
 */
export function verifyTwilio(message: VendorMessage & { readonly url: string }): SignatureVerdict {
  const { body, url } = message
  const given = new URL(url).searchParams.getAll('bodySHA256')
  if (given.length > 1 || (given[0] !== undefined && !isHashOf(given[0], body))) return invalid
  const rest = given.length === 1 ? '' : sortedForm(body)
  const signature = Buffer.from(headerOf(message.headers, 'x-twilio-signature'), 'base64')
  const verdicts = addressesOf(url).map(address =>
    verifySigned({
      ...shared(message),
      algorithm: 'sha1',
      content: [address, rest],
      signatures: [signature],
      timestamp: null,
    }),
  )
  return verdicts.find(({ outcome }) => outcome === 'ok') ?? invalid
}

function shared({ secrets, now_seconds, window_seconds }: VendorMessage) {
  return { secrets, now_seconds, ...(window_seconds === undefined ? {} : { window_seconds }) }
}

function headerOf(headers: MessageHeaders, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** A signature must be hexadecimal only, because Buffer would stop at the first wrong digit. */
function hexOf(text: string): Buffer {
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0)
}

function isHashOf(text: string, body: Buffer): boolean {
  const given = hexOf(text)
  const made = createHash('sha256').update(body).digest()
  return given.length === made.length && timingSafeEqual(given, made)
}

/** Names in order. Each name is followed by its values, in order and without duplicates. */
function sortedForm(body: Buffer): string {
  const form = new URLSearchParams(body.toString('utf8'))
  return [...new Set(form.keys())]
    .sort()
    .flatMap(name => [...new Set(form.getAll(name))].sort().map(value => name + value))
    .join('')
}

function addressesOf(url: string): readonly string[] {
  const [, scheme = '', host = '', port, rest = ''] =
    /^(https?:\/\/)(\[[^\]]*\]|[^/?#:]*)(:\d+)?(.*)$/is.exec(url) ?? []
  const usual = scheme.toLowerCase() === 'https://' ? ':443' : ':80'
  const [path = '', query] = rest.split(/\?(.*)/s)
  const plain = query === undefined ? rest : `${path}?${stringify(parse(query))}`
  return [
    ...new Set([
      url,
      ...[rest, plain].flatMap(end => [scheme + host + end, scheme + host + (port ?? usual) + end]),
    ]),
  ]
}
