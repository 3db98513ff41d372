/** Models of Anthropic and Gemini, as the official SDKs of OpenAI and Anthropic call them here. */
import Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'
import { callerOf, failure, openaiAt, type Caller } from './sdk.ts'

let world: InferenceWorld
let caller: Caller
let client: OpenAI
let messages: Anthropic
beforeAll(async () => {
  world = await openInferenceWorld()
  const someone = await world.someone()
  await world.allow(someone, 'inference.models.write', 'inference.platform.write')
  caller = await callerOf(world, someone)
  client = openaiAt(world, caller)
  messages = new Anthropic({ baseURL: world.url, apiKey: caller.api_key, maxRetries: 0 })
  await model('anthropic', [{ alias: 'anthropic' }, { alias: 'either', priority: 0 }])
  await model('gemini', [{ alias: 'gemini' }, { alias: 'either', priority: 1 }])
})
afterAll(() => world.close())

async function model(provider: string, aliases: object[]): Promise<void> {
  const made = await caller.ask('POST', '/v1/models', {
    provider,
    model_name: 'sandbox-large',
    capability: ['text', 'json_schema', 'stream', 'tools', 'image', 'document', 'reasoning'],
    max_context: 1_000_000,
    max_output: 16_000,
    state: 'active',
    aliases,
  })
  expect(made.status, made.text).toBe(201)
}

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather now.',
    parameters,
    parse: JSON.parse,
    function: () => '21 degrees',
  },
}
const asks = 'What is it like? [[sandbox call=weather args={"city":"Bern"} reasoning=50]]'
const user = (content: string) => ({ role: 'user' as const, content })
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

describe.each(['anthropic', 'gemini'])('a model of %s', model => {
  test('answers chat completions, blocking and streamed, with its usage', async () => {
    const body = {
      model,
      messages: [{ role: 'system' as const, content: 'Be brief.' }, user('Hi.')],
    }
    const made = await client.chat.completions.create(body)
    expect(made.model).toBe('sandbox-large-2026-01-01')
    expect(made.usage?.completion_tokens).toBeGreaterThan(5)
    const final = await client.chat.completions.stream(body).finalChatCompletion()
    expect(final.choices[0]?.message.content).toBe(made.choices[0]?.message.content)
    expect(await world.usage(made.id)).toMatchObject([{ status: 'succeeded', source: 'provider' }])
  })

  test('runs the loop of tools, and gets the thoughts back that chat clients lose', async () => {
    const body = { model, messages: [user(asks)], tools: [weather] }
    const runner = client.chat.completions.runTools(body)
    expect((await runner.finalContent())?.length).toBeGreaterThan(10)
    const streamed = client.chat.completions.runTools({ ...body, stream: true })
    expect((await streamed.finalContent())?.length).toBeGreaterThan(10)
  })

  test('continues a response with the result of a tool', async () => {
    const tools = [{ type: 'function' as const, name: 'weather', parameters, strict: true }]
    const first = await client.responses.create({ model, input: asks, tools })
    const call = first.output.find(item => item.type === 'function_call')
    const output = {
      type: 'function_call_output' as const,
      call_id: call?.call_id ?? '',
      output: '21 degrees',
    }
    const previous_response_id = first.id
    const by_id = { model, tools, previous_response_id, input: [output] }
    expect((await client.responses.create(by_id)).output_text.length).toBeGreaterThan(10)
    const by_items = { model, tools, input: [user(asks), ...first.output, output] }
    const second = await client.responses.create(by_items as typeof by_id)
    expect(second.output_text.length).toBeGreaterThan(10)
  })

  test('returns structured outputs that fit', async () => {
    const format = { type: 'json_schema' as const, name: 'place', schema: parameters, strict: true }
    const made = await client.responses.parse({ model, input: 'Where?', text: { format } })
    expect(made.output_parsed).toEqual({ city: expect.any(String) })
  })

  test('sees an image', async () => {
    const url = `data:image/png;base64,${png}`
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url } },
    ]
    const made = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content }],
      store: false,
    })
    const [sent] = await world.journal(made.id)
    expect(JSON.stringify(sent.body)).toContain(png)
  })

  test('speaks to the SDK of Anthropic, with tools and thoughts', async () => {
    const input_schema = { ...parameters, type: 'object' as const }
    const tools = [{ name: 'weather', input_schema }]
    const body = { model, max_tokens: 200, messages: [user(asks)], tools }
    const first = await messages.messages.stream(body).finalMessage()
    expect(first.stop_reason).toBe('tool_use')
    const used = first.content.find(block => block.type === 'tool_use')
    expect(used).toMatchObject({ name: 'weather', input: { city: 'Bern' } })
    const result = { type: 'tool_result' as const, tool_use_id: used?.id ?? '', content: '21' }
    const turns = [
      user(asks),
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: [result] },
    ] as Anthropic.Messages.MessageParam[]
    const second = await messages.messages.create({ ...body, messages: turns })
    expect(second.stop_reason).toBe('end_turn')
  })

  test.each(['stream_cut', 'malformed_event', 'error_event'])(
    'that breaks by %s fails',
    async at => {
      const stream = await client.chat.completions.create({
        model,
        messages: [user(`Hello. [[sandbox fault=${at}]]`)],
        stream: true,
      })
      const error = await failure(
        (async () => {
          for await (const chunk of stream) expect(chunk.choices[0]?.finish_reason).toBeNull()
        })(),
      )
      expect(['upstream_invalid_response', 'service_unavailable']).toContain(error.code)
    },
  )

  test('that lies about its usage is charged by what came', async () => {
    const text = `Tell me. ${newId()} [[sandbox fault=usage_lies code=huge]]`
    const made = await client.chat.completions.create({ model, messages: [user(text)] })
    expect(await world.usage(made.id)).toMatchObject([{ source: 'estimated' }])
    expect(made.usage?.completion_tokens).toBeLessThan(10_000)
  })
})

test('a call fails over from one vendor to the other, with its own key there', async () => {
  const text = `Tell me. ${newId()}`
  const match = { prompt_contains: text }
  await world.fault({ action: 'status', status: 529, match, times: 9 }, 'anthropic')
  const made = await client.chat.completions.create({ model: 'either', messages: [user(text)] })
  expect(made.choices[0]?.message.content?.length).toBeGreaterThan(10)
  expect(await world.usage(made.id)).toMatchObject([{ status: 'failed' }, { status: 'succeeded' }])
  const sent = (await world.journal()).filter(one => JSON.stringify(one.body).includes(text))
  expect(new Set(sent.map(one => one.auth))).toEqual(new Set(['x-api-key', 'x-goog-api-key']))
})

test('thoughts of one vendor do not reach another', async () => {
  const body = { messages: [user(asks)], tools: [weather] }
  const first = await client.chat.completions.create({ model: 'anthropic', ...body })
  const said = first.choices[0]?.message
  const [call] = said?.tool_calls ?? []
  if (!said || !call) throw new Error('no call')
  const result = { role: 'tool' as const, tool_call_id: call.id, content: '21 degrees' }
  const next = [...body.messages, said, result]
  const second = await client.chat.completions.create({ model: 'gemini', ...body, messages: next })
  const [sent] = await world.journal(second.id)
  expect(JSON.stringify(sent.body)).not.toContain('thinking')
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
