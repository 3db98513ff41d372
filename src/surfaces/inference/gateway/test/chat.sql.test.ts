/** Chat Completions, as the official SDK calls it and reads it. */
import type OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { newKey } from '../../../../../test/world.ts'
import { openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'
import { callerOf, failure, openaiAt, type Caller } from './sdk.ts'

type Params = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

let world: InferenceWorld
let caller: Caller
let client: OpenAI
beforeAll(async () => {
  world = await openInferenceWorld()
  caller = await callerOf(world)
  client = openaiAt(world, caller)
})
afterAll(() => world.close())

const model = 'default'
const user = (content: string) => ({ role: 'user' as const, content })
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = {
  type: 'function' as const,
  function: { name: 'weather', description: 'The weather now.', parameters, strict: true },
}
// Parameters that the SDK calls deprecated, and that older clients send.
const [older_user, seeds]: object[] = [{ user: 'u1' }, { seed: 1 }]
const asks = 'What is it like? [[sandbox call=weather args={"city":"Bern"}]]'

describe('chat.completions', () => {
  test('create returns text, usage and the end; system text is the system role', async () => {
    const system = { role: 'system' as const, content: 'Be brief.' }
    const made = await client.chat.completions.create({
      model,
      messages: [system, user('Write about the sea.')],
      metadata: { shop: 'a' },
    })
    const [choice] = made.choices
    expect(made).toMatchObject({
      object: 'chat.completion',
      model: 'sandbox-large-2026-01-01',
      metadata: { shop: 'a' },
    })
    expect(choice).toMatchObject({ finish_reason: 'stop', message: { refusal: null } })
    expect(choice?.message.content?.length).toBeGreaterThan(10)
    expect(made.usage?.total_tokens).toBe(
      (made.usage?.prompt_tokens ?? 0) + (made.usage?.completion_tokens ?? 0),
    )
    const [sent] = await world.journal(made.id)
    expect(sent.body.instructions).toBeUndefined()
    expect(sent.body.input).toEqual([system, user('Write about the sea.')])
    // It is an ordinary call, whose texts are not stored.
    const read = await caller.ask('GET', `/v1/inferences/${made.id}`)
    expect(read.status).toBe(404)
  })

  test('create streams the same text, with its usage where it is asked for', async () => {
    const body = { model, messages: [user('Write about ships.')] }
    const whole = await client.chat.completions.create(body)
    const chunks: OpenAI.Chat.Completions.ChatCompletionChunk[] = []
    const stream = await client.chat.completions.create({
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    })
    for await (const chunk of stream) chunks.push(chunk)
    const text = chunks.map(one => one.choices[0]?.delta.content ?? '').join('')
    expect(text).toBe(whole.choices[0]?.message.content)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(new Set(chunks.map(one => one.id)).size).toBe(1)
    const final = await client.chat.completions.stream(body).finalChatCompletion()
    expect(final.choices[0]?.message.content).toBe(text)
  })

  test('runs the loop of tools, blocking and streamed', async () => {
    const cities: unknown[] = []
    const tool = {
      ...weather,
      function: {
        ...weather.function,
        parse: JSON.parse,
        function: ({ city }: { city: string }) => {
          cities.push(city)
          return '21 degrees'
        },
      },
    }
    const body = { model, messages: [user(asks)], tools: [tool] }
    const runner = client.chat.completions.runTools(body)
    expect((await runner.finalContent())?.length).toBeGreaterThan(10)
    expect(runner.messages.map(one => one.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    const streamed = client.chat.completions.runTools({ ...body, stream: true })
    expect((await streamed.finalContent())?.length).toBeGreaterThan(10)
    expect(cities).toEqual(['Bern', 'Bern'])
  })

  test('gives the thoughts of its model back, although the client cannot send them', async () => {
    const messages: Params['messages'] = [user(`${asks} [[sandbox reasoning=50]]`)]
    const first = await client.chat.completions.create({ model, messages, tools: [weather] })
    const said = first.choices[0]?.message
    const [call] = said?.tool_calls ?? []
    if (!said || !call) throw new Error('no call')
    const result = { role: 'tool' as const, tool_call_id: call.id, content: '21 degrees' }
    const next = [...messages, said, result]
    const second = await client.chat.completions.create({ model, messages: next, tools: [weather] })
    const [sent] = await world.journal(second.id)
    const types = (sent.body.input as { type?: string }[]).map(item => item.type ?? 'message')
    expect(types).toEqual(['message', 'reasoning', 'function_call', 'function_call_output'])
  })

  test('returns structured outputs that fit', async () => {
    const schema = { ...parameters }
    const parsed = await client.chat.completions.parse({
      model,
      messages: [user('Where?')],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'place', schema, strict: true },
      },
    })
    expect(parsed.choices[0]?.message.parsed).toEqual({ city: expect.any(String) })
    const object = await client.chat.completions.create({
      model,
      messages: [user('Where? As JSON.')],
      response_format: { type: 'json_object' },
    })
    expect(JSON.parse(object.choices[0]?.message.content ?? '')).toBeTypeOf('object')
  })

  test('is retried with its key, blocking and streamed', async () => {
    const body = { model, messages: [user(`Once. ${newId()}`)] }
    const headers = { 'idempotency-key': newKey() }
    const [first, again] = [
      await client.chat.completions.create(body, { headers }),
      await client.chat.completions.create(body, { headers }),
    ]
    expect(again).toEqual(first)
    expect(await world.journal(first.id)).toHaveLength(1)
    const key = { headers: { 'idempotency-key': newKey() } }
    const read = async () => {
      const stream = await client.chat.completions.create({ ...body, stream: true }, key)
      let text = ''
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      return text
    }
    expect(await read()).toBe(await read())
  })

  test('stops before a sequence', async () => {
    const prompt = `Count. ${newId()}`
    await world.fault({
      action: 'say',
      deltas: ['one tw', 'o three'],
      match: { prompt_contains: prompt },
    })
    const made = await client.chat.completions.create({
      model,
      messages: [user(prompt)],
      stop: ' two',
    })
    expect(made.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'one' } })
  })
})

describe('what would be dropped', () => {
  const refused: readonly [string, object][] = [
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['frequency_penalty', { frequency_penalty: 0.5 }],
    ['logit_bias.50256', { logit_bias: { 50_256: -100 } }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['audio', { audio: { voice: 'x', format: 'mp3' } }],
    ['service_tier', { service_tier: 'flex' }],
    ['reasoning_effort', { reasoning_effort: 'xhigh' }],
    ['tools.0.custom', { tools: [{ type: 'custom', custom: { name: 'c' } }] }],
    ['messages.0.role', { messages: [{ role: 'function', content: 'x' }] }],
    ['messages.0.name', { messages: [{ ...user('x'), name: 'Ada' }] }],
    [
      'messages.0.content.0.input_audio',
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
    ],
    ['__other', { __other: 1 }],
  ]
  test.each(refused)('%s is refused by its name', async (param, more) => {
    const body = { model, messages: [user('Hello.')], ...more } as Params
    const error = await failure(client.chat.completions.create(body))
    expect([error.status, error.code, error.param, error.type]).toEqual([
      422,
      'unsupported_parameter',
      param,
      'invalid_request_error',
    ])
  })

  test('what has no effect is accepted where it means that', async () => {
    const made = await client.chat.completions.create({
      model,
      messages: [user('Hello.')],
      n: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
      logit_bias: {},
      logprobs: false,
      service_tier: 'auto',
      ...older_user,
      safety_identifier: 'u1',
      modalities: ['text'],
      verbosity: 'medium',
      stop: null,
      tools: [],
    })
    expect(made.choices).toHaveLength(1)
  })
})

describe('an error', () => {
  test('has the form of the SDK', async () => {
    const unknown = await failure(
      client.chat.completions.create({ model: 'nothing', messages: [user('Hello.')] }),
    )
    expect([unknown.status, unknown.code, unknown.type]).toEqual([
      404,
      'model_not_found',
      'invalid_request_error',
    ])
    const far = await failure(
      client.chat.completions.create({ model, messages: [user('Hello.')], temperature: 3 }),
    )
    expect([far.status, far.code, far.param]).toEqual([422, 'validation_failed', 'temperature'])
    const nobody = await failure(
      openaiAt(world, { api_key: 'sk-none' }).chat.completions.create({
        model,
        messages: [user('Hello.')],
      }),
    )
    expect([nobody.status, nobody.code]).toEqual([401, 'invalid_token'])
    const seeded = await failure(
      client.chat.completions.create({ model, messages: [user('Hello.')], ...seeds }),
    )
    expect([seeded.status, seeded.code]).toEqual([422, 'model_capability_unsupported'])
  })

  test.each(['stream_cut', 'malformed_event', 'tool_bad_json'])(
    'ends a stream after %s, and no [DONE] follows',
    async fault => {
      const said = `${fault === 'tool_bad_json' ? asks : 'Hello.'} [[sandbox fault=${fault}]]`
      const stream = await client.chat.completions.create({
        model,
        messages: [user(said)],
        tools: [weather],
        stream: true,
      })
      const reasons: unknown[] = []
      const error = await failure(
        (async () => {
          for await (const chunk of stream) reasons.push(chunk.choices[0]?.finish_reason)
        })(),
      )
      expect(error.code).toBe('upstream_invalid_response')
      expect(new Set(reasons)).toEqual(new Set([null]))
    },
  )
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
