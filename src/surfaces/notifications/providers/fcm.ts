/**
 * Sends to phones with FCM's HTTP v1 protocol over one HTTP/2 connection, as a Firebase service
 * account.
 */
import { connect, constants, type ClientHttp2Session } from 'node:http2'
import { importPKCS8, SignJWT } from 'jose'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { openUpstream } from '#dodeca/kernel'
import { storedId, type Outcome, type Provider } from './outcome.ts'
import type { ServiceAccount } from './read-relays.ts'

const Token = Type.Object({ access_token: Type.String(), expires_in: Type.Number() })
const Sent = Type.Object({ name: Type.String({ maxLength: 200 }) })
const Failed = Type.Object({
  error: Type.Object({
    status: Type.String(),
    details: Type.Optional(Type.Array(Type.Object({ errorCode: Type.Optional(Type.String()) }))),
  }),
})
const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const deadline_ms = 15_000
const answer_bytes_max = 64 * 1024

export function openFcm(options: {
  readonly name: string
  readonly account: ServiceAccount
  readonly base_url: string
  readonly connections: number
}): Provider {
  const { name, account, base_url, connections } = options
  const tokens = openTokens(account)
  const line = openLine(base_url)
  const path = `/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`
  return {
    name,
    channel: 'push',
    reaches: 'fcm',
    connections,
    send: async ({ ref, to, message, ttl_seconds }, signal) => {
      const { subject, text, url } = message
      const body = JSON.stringify({
        message: {
          token: to,
          notification: { title: subject ?? '', body: text },
          data: { ref, ...(url === null ? {} : { url }) },
          android: { collapse_key: ref.slice(0, 64), ttl: `${ttl_seconds}s` },
        },
      })
      const token = await tokens.current().catch(() => null)
      if (token === null) return { kind: 'failed', code: 'provider_auth_failed' }
      const outcome = await line.post(path, token, body, signal).then(outcomeOf, failureOf)
      if (outcome.kind === 'failed' && outcome.code === 'provider_auth_failed') tokens.forget(token)
      return outcome
    },
    close: async () => {
      line.close()
      await tokens.close()
    },
  }
}

function openTokens({ client_email, private_key, token_uri }: ServiceAccount) {
  const { origin, pathname } = new URL(token_uri)
  const upstream = openUpstream({ name: 'fcm_tokens', base_url: origin, connections: 2 })
  let known: { token: string; until: number } | null = null
  let asking: Promise<string> | null = null
  const ask = async () => {
    const key = await importPKCS8(private_key, 'RS256')
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(client_email)
      .setAudience(token_uri)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key)
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    const { status, body } = await upstream.call({
      method: 'POST',
      path: pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type, assertion }).toString(),
      idempotent: true,
      deadline_ms,
    })
    const granted: unknown = status === 200 ? JSON.parse(body.toString('utf8')) : null
    if (!Value.Check(Token, granted)) throw new Error(`the token endpoint answered ${status}`)
    known = {
      token: granted.access_token,
      until: performance.now() + (granted.expires_in - 60) * 1000,
    }
    return granted.access_token
  }
  return {
    current: () => {
      if (known && performance.now() < known.until) return Promise.resolve(known.token)
      return (asking ??= ask().finally(() => {
        asking = null
      }))
    },
    /** FCM refuses the token, for example because it was revoked: the next message gets a new one. */
    forget: (token: string) => {
      if (known?.token === token) known = null
    },
    close: () => upstream.close(),
  }
}

type Answer = { status: number; retry_after: string | undefined; body: unknown }

class LineFailure extends Error {
  readonly sent: boolean
  readonly timed_out: boolean
  constructor(message: string, sent: boolean, timed_out: boolean) {
    super(message)
    this.sent = sent
    this.timed_out = timed_out
  }
}

/** One session for all requests. After it breaks, the next request opens a new one. */
function openLine(base_url: string) {
  let session: ClientHttp2Session | null = null
  const current = (): ClientHttp2Session => {
    if (session && !session.closed && !session.destroyed) return session
    const opened = connect(base_url)
    opened.on('error', () => opened.destroy())
    opened.setTimeout(60_000, () => opened.close())
    opened.unref()
    session = opened
    return opened
  }
  return {
    close: () => session?.destroy(),
    post: (path: string, token: string, body: string, signal: AbortSignal): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const at = current()
        const stream = at.request({
          [constants.HTTP2_HEADER_METHOD]: 'POST',
          [constants.HTTP2_HEADER_PATH]: path,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        })
        let sent = false
        const fail = (message: string, timed_out = false) => {
          stream.close(constants.NGHTTP2_CANCEL)
          reject(new LineFailure(message, sent, timed_out))
        }
        const abort = () => fail('aborted')
        signal.addEventListener('abort', abort, { once: true })
        stream.setTimeout(deadline_ms, () => fail('no answer in time', true))
        stream.on('ready', () => {
          sent = true
        })
        stream.on('error', (error: Error) => fail(error.message))
        const chunks: Buffer[] = []
        let head: Record<string, unknown> = {}
        stream.on('response', headers => {
          head = headers
        })
        let bytes = 0
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > answer_bytes_max) return fail('the answer is too long')
          chunks.push(chunk)
        })
        stream.on('close', () => fail('closed without an answer'))
        stream.on('end', () => {
          signal.removeEventListener('abort', abort)
          const status = Number(head[constants.HTTP2_HEADER_STATUS] ?? 0)
          if (status === 0) return fail('closed without an answer')
          const retry_after = head['retry-after'] as string | undefined
          resolve({ status, retry_after, body: parsed(Buffer.concat(chunks)) })
        })
        stream.end(body)
      }),
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}

function outcomeOf({ status, retry_after, body }: Answer): Outcome {
  if (status === 200) {
    return Value.Check(Sent, body)
      ? { kind: 'accepted', provider_message_id: storedId(body.name) }
      : { kind: 'unknown', code: 'provider_unavailable' }
  }
  const retry_after_seconds = /^\d{1,5}$/.test(retry_after ?? '') ? Number(retry_after) : null
  const failure = Value.Check(Failed, body) ? body.error : { status: '', details: [] }
  const code =
    failure.details?.find(one => one.errorCode !== undefined)?.errorCode ?? failure.status
  if (status === 404 || code === 'UNREGISTERED') {
    return { kind: 'refused', code: 'destination_gone', gone: true }
  }
  if (status === 429) return { kind: 'failed', code: 'provider_rate_limited', retry_after_seconds }
  if (status >= 500) return { kind: 'failed', code: 'provider_unavailable', retry_after_seconds }
  if (status === 401) return { kind: 'failed', code: 'provider_auth_failed' }
  if (code === 'SENDER_ID_MISMATCH') {
    return { kind: 'refused', code: 'invalid_destination', gone: true }
  }
  return { kind: 'refused', code: 'content_rejected' }
}

function failureOf(error: unknown): Outcome {
  if (!(error instanceof LineFailure)) throw error
  const code = error.timed_out ? 'provider_timeout' : 'provider_unavailable'
  return error.sent ? { kind: 'unknown', code } : { kind: 'failed', code }
}
