/**
 * One request to this Stripe: key, form, faults, idempotency, change, reply. A request that has
 * started is completed even if its caller has disconnected, and its outcome is stored under its
 * key.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, malformed } from './api-error.ts'
import { endpointOf, expanded, isForPages, type Endpoint } from './endpoints.ts'
import type { FaultRule } from './faults.ts'
import { keyInUse, unauthorized, unknownUrl } from './refusals.ts'
import { send, type Asked, type Reply } from './reply.ts'
import { strikeAfter, strikeBefore } from './strikes.ts'
import { parseForm } from './form.ts'
import type { LateRequest, PaymentIntent, StripeEvent } from './objects.ts'
import { stripeId } from './stripe-id.ts'
import { openTurns } from './turns.ts'
import { workIn, type Vended } from './vended.ts'
import { api_version, type Work } from './work.ts'

const body_bytes_max = 1 << 20
const saved_for_ms = 24 * 3_600_000

export function openApi(vended: Vended) {
  const exclusive = openTurns(() => vended.config().lock_wait_ms)
  const running = new Set<string>()

  const own = { id: vended.account, object: 'account', charges_enabled: true }

  const carryOut = async (asked: Asked, fault?: FaultRule): Promise<Reply> => {
    if (`${asked.method} ${asked.path}` === 'GET /v1/account') return { status: 200, body: own }
    const endpoint = endpointOf(asked.method, asked.path)
    if (!endpoint) throw unknownUrl(asked.method, asked.path)
    if (endpoint.read) {
      const found = endpoint.read(vended.store, asked.form, nowSeconds(vended))
      return { status: 200, body: expanded(vended.store, found, asked.form) }
    }
    const saved = replayOf(vended, asked)
    if (saved) return saved
    const scope = asked.key
    if (scope !== null && running.has(scope)) throw keyInUse()
    if (scope !== null) running.add(scope)
    try {
      return await exclusive(endpoint.about, () => execute(vended, endpoint, asked, fault))
    } finally {
      if (scope !== null) running.delete(scope)
    }
  }

  const late = (request: LateRequest): void => {
    const asked = askedOf('POST', request.path, request.body, request.key)
    carryOut(asked).catch(() => {})
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = await read(request)
    response.setHeader('request-id', asked.id)
    response.setHeader('stripe-version', api_version)
    if (asked.key !== null) response.setHeader('idempotency-key', asked.key)
    const keys = [
      vended.key,
      ...(isForPages(asked.method, asked.path) ? [vended.publishable_key] : []),
    ]
    if (!keys.some(one => request.headers.authorization === `Bearer ${one}`)) throw unauthorized()
    const about = endpointOf(asked.method, asked.path)?.about ?? null
    const metadata = about ? (vended.store.get('payment_intent', about)?.metadata ?? {}) : {}
    if (asked.method !== 'GET') vended.requests.count++
    const fault = vended.faults.forRequest({ ...asked, metadata })
    if (fault && (await strikeBefore(vended, fault, asked, response))) return
    const reply = await carryOut(asked, fault)
    if (fault && (await strikeAfter(fault, response, reply))) return
    send(response, reply)
  }

  return {
    late,
    handle: (request: IncomingMessage, response: ServerResponse): void => {
      handle(request, response).catch((error: unknown) => sendError(response, error))
    },
  }
}

function sendError(response: ServerResponse, error: unknown): void {
  if (!(error instanceof ApiError)) {
    const body = { error: { type: 'api_error', message: String(error) } }
    return send(response, { status: 500, body })
  }
  if (error.fields.code === 'lock_timeout') response.setHeader('stripe-should-retry', 'true')
  send(response, { status: error.status, body: error.body() })
}

async function execute(
  vended: Vended,
  { change }: Endpoint,
  asked: Asked,
  fault: FaultRule | undefined,
): Promise<Reply> {
  const { store, deliveries } = vended
  const events: StripeEvent[] = []
  const reply = store.change((draft): Reply => {
    const work = workIn(vended, draft, asked, events)
    let done: Reply
    try {
      const body = change?.(work, asked.form, store) ?? {}
      if (fault?.action === 'wrong_amount') lessen(work, body)
      done = { status: 200, body }
    } catch (error) {
      if (!(error instanceof ApiError) || !error.stored) throw error
      done = { status: error.status, body: error.body() }
    }
    if (asked.key !== null) {
      draft.put('reply', asked.key, {
        fingerprint: fingerprintOf(asked),
        ...done,
        at_ms: vended.clock.nowMs(),
      })
    }
    return done
  })
  if (vended.faults.comesFirst(events.map(event => event.type))) await deliveries.sendNow(events)
  deliveries.wake()
  return { ...reply, body: expanded(store, reply.body as object, asked.form) }
}

/** Simulates a provider with wrong amounts: it holds or captures less than requested. */
function lessen(work: Work, body: object): void {
  const intent = body as PaymentIntent
  if (intent.object !== 'payment_intent') return
  intent.amount_capturable = Math.floor(intent.amount_capturable / 2)
  intent.amount_received = Math.floor(intent.amount_received / 2)
  work.put('payment_intent', intent.id, intent)
}

function replayOf({ store, clock }: Vended, asked: Asked): Reply | null {
  const saved = asked.key === null ? undefined : store.get('reply', asked.key)
  if (!saved || saved.at_ms + saved_for_ms < clock.nowMs()) return null
  if (saved.fingerprint !== fingerprintOf(asked)) {
    throw new ApiError(
      400,
      { type: 'idempotency_error' },
      'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      false,
    )
  }
  return {
    status: saved.status,
    body: expanded(store, saved.body as object, asked.form),
    replayed: true,
  }
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > body_bytes_max)
      throw malformed('request_too_large', 'body', 'The request is too large.')
    chunks.push(chunk)
  }
  const url = new URL(request.url ?? '/', 'http://localhost')
  const raw =
    request.method === 'GET' ? url.search.slice(1) : Buffer.concat(chunks).toString('utf8')
  const key = request.headers['idempotency-key']
  return askedOf(request.method ?? 'GET', url.pathname, raw, typeof key === 'string' ? key : null)
}

function askedOf(method: string, path: string, raw: string, key: string | null): Asked {
  return { method, path, raw, key, form: parseForm(raw), id: stripeId('req') }
}

function fingerprintOf({ method, path, raw }: Asked): string {
  return createHash('sha256').update(`${method} ${path}\n${raw}`).digest('base64')
}

function nowSeconds({ clock }: Vended): number {
  return Math.floor(clock.nowMs() / 1000)
}
