/**
 * Receives one message to a browser. It checks the sender's VAPID token and decrypts the payload,
 * as a browser does.
 */
import { createECDH, createPublicKey } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import ece from 'http_ece'
import { jwtVerify } from 'jose'
import { underFault } from '../http-fault.ts'
import type { Vended } from './vended.ts'

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
}

export async function receivePush(
  { mailbox, faults, subscriptions }: Vended,
  id: string,
  { request, response, body }: Exchange,
): Promise<void> {
  const browser = subscriptions.find(id)
  if (!browser) return void response.writeHead(410).end()
  const origin = `http://${request.headers.host}`
  if (!(await isSigned(request.headers.authorization ?? '', origin))) {
    return void response.writeHead(403).end()
  }
  const to = `${origin}/push/${id}`
  const rule = faults.take({ provider: 'webpush', to })
  const { title = null, body: text = '', url = null } = decrypt(browser, body)
  const envelope = { provider: 'webpush', from: '', to: [to], channel: 'push' as const }
  const headers = {
    topic: String(request.headers['topic'] ?? ''),
    ttl: String(request.headers['ttl'] ?? ''),
    url: url ?? '',
  }
  let message_id = ''
  await underFault(rule, response, {
    accept: () => {
      const parsed = {
        subject: title,
        text,
        html: null,
        headers,
        attachments: [],
        ref: headers.topic,
      }
      message_id = mailbox.accept(envelope, parsed, body).id
    },
    answer: () => void response.writeHead(201, { location: `/messages/${message_id}` }).end(),
    refuse: mode => {
      if (mode === 'rate_limit') response.setHeader('retry-after', '1')
      response
        .writeHead({ gone: 410, rate_limit: 429, reject_temp: 503 }[mode as string] ?? 400)
        .end()
    },
  })
}

async function isSigned(header: string, origin: string): Promise<boolean> {
  const [, token = '', key = ''] = /^vapid t=([^,\s]+),\s*k=(\S+)$/.exec(header) ?? []
  const point = Buffer.from(key, 'base64url')
  if (point.length !== 65) return false
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  try {
    const public_key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
    await jwtVerify(token, public_key, { audience: origin, algorithms: ['ES256'] })
    return true
  } catch {
    return false
  }
}

type Shown = { title?: string | null; body?: string; url?: string | null }

function decrypt(
  { private_key, auth }: { private_key: string; auth: string },
  body: Buffer,
): Shown {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(private_key, 'base64url')
  const plain = ece.decrypt(body, { version: 'aes128gcm', privateKey: pair, authSecret: auth })
  return JSON.parse(plain.toString('utf8')) as Shown
}
