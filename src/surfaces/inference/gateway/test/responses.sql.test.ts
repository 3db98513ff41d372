/** The Responses API, as the official SDK calls it and reads it. */
import type OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { newKey } from '../../../../../test/world.ts'
import { openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'
import { callerOf, failure, openaiAt, type Caller } from './sdk.ts'

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Event = OpenAI.Responses.ResponseStreamEvent

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
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = { type: 'function' as const, name: 'weather', parameters, strict: true }
const asks = 'What is it like? [[sandbox call=weather args={"city":"Bern"} reasoning=50]]'

async function eventsOf(body: Params, headers = {}): Promise<Event[]> {
  const events: Event[] = []
  const stream = await client.responses.create({ ...body, stream: true }, { headers })
  for await (const event of stream) events.push(event)
  return events
}

describe('responses', () => {
  test('create returns text; instructions are the system text and end with their call', async () => {
    const first = await client.responses.create({
      model,
      instructions: 'Be brief.',
      input: 'My name is Ada.',
      metadata: { shop: 'a' },
    })
    expect(first).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'sandbox-large-2026-01-01',
      instructions: 'Be brief.',
      metadata: { shop: 'a' },
      store: true,
    })
    expect(first.output_text.length).toBeGreaterThan(10)
    const second = await client.responses.create({
      model,
      input: 'Who am I?',
      previous_response_id: first.id,
    })
    const [one, two] = [await world.journal(first.id), await world.journal(second.id)]
    expect(one[0].body.input).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'My name is Ada.' },
    ])
    expect(two[0].body.input).toEqual([
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: first.output_text },
      { role: 'user', content: 'Who am I?' },
    ])
    expect(second.previous_response_id).toBe(first.id)
  })

  test('create streams the events that the SDK builds a response from', async () => {
    const body = { model, input: 'Write about ships.' }
    const whole = await client.responses.create(body)
    const events = await eventsOf(body)
    const types = events.map(event => event.type)
    expect(types.filter(type => type !== 'response.output_text.delta')).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(event => event.sequence_number)).toEqual(events.map((_, at) => at))
    const final = await client.responses.stream(body).finalResponse()
    expect(final.output_text).toBe(whole.output_text)
    expect(final.usage).toEqual(whole.usage)
  })

  test('an output that reached its limit is incomplete', async () => {
    const made = await client.responses.create({ model, input: 'Write.', max_output_tokens: 5 })
    expect(made).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
    const events = await eventsOf({ model, input: 'Write.', max_output_tokens: 5 })
    expect(events.at(-1)?.type).toBe('response.incomplete')
  })

  test('runs a tool: by the output sent back, and by the response before', async () => {
    const body = { model, input: asks, tools: [weather], include: ['reasoning.encrypted_content'] }
    const first = await client.responses.create(body as Params)
    expect(first.output.map(item => item.type)).toEqual(['reasoning', 'function_call'])
    const call = first.output.find(item => item.type === 'function_call')
    expect(call).toMatchObject({ name: 'weather', arguments: '{"city":"Bern"}' })
    const output = {
      type: 'function_call_output' as const,
      call_id: call?.call_id ?? '',
      output: '21 degrees',
    }
    const by_items = await client.responses.create({
      model,
      store: false,
      tools: [weather],
      input: [{ role: 'user', content: asks }, ...first.output, output],
    } as Params)
    const by_id = await client.responses.create({
      model,
      tools: [weather],
      previous_response_id: first.id,
      input: [output],
    })
    for (const { id, status, output_text } of [by_items, by_id]) {
      expect([status, output_text.length > 10]).toEqual(['completed', true])
      const [sent] = await world.journal(id)
      const types = (sent.body.input as { type?: string }[]).map(item => item.type ?? 'message')
      expect(types).toEqual(['message', 'reasoning', 'function_call', 'function_call_output'])
    }
    const events = await eventsOf({ model, input: asks, tools: [weather] })
    const done = events.find(event => event.type === 'response.function_call_arguments.done')
    expect(done).toMatchObject({ name: 'weather', arguments: '{"city":"Bern"}' })
    const streamed = await client.responses
      .stream(body as Params & { stream?: true })
      .finalResponse()
    expect(streamed.output.map(item => item.type)).toEqual(['reasoning', 'function_call'])
  })

  test('thoughts of another tenant, or changed ones, are refused', async () => {
    const stranger = openaiAt(world, await callerOf(world))
    const { output } = await client.responses.create({ model, input: asks, tools: [weather] })
    const [thought, ...others] = output
    if (thought?.type !== 'reasoning') throw new Error('no thoughts')
    const calls = others.flatMap(item =>
      item.type === 'function_call'
        ? [item, { type: 'function_call_output', call_id: item.call_id, output: '21' }]
        : [],
    )
    const changed = {
      ...thought,
      encrypted_content: `${thought.encrypted_content?.slice(0, -4)}AAAA`,
    }
    for (const [who, item] of [
      [stranger, thought],
      [client, changed],
    ] as const) {
      const input = [{ role: 'user', content: 'Hello.' }, item, ...calls]
      const error = await failure(
        who.responses.create({ model, input, tools: [weather] } as Params),
      )
      expect([error.status, error.param]).toEqual([422, 'input.1.encrypted_content'])
    }
  })

  test('structured outputs fit', async () => {
    const format = { type: 'json_schema' as const, name: 'place', schema: parameters, strict: true }
    const made = await client.responses.parse({ model, input: 'Where?', text: { format } })
    expect(made.output_parsed).toEqual({ city: expect.any(String) })
  })

  test('is retried with its key, blocking and streamed', async () => {
    const body = { model, input: `Once. ${newId()}`, tools: [weather] }
    const headers = { 'idempotency-key': newKey() }
    const first = await client.responses.create(body, { headers })
    expect(await client.responses.create(body, { headers })).toEqual(first)
    expect(await world.journal(first.id)).toHaveLength(1)
    const key = { 'idempotency-key': newKey() }
    const [live, again] = [
      await eventsOf({ ...body, input: asks }, key),
      await eventsOf({ ...body, input: asks }, key),
    ]
    expect(withoutSeals(again.at(-1))).toEqual(withoutSeals(live.at(-1)))
    expect(again.map(event => event.type)).toEqual(live.map(event => event.type))
  })

  test('names items of earlier responses of the same caller by their ids', async () => {
    const said = (id: string, input = 'And?') => ({
      model,
      input: [
        { type: 'item_reference' as const, id },
        { role: 'user' as const, content: input },
      ],
    })
    const first = await client.responses.create({ model, input: 'Write about ships.' })
    const id = first.output[0]?.id ?? ''
    const second = await client.responses.create(said(id))
    const [sent] = await world.journal(second.id)
    expect(sent.body.input[0]).toEqual({ role: 'assistant', content: first.output_text })
    const unstored = await client.responses.create({ model, input: 'Hello.', store: false })
    const other = openaiAt(world, await callerOf(world))
    for (const [who, named] of [
      [other, id],
      [client, `rs_${first.id}_0`],
      [client, `msg_${newId()}`],
      [client, 'fc_call_1'],
      [client, unstored.output[0]?.id ?? ''],
    ] as const) {
      const error = await failure(who.responses.create(said(named)))
      expect([error.status, error.code], named).toEqual([404, 'inference_not_found'])
    }
    await client.responses.delete(first.id)
    expect((await failure(client.responses.create(said(id)))).status).toBe(404)
  })

  test('is read, deleted and cancelled by its owner alone', async () => {
    const { id, output } = await client.responses.create({ model, input: 'Keep this.' })
    expect((await client.responses.retrieve(id)).output).toEqual(output)
    const neighbour = openaiAt(world, await callerOf(world, await world.someone(caller.tenant)))
    for (const work of [
      () => neighbour.responses.retrieve(id),
      () => neighbour.responses.delete(id),
      () => neighbour.responses.cancel(id),
      () => client.responses.retrieve(newId()),
    ]) {
      const error = await failure(work())
      expect([error.status, error.code]).toEqual([404, 'inference_not_found'])
    }
    const over = await failure(client.responses.cancel(id))
    expect([over.status, over.code]).toEqual([409, 'invalid_transition'])
    await client.responses.delete(id)
    expect((await failure(client.responses.retrieve(id))).status).toBe(404)
    await client.responses.delete(id)
    const next = await failure(
      client.responses.create({ model, input: 'And?', previous_response_id: id }),
    )
    expect([next.status, next.code]).toEqual([404, 'inference_not_found'])
    expect(await world.usage(id)).toHaveLength(1)
  })

  test('a stream is cancelled by its id', async () => {
    const said = 'Write. [[sandbox tokens=1000 fault=slow ttft_ms=0 delta_ms=20]]'
    const body = { model, input: said, store: false, stream: true as const }
    const stream = await client.responses.create(body)
    const types: string[] = []
    for await (const event of stream) {
      if (event.type === 'response.created') await client.responses.cancel(event.response.id)
      types.push(event.type)
    }
    expect(types.at(-1)).toBe('response.failed')
  })
})

test.each([
  ['background', { background: true }],
  ['truncation', { truncation: 'auto' }],
  ['conversation', { conversation: 'c' }],
  ['prompt', { prompt: { id: 'p' } }],
  ['max_tool_calls', { max_tool_calls: 1 }],
  ['tools.0.type', { tools: [{ type: 'web_search' }] }],
  ['include.0', { include: ['message.output_text.logprobs'] }],
  ['reasoning.generate_summary', { reasoning: { generate_summary: 'auto' } }],
])('%s is refused by its name', async (param, more) => {
  const error = await failure(
    client.responses.create({ model, input: 'Hello.', ...more } as unknown as Params),
  )
  expect([error.status, error.code, error.param]).toEqual([422, 'unsupported_parameter', param])
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})

/** Each seal is another text. */
function withoutSeals(event: Event | undefined): unknown {
  return JSON.parse(JSON.stringify(event).replaceAll(/"encrypted_content":"[^"]*"/g, '"sealed":1'))
}
