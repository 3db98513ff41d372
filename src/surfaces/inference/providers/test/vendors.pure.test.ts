/** What differs between the vendors: thoughts that return, files, lies about usage, proofs of the caller. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Auth } from '../auth.ts'
import { openLines } from '../lines.ts'
import { openCompatible } from '../wire/chat.ts'
import { message, type Item, type ToolCall } from '../form.ts'
import type { ProviderRequest } from '../provider.ts'
import {
  kinds,
  limits_default,
  openAdapterWorld,
  outcomeOf,
  requestOf,
  type AdapterWorld,
  type Outcome,
} from './adapter-world.ts'

let world: AdapterWorld
beforeAll(async () => {
  world = await openAdapterWorld()
})
afterAll(() => world.close())

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const tools = [{ name: 'weather', description: 'The weather now.', schema }]
const asks = 'What is it like? [[sandbox call=weather args={"city":"Bern"} reasoning=50]]'
const begun = [message('user', asks)]

const callsIn = ({ events }: Outcome) =>
  events.flatMap(one => (one.type === 'tool_call' ? one : []))
const sealedIn = ({ events }: Outcome, provider: string) =>
  events.flatMap(one => (one.type === 'sealed' ? [{ ...one, provider }] : []))

function answered(calls: readonly ToolCall[], sealed: readonly Item[]): readonly Item[] {
  return [
    ...begun,
    ...sealed,
    ...calls.map(({ id, name, arguments: said }): Item => {
      return { type: 'tool_call', id, name, arguments: said }
    }),
    ...calls.map(({ id }): Item => ({ type: 'tool_result', id, output: '21 degrees' })),
  ]
}

async function listening(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { server, base_url: `http://127.0.0.1:${port}/v1` }
}

const ask = (kind: (typeof kinds)[number], more: Partial<ProviderRequest>, auth?: () => Auth) =>
  outcomeOf(world.provider(kind, { max_retries: 0 }, auth), requestOf('Tell me.', more))

describe.each(kinds)('%s', kind => {
  test('calls a tool, and reads its result and its own thoughts', async () => {
    const first = await ask(kind, { input: begun, tools })
    expect(first.events.at(-1)).toEqual({ type: 'ended', reason: 'tool_calls' })
    expect(callsIn(first)).toMatchObject([{ name: 'weather', arguments: '{"city":"Bern"}' }])
    const sealed = sealedIn(first, kind)
    const second = await ask(kind, { input: answered(callsIn(first), sealed), tools })
    expect([second.failure, second.text.length > 10]).toEqual([null, true])
  })

  test('calls two tools at once', async () => {
    const input = `${asks} [[sandbox calls=2]]`
    const first = await ask(kind, { input, tools })
    expect(callsIn(first)).toHaveLength(2)
    const items = answered(callsIn(first), sealedIn(first, kind))
    const second = await ask(kind, { input: [...items, message('user', 'And now?')], tools })
    expect([second.failure, second.text.length > 10]).toEqual([null, true])
  })

  test.each([
    ['auto', null],
    ['none', null],
    ['required', 'weather'],
    [{ name: 'weather' }, 'weather'],
  ] as const)('obeys the choice %s', async (tool_choice, name) => {
    const outcome = await ask(kind, { tools, tool_choice })
    expect(callsIn(outcome).map(one => one.name)).toEqual(name === null ? [] : [name])
  })

  test('reads an image and a document', async () => {
    const data = Buffer.from('bytes').toString('base64')
    const parts = [
      { type: 'image', media_type: 'image/png', data },
      { type: 'document', media_type: 'application/pdf', data, name: 'a.pdf' },
      { type: 'text', text: 'What is this?' },
    ] as const
    const request = requestOf('', { input: [{ type: 'message', role: 'user', parts }] })
    const { failure } = await outcomeOf(world.provider(kind), request)
    expect(failure).toBeNull()
    const [seen] = await world.requests(request.operation_id)
    expect(JSON.stringify(seen.body).split(data)).toHaveLength(3)
  })

  test.each(['negative', 'huge'])('a %s usage is no usage', async code => {
    const said = `Tell me. [[sandbox fault=usage_lies code=${code}]]`
    const { events, failure } = await ask(kind, { input: said })
    expect(failure).toBeNull()
    expect(events.filter(one => one.type === 'usage')).toEqual([])
  })

  test('an answer that ends twice has one end', async () => {
    const { events } = await ask(kind, { input: 'Tell me. [[sandbox fault=ends_twice]]' })
    expect(events.filter(one => one.type === 'ended')).toEqual([{ type: 'ended', reason: 'stop' }])
  })

  test('arguments that break off are no call of another tool', async () => {
    const outcome = await ask(kind, { input: `${asks} [[sandbox fault=tool_bad_json]]`, tools })
    const [call] = callsIn(outcome)
    expect(call?.arguments ?? null).toBe(kind === 'gemini' ? null : '{"city":"Bern"')
  })

  test('how long it thinks is on the wire', async () => {
    for (const reasoning_effort of ['minimal', 'high'] as const) {
      const request = requestOf('Tell me.', { reasoning_effort })
      const { failure } = await outcomeOf(world.provider(kind), request)
      expect(failure).toBeNull()
      const [seen] = await world.requests(request.operation_id)
      const low = kind === 'anthropic' && reasoning_effort === 'minimal' ? 'low' : reasoning_effort
      const sent = kind === 'gemini' ? low.toUpperCase() : low
      expect(JSON.stringify(seen.body)).toContain(`"${sent}"`)
    }
  })

  test('a wrong key is refused once', async () => {
    const { failure, rows } = await ask(kind, {}, () => ({ type: 'bearer', key: 'wrong' }))
    expect([failure?.code, failure?.retryable, rows.length]).toEqual([
      'service_unavailable',
      false,
      1,
    ])
  })
})

describe('without its thoughts', () => {
  const without = (items: readonly Item[]) => items.filter(one => one.type !== 'sealed')

  test('a request to Anthropic is refused', async () => {
    const first = await ask('anthropic', { input: begun, tools })
    const input = without(answered(callsIn(first), []))
    const second = await ask('anthropic', { input, tools })
    expect(second.failure).toMatchObject({ code: 'upstream_invalid_response', retryable: false })
  })

  test('calls of another model are taken by Gemini as such', async () => {
    const first = await ask('anthropic', { input: begun, tools })
    const input = answered(callsIn(first), sealedIn(first, 'anthropic'))
    const second = await ask('gemini', { input, tools })
    expect([second.failure, second.text.length > 10]).toEqual([null, true])
  })
})

describe('a wish that a vendor has no word for', () => {
  test.each([
    ['anthropic', { response_format: { type: 'json_object' } }],
    ['anthropic', { temperature: 1.5 }],
    ['gemini', { tools, parallel_tool_calls: false }],
  ] as const)('at %s, %o, is refused and not sent', async (kind, more) => {
    const request = requestOf('Tell me.', more)
    const { failure } = await outcomeOf(world.provider(kind), request)
    expect(failure).toMatchObject({ code: 'model_capability_unsupported', retryable: false })
    expect(await world.requests(request.operation_id)).toEqual([])
  })
})

describe('the caller is proved', () => {
  const ways: readonly [string, (typeof kinds)[number], (key: string) => Auth, string][] = [
    ['a bearer', 'openai', key => ({ type: 'bearer', key }), 'bearer'],
    ["Azure's header", 'openai', key => ({ type: 'header', header: 'api-key', key }), 'api-key'],
    [
      "Google's header",
      'gemini',
      key => ({ type: 'header', header: 'x-goog-api-key', key }),
      'x-goog-api-key',
    ],
    [
      'a signature of AWS, to the API of OpenAI',
      'openai_compatible',
      secret_access_key => ({
        type: 'aws',
        region: 'us-east-1',
        access_key_id: 'AKIASANDBOX',
        secret_access_key,
      }),
      'aws',
    ],
    [
      'a signature of AWS, to the API of Anthropic',
      'anthropic',
      secret_access_key => ({
        type: 'aws',
        region: 'eu-central-1',
        access_key_id: 'AKIASANDBOX',
        secret_access_key,
      }),
      'aws',
    ],
  ]
  test.each(ways)('by %s', async (_, kind, auth, way) => {
    const request = requestOf('Hello. [[sandbox fault=rate_limit times=1 retry_after_ms=1]]')
    const { failure, rows } = await outcomeOf(world.provider(kind, {}, auth), request)
    expect([failure, rows.length]).toEqual([null, 2])
    const seen = await world.requests(request.operation_id)
    expect(seen.map(one => one.auth)).toEqual([way, way])
  })

  test('not at another host that the first one names', async () => {
    const heard: unknown[] = []
    const other = await listening((request, response) => {
      heard.push(request.headers)
      response.end()
    })
    const first = await listening((_, response) => {
      response.writeHead(307, { location: `${other.base_url}/chat/completions` }).end()
    })
    const provider = openCompatible({
      name: 'moved',
      lines: openLines({
        name: 'moved',
        limits: { ...limits_default, max_retries: 0 },
        breaker_open_ms: 60_000,
        nowMs: () => Date.now(),
        connection: () => ({ base_url: first.base_url, auth: { type: 'bearer', key: 'sk-1' } }),
      }),
    })
    const { failure } = await outcomeOf(provider, requestOf('Tell me.'))
    expect(failure).toMatchObject({ code: 'service_unavailable', retryable: false })
    expect(heard).toEqual([])
    await provider.close()
    for (const { server } of [first, other]) server.close()
  })

  test('not by a signature with another secret', async () => {
    const auth = {
      type: 'aws',
      region: 'us-east-1',
      access_key_id: 'AKIASANDBOX',
      secret_access_key: 'another',
    } as const
    const { failure } = await ask('openai_compatible', {}, () => auth)
    expect(failure).toMatchObject({ code: 'service_unavailable', retryable: false })
  })
})
