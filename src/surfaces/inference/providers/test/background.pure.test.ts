/** Background responses through the adapter of the Responses API, and the webhooks about them. */
import { Buffer } from 'node:buffer'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Provider } from '../provider.ts'
import {
  openAdapterWorld,
  openLedger,
  optionsOf,
  requestOf,
  type AdapterWorld,
} from './adapter-world.ts'

let world: AdapterWorld
let provider: Provider
beforeAll(async () => {
  world = await openAdapterWorld()
  provider = world.provider('openai')
})
afterAll(() => world.close())

const { signal } = new AbortController()
async function ended(id: string): Promise<void> {
  await expect.poll(async () => (await provider.retrieve(id, signal)).status).not.toBe('queued')
}

describe('a background response', () => {
  test('is created once, found by its operation, and read when it has ended', async () => {
    const request = requestOf('Tell me. [[sandbox background_ms=100]]')
    const ledger = openLedger()
    const created = await provider.background(request, optionsOf({ ledger }))
    expect(created).toMatchObject({
      status: 'queued',
      operation_id: request.operation_id,
      outcome: null,
      text: '',
      usage: null,
    })
    expect(ledger.rows).toMatchObject([{ attempt: 1, state: 'succeeded' }])
    const again = await provider.background(request, optionsOf({ ledger: openLedger() }))
    expect(again.response_id).toBe(created.response_id)
    await ended(created.response_id)
    const response = await provider.retrieve(created.response_id, signal)
    expect(response).toMatchObject({ status: 'completed', outcome: { ended: 'stop' } })
    expect(response.text.length).toBeGreaterThan(100)
    expect(response.usage?.output).toBeGreaterThan(10)
  })

  test.each([
    ['failed_event', { code: 'service_unavailable', retryable: true }],
    ['refusal', { code: 'content_blocked', blocked: 'provider_refusal' }],
    ['content_filter', { code: 'content_blocked', blocked: 'provider_content_filter' }],
    ['incomplete', { ended: 'length' }],
  ])('%s', async (fault, outcome) => {
    const request = requestOf(`Tell me. [[sandbox fault=${fault} times=1]]`)
    const { response_id } = await provider.background(request, optionsOf())
    await ended(response_id)
    expect((await provider.retrieve(response_id, signal)).outcome).toMatchObject(outcome)
  })

  test('is cancelled, once', async () => {
    const request = requestOf('Tell me. [[sandbox background_ms=60000]]')
    const { response_id } = await provider.background(request, optionsOf())
    for (let asked = 0; asked < 2; asked++) {
      expect(await provider.cancel(response_id, signal)).toMatchObject({
        status: 'cancelled',
        outcome: { code: 'aborted' },
      })
    }
  })

  test('whose answer was lost leaves doubt, and the same key finds it', async () => {
    const request = requestOf('Tell me. [[sandbox fault=lost_response times=3]]')
    const ledger = openLedger()
    const lost = provider.background(request, optionsOf({ ledger }))
    await expect(lost).rejects.toMatchObject({ code: 'upstream_timeout', ambiguous: true })
    expect(ledger.rows.map(one => one.state)).toEqual(['ambiguous', 'ambiguous', 'ambiguous'])
    const found = await provider.background({ ...request, attempts_before: 3 }, optionsOf())
    expect(found.operation_id).toBe(request.operation_id)
  })

  test('that is unknown is no outage', async () => {
    await expect(provider.retrieve('resp_unknown', signal)).rejects.toMatchObject({
      code: 'service_unavailable',
      ambiguous: false,
      reason: 'http_404',
    })
  })
})

describe('a webhook', () => {
  type Message = { readonly raw: Buffer; readonly headers: IncomingHttpHeaders }
  const received: Message[] = []
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk as Buffer))
    request.on('end', () => {
      received.push({ raw: Buffer.concat(chunks), headers: request.headers })
      response.writeHead(204).end()
    })
  })
  let response_id = ''
  beforeAll(async () => {
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    await world.control('config', { webhook_url: `http://127.0.0.1:${port}/` })
    const request = requestOf('Hello. [[sandbox fault=webhook_first]]')
    response_id = (await provider.background(request, optionsOf())).response_id
  })
  afterAll(() => new Promise(resolve => receiver.close(resolve)))

  /** The latest message about our response: those of other tests may come in between. */
  const latest = () => received.findLast(one => one.raw.includes(response_id)) as Message
  const now_seconds = () => Math.floor(Date.now() / 1000)
  const verify = ({ raw, headers }: Message) =>
    provider.verifyWebhook({ raw, headers, now_seconds: now_seconds() })
  /** What the SDK says to the same message. */
  const unwrap = ({ raw, headers }: Message) => {
    const client = new OpenAI({ apiKey: 'x', logLevel: 'off' })
    const secret = world.address('webhook_secret')
    return client.webhooks.unwrap(raw.toString('utf8'), headers, secret)
  }
  const send = async (how: object): Promise<Message> => {
    await world.control('webhooks', { response_id, ...how })
    return latest()
  }

  test('that is genuine names its event and its response, as the SDK reads it', async () => {
    const message = latest()
    expect(await unwrap(message)).toMatchObject({
      type: 'response.completed',
      data: { id: response_id },
    })
    expect(await verify(message)).toEqual({
      event: { event_id: message.headers['webhook-id'], type: 'response.completed', response_id },
    })
  })

  test('that is tampered with or old is refused, as by the SDK', async () => {
    const tampered = await send({ tamper: true })
    await expect(unwrap(tampered)).rejects.toThrow(/signature/i)
    expect(await verify(tampered)).toEqual({ refused: 'signature_invalid' })
    const old = await send({ old_timestamp: true })
    await expect(unwrap(old)).rejects.toThrow(/timestamp/i)
    expect(await verify(old)).toEqual({ refused: 'timestamp_out_of_window' })
    const message = latest()
    const { 'webhook-signature': _, ...headers } = message.headers
    expect(await verify({ ...message, headers })).toEqual({ refused: 'signature_invalid' })
  })

  test('of another kind names no response', async () => {
    const message = await send({ type: 'batch.completed' })
    expect(await verify(message)).toMatchObject({
      event: { type: 'batch.completed', response_id: null },
    })
  })

  test('is never genuine for a provider without webhooks', async () => {
    const compatible = world.provider('openai_compatible')
    const { raw, headers } = latest()
    const message = { raw, headers, now_seconds: now_seconds() }
    expect(await compatible.verifyWebhook(message)).toEqual({ refused: 'signature_invalid' })
  })
})
