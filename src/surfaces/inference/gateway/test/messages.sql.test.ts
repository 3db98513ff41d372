/** The Messages API, as the official SDK of Anthropic calls it and reads it. */
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../../test/world.ts'
import { openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'
import { callerOf, type Caller } from './sdk.ts'

type Params = Anthropic.Messages.MessageCreateParamsNonStreaming
type Turns = Anthropic.Messages.MessageParam[]

let world: InferenceWorld
let caller: Caller
let client: Anthropic
beforeAll(async () => {
  world = await openInferenceWorld()
  caller = await callerOf(world)
  client = clientOf(caller)
})
afterAll(() => world.close())

function clientOf({ api_key }: Pick<Caller, 'api_key'>): Anthropic {
  return new Anthropic({ baseURL: world.url, apiKey: api_key, maxRetries: 0 })
}

/** The status, and the `error` of the body. */
async function failure(work: PromiseLike<unknown>) {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Anthropic.APIError)) throw error
    const { error: said } = error.error as { error: Record<string, unknown> }
    return [error.status, said['type'], said['code'], said['param']]
  }
  throw new Error('the call succeeded')
}

const usual = { model: 'default', max_tokens: 200 }
const input_schema = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = { name: 'weather', description: 'The weather now.', input_schema }
const asks = 'What is it like? [[sandbox call=weather args={"city":"Bern"} reasoning=50]]'
const hello: Turns = [{ role: 'user', content: 'Write about the sea.' }]

describe('messages', () => {
  test('create returns text and usage; system text is the system role', async () => {
    const made = await client.messages.create({ ...usual, system: 'Be brief.', messages: hello })
    expect(made).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'sandbox-large-2026-01-01',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: expect.any(String) }],
    })
    expect(made.usage.output_tokens).toBeGreaterThan(5)
    const [sent] = await world.journal(made.id)
    expect(sent.body.input).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Write about the sea.' },
    ])
    const short = await client.messages.create({ ...usual, max_tokens: 3, messages: hello })
    expect(short.stop_reason).toBe('max_tokens')
  })

  test('stream builds the same message', async () => {
    const whole = await client.messages.create({ ...usual, messages: hello })
    const stream = client.messages.stream({ ...usual, messages: hello })
    const final = await stream.finalMessage()
    expect(final.content).toEqual(whole.content)
    expect([final.stop_reason, final.usage.output_tokens]).toEqual([
      'end_turn',
      whole.usage.output_tokens,
    ])
  })

  test('runs a tool with its thoughts, blocking and streamed', async () => {
    const messages: Turns = [{ role: 'user', content: asks }]
    const body = { ...usual, messages, tools: [weather] }
    const blocking = await client.messages.create(body)
    const streamed = await client.messages.stream(body).finalMessage()
    for (const { content, stop_reason } of [blocking, streamed]) {
      expect(stop_reason).toBe('tool_use')
      expect(content).toMatchObject([
        { type: 'redacted_thinking', data: expect.any(String) },
        { type: 'tool_use', name: 'weather', input: { city: 'Bern' } },
      ])
      const used = content.find(block => block.type === 'tool_use')
      const answered: Turns = [
        ...messages,
        { role: 'assistant', content: content as Anthropic.Messages.ContentBlockParam[] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: used?.id ?? '',
              content: 'No such city.',
              is_error: true,
            },
            { type: 'text', text: 'And now?' },
          ],
        },
      ]
      const next = await client.messages.create({ ...body, messages: answered })
      expect(next.stop_reason).toBe('end_turn')
      const [sent] = await world.journal(next.id)
      expect(sent.body.input.slice(1)).toMatchObject([
        { type: 'reasoning' },
        { type: 'function_call', name: 'weather' },
        { type: 'function_call_output', output: '{"error":"No such city."}' },
        { role: 'user', content: 'And now?' },
      ])
    }
  })

  test('ends at a stop sequence, and says which', async () => {
    const prompt = `Count. ${newKey()}`
    const fault = {
      action: 'say',
      deltas: ['one tw', 'o three'],
      match: { prompt_contains: prompt },
    }
    await world.fault({ ...fault, times: 4 })
    const messages: Turns = [{ role: 'user', content: prompt }]
    const body = { ...usual, messages, stop_sequences: [' three', ' two'] }
    const ended = { stop_reason: 'stop_sequence', stop_sequence: ' two' }
    const key = () => ({ headers: { 'idempotency-key': newKey() } })
    const [whole, streamed] = [key(), key()]
    for (const time of [1, 2]) {
      expect(await client.messages.create(body, whole), `${time}`).toMatchObject(ended)
      const final = await client.messages.stream(body, streamed).finalMessage()
      expect(final).toMatchObject({ ...ended, content: [{ text: 'one' }] })
    }
    expect(await client.messages.create({ ...body, stop_sequences: ['one'] })).toMatchObject({
      content: [],
      stop_sequence: 'one',
    })
  })

  test('is retried with its key', async () => {
    const headers = { 'idempotency-key': newKey() }
    const first = await client.messages.create({ ...usual, messages: hello }, { headers })
    expect(await client.messages.create({ ...usual, messages: hello }, { headers })).toEqual(first)
    expect(await world.journal(first.id)).toHaveLength(1)
  })

  test('countTokens counts as the quota does', async () => {
    const body = { model: 'default', messages: hello }
    const few = await client.messages.countTokens(body)
    const more = await client.messages.countTokens({ ...body, tools: [weather] })
    expect(few.input_tokens).toBeGreaterThan(5)
    expect(more.input_tokens).toBeGreaterThan(few.input_tokens)
  })
})

test.each([
  ['top_k', { top_k: 5 }],
  ['thinking.type', { thinking: { type: 'adaptive' } }],
  ['container', { container: 'c' }],
  ['tools.0.type', { tools: [{ type: 'bash_20250124', name: 'bash', input_schema }] }],
])('%s is refused by its name', async (param, more) => {
  const body = { ...usual, messages: hello, ...more } as unknown as Params
  expect(await failure(client.messages.create(body))).toEqual([
    422,
    'invalid_request_error',
    'unsupported_parameter',
    param,
  ])
})

describe('the key', () => {
  test('is read from x-api-key there, from one header, and nowhere else', async () => {
    const headers = { 'x-api-key': caller.api_key }
    const body = { ...usual, messages: hello }
    const ask = (path: string, more: object) =>
      world.call('POST', path, { body, headers: { ...headers, ...more } })
    expect((await ask('/v1/messages', {})).status).toBe(200)
    const both = await ask('/v1/messages', { authorization: `Bearer ${caller.api_key}` })
    expect([both.status, both.body.code]).toEqual([400, 'invalid_header'])
    const elsewhere = await ask('/v1/chat/completions', {})
    expect([elsewhere.status, elsewhere.body.code]).toEqual([401, 'authentication_required'])
  })

  test('that is wrong is an authentication error', async () => {
    const wrong = clientOf({ api_key: 'sk-ant-none' })
    const [status, type] = await failure(wrong.messages.create({ ...usual, messages: hello }))
    expect([status, type]).toEqual([401, 'authentication_error'])
  })
})

test('a stream that breaks is an error, and not a message', async () => {
  const messages: Turns = [{ role: 'user', content: 'Hello. [[sandbox fault=stream_cut]]' }]
  const stream = client.messages.stream({ ...usual, messages })
  await expect(stream.finalMessage()).rejects.toThrow('upstream_invalid_response')
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
