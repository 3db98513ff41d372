/** Our client of Stripe's API, compared with the official SDK before one server. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openStripeClient, type StripeClient } from '../call-stripe.ts'

type Seen = {
  readonly method: string | undefined
  readonly path: string
  /** Of the query and the form. Their order has no meaning. */
  readonly params: readonly string[]
  readonly headers: Readonly<Record<string, unknown>>
}

let client: StripeClient
let sdk: Stripe
let seen: Seen[] = []
/** Answers the next requests, in their order. Without one, a request gets an empty object. */
let answers: ((response: ServerResponse) => void)[] = []
const server = createServer((request, response) => {
  void (async () => {
    seen.push(await seenOf(request))
    const answer = answers.shift() ?? (one => one.end('{}'))
    answer(response)
  })()
})
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  client = openStripeClient('sk_test_1', `http://127.0.0.1:${port}`, 5000)
  sdk = new Stripe('sk_test_1', { protocol: 'http', host: '127.0.0.1', port, telemetry: false })
})
beforeEach(() => {
  seen = []
  answers = []
})
afterAll(async () => {
  await client.close()
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

async function seenOf(request: IncomingMessage): Promise<Seen> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe')
  const form = new URLSearchParams(await text(request))
  const names = ['authorization', 'content-type', 'idempotency-key', 'stripe-version'] as const
  return {
    method: request.method,
    path: pathname,
    params: [...searchParams, ...form].map(([name, value]) => `${name}=${value}`).toSorted(),
    headers: Object.fromEntries(names.map(name => [name, request.headers[name]])),
  }
}

const refusal = (status: number, error: object) => (response: ServerResponse) =>
  response.writeHead(status, { 'request-id': 'req_1' }).end(JSON.stringify({ error }))
const reset = (response: ServerResponse) => response.socket?.resetAndDestroy()

test('a write is on the wire as the SDK sends it', async () => {
  const params = {
    amount: 5000,
    currency: 'eur',
    capture_method: 'manual',
    allowed_payment_method_types: ['card'],
    metadata: { intent_id: 'ä b&c=d+e[f]', tenant_id: '1' },
    expand: ['latest_charge.balance_transaction'],
  } as const satisfies Stripe.PaymentIntentCreateParams
  const copy = { ...params, allowed_payment_method_types: ['card' as const] }
  await client.post('/payment_intents', params, 'key-1')
  await sdk.paymentIntents.create(
    { ...copy, expand: [...params.expand] },
    { idempotencyKey: 'key-1' },
  )
  expect(seen).toHaveLength(2)
  expect(seen[0]).toEqual(seen[1])
  expect(seen[0]?.params).toContain('metadata[intent_id]=ä b&c=d+e[f]')
})

test('a read is on the wire as the SDK sends it', async () => {
  const params = { created: { gte: 1, lte: 2 }, limit: 100, expand: ['data.latest_charge'] }
  await client.get('/payment_intents', params)
  await sdk.paymentIntents.list(params)
  await client.get('/balance')
  await sdk.balance.retrieve()
  // The SDK names the type of a form although a read has none.
  const without = seen.map(one => ({ ...one, headers: { ...one.headers, 'content-type': null } }))
  expect(without).toHaveLength(4)
  expect(without[0]).toEqual(without[1])
  expect(without[2]).toEqual(without[3])
})

test('a closed connection is asked once more, with the same key', async () => {
  answers = [reset, response => response.end('{"id":"pi_1"}')]
  expect(await client.post('/payment_intents', {}, 'key-2')).toEqual({ id: 'pi_1' })
  expect(seen.map(one => one.headers['idempotency-key'])).toEqual(['key-2', 'key-2'])
})

test('a closed connection leaves doubt, although the second request was certainly refused', async () => {
  for (const [status, code] of [
    [429, 'lock_timeout'],
    [401, undefined],
  ] as const) {
    answers = [reset, refusal(status, { code })]
    const failure = { kind: 'doubt', code: code ?? 'provider_unauthorized' }
    await expect(client.post('/payment_intents', {}, 'key-3')).rejects.toMatchObject(failure)
  }
  answers = [reset, reset, reset]
  await expect(client.post('/refunds', {}, 'key-4')).rejects.toMatchObject({ kind: 'doubt' })
  expect(answers).toHaveLength(1)
})

test.each([
  [402, { code: 'card_declined', decline_code: 'lost_card' }, 'declined', 'lost_card'],
  [402, {}, 'declined', 'card_declined'],
  [401, { message: 'Invalid API Key' }, 'not_sent', 'provider_unauthorized'],
  [403, {}, 'not_sent', 'provider_unauthorized'],
  [429, { code: 'lock_timeout' }, 'not_sent', 'lock_timeout'],
  [400, { type: 'idempotency_error' }, 'doubt', 'idempotency_error'],
  [409, { type: 'idempotency_error' }, 'doubt', 'http_409'],
  [400, { code: 'charge_already_refunded' }, 'unexpected_state', 'charge_already_refunded'],
  [404, { code: 'resource_missing', param: 'payment_method' }, 'refused', 'payment_method_invalid'],
  [400, { code: 'parameter_invalid' }, 'refused', 'parameter_invalid'],
  [500, {}, 'doubt', 'http_500'],
])('%i %j is %s', async (status, error, kind, code) => {
  answers = [refusal(status, error)]
  await expect(client.get('/balance')).rejects.toMatchObject({ kind, code })
  expect(seen).toHaveLength(1)
})

test('an error page, an unreadable reply and a redirect leave doubt', async () => {
  answers = [
    response => response.writeHead(502).end('<html>'),
    response => response.end('{"id": '),
    response => response.writeHead(302, { location: '/v1/elsewhere' }).end(),
  ]
  for (const code of ['http_502', 'answer_unreadable', 'http_302']) {
    await expect(client.get('/balance')).rejects.toMatchObject({ kind: 'doubt', code })
  }
  expect(seen.map(one => one.path)).toEqual(['/v1/balance', '/v1/balance', '/v1/balance'])
})

test('a request that could not be sent says so', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => closed.once('listening', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise(resolve => closed.close(resolve))
  const alone = openStripeClient('sk_test_1', `http://127.0.0.1:${port}`, 5000)
  const failure = { kind: 'not_sent', code: 'ECONNREFUSED' }
  await expect(alone.post('/refunds', {}, 'key-5')).rejects.toMatchObject(failure)
  await alone.close()
})
