/** The wire protocol as the official SDK speaks it, unchanged. */
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { failure, openSdkWorld, type SdkWorld } from './sdk-world.ts'

let world: SdkWorld
let client: OpenAI
beforeAll(async () => {
  world = await openSdkWorld()
  client = world.client()
})
afterAll(() => world.close())

const model = 'sandbox-large'

describe('responses', () => {
  test('the same request gives the same text, and its end is counted', async () => {
    const request = { model, instructions: 'Be brief.', input: 'Tell me about the rabbit.' }
    const first = await client.responses.create(request)
    const again = await client.responses.create(request)
    expect(first.output_text.length).toBeGreaterThan(100)
    expect(again.output_text).toBe(first.output_text)
    expect([first.status, first.model]).toEqual(['completed', 'sandbox-large-2026-01-01'])
    const short = await client.responses.create({ ...request, max_output_tokens: 5 })
    expect(short.status).toBe('incomplete')
    expect(short.incomplete_details?.reason).toBe('max_output_tokens')
    expect(short.usage?.output_tokens).toBe(5)
    expect(first.output_text.startsWith(short.output_text)).toBe(true)
  })

  test('a stream has every event once, in order, and the text of the blocking call', async () => {
    const request = { model, input: 'Tell me about the bank.' }
    const whole = await client.responses.create(request)
    const types: string[] = []
    const numbers: number[] = []
    let text = ''
    for await (const event of await client.responses.create({ ...request, stream: true })) {
      if (event.type !== 'response.output_text.delta') types.push(event.type)
      else text += event.delta
      numbers.push(event.sequence_number)
    }
    expect(text).toBe(whole.output_text)
    expect(numbers).toEqual(numbers.map((_, index) => index))
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
  })

  test('a repeated key gets the first answer, and other parameters are refused', async () => {
    const options = { headers: { 'idempotency-key': newId() } }
    const first = await client.responses.create({ model, input: 'once' }, options)
    const again = await client.responses.create({ model, input: 'once' }, options)
    expect(again.id).toBe(first.id)
    const other = await failure(client.responses.create({ model, input: 'twice' }, options))
    expect([other.status, other.code]).toEqual([400, 'idempotency_error'])
  })

  test('a value that fits the JSON schema is said', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, size: { type: 'integer', minimum: 3 } },
      required: ['name', 'size'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema' as const, name: 'thing', schema, strict: true }
    const { output_text } = await client.responses.create({
      model,
      input: 'A thing.',
      text: { format },
    })
    expect(JSON.parse(output_text)).toEqual({ name: expect.any(String), size: 3 })
  })

  test('a stream that the reader leaves is journaled as aborted', async () => {
    const operation_id = newId()
    const stream = await client.responses.create({
      model,
      input: '[[sandbox tokens=1000 fault=slow ttft_ms=0 delta_ms=5]]',
      metadata: { operation_id },
      stream: true,
    })
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
    await expect
      .poll(async () => (await world.control(`requests?operation_id=${operation_id}`)).data)
      .toEqual([expect.objectContaining({ aborted_at_ms: expect.any(Number), ended_at_ms: null })])
  })
})

describe('cited_answer', () => {
  const format = { type: 'json_schema' as const, name: 'cited_answer', schema: { type: 'object' } }
  const input = [
    '<<BLOCK k1 0a1b>>\nThe refund window is 30 days. Shipping costs are not refunded.\n<<END 0a1b>>',
    '<<BLOCK k2 0a1b>>\nOur office has a garden.\n<<END 0a1b>>',
    'Question: How long is the refund window?',
  ].join('\n')
  const ask = async (text: string) =>
    (await client.responses.create({ model, input: text, text: { format } })).output_text

  test('real sentences of the blocks are quoted', async () => {
    const quote = 'The refund window is 30 days.'
    expect(JSON.parse(await ask(input))).toEqual({
      sentences: [{ text: quote, citations: [{ label: 'k1', quote }] }],
      insufficient: false,
    })
    const other = input.replace('How long is the refund window?', 'Who painted the ceiling?')
    expect(JSON.parse(await ask(other))).toEqual({ sentences: [], insufficient: true })
  })

  test('it can lie on request', async () => {
    const fabricated = JSON.parse(await ask(`${input} [[sandbox fault=fabricated_quote]]`))
    expect(input).not.toContain(fabricated.sentences[0].citations[0].quote)
    const misattributed = JSON.parse(await ask(`${input} [[sandbox fault=misattributed_quote]]`))
    expect(misattributed.sentences[0].citations[0].label).toBe('k2')
    const cut = await ask(`${input} [[sandbox fault=invalid_json]]`)
    expect(() => JSON.parse(cut)).toThrow(SyntaxError)
  })
})

describe('chat completions', () => {
  const messages = [{ role: 'user' as const, content: 'Tell me about the house.' }]

  test('say the same blocking and streamed, with usage at the end', async () => {
    const whole = await client.chat.completions.create({ model, messages })
    const text = whole.choices[0]?.message.content
    const chunks = []
    const stream_options = { include_usage: true }
    const stream = { model, messages, stream: true, stream_options } as const
    for await (const chunk of await client.chat.completions.create(stream)) chunks.push(chunk)
    expect(chunks.map(one => one.choices[0]?.delta.content ?? '').join('')).toBe(text)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    const short = await client.chat.completions.create({
      model,
      messages,
      max_completion_tokens: 3,
    })
    expect(short.choices[0]?.finish_reason).toBe('length')
  })
})

describe('embeddings', () => {
  test('are the same in both encodings, and near for similar texts', async () => {
    const input = ['The cat sits on the mat.', 'A cat sat on a mat.', 'Interest rates rise again.']
    const base = { model: 'sandbox-embedding', input }
    // The SDK asks for base64 and decodes it by itself.
    const packed = await client.embeddings.create(base)
    const plain = await client.embeddings.create({ ...base, encoding_format: 'float' })
    expect(packed.data.map(one => one.embedding)).toEqual(plain.data.map(one => one.embedding))
    const [cat = [], feline = [], rates = []] = plain.data.map(one => one.embedding)
    const dot = (a: number[], b: number[]) => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0)
    expect(dot(cat, cat)).toBeCloseTo(1, 5)
    expect(dot(cat, feline)).toBeGreaterThan(2 * dot(cat, rates))
    const small = await client.embeddings.create({ ...base, dimensions: 64 })
    expect(small.data[0]?.embedding).toHaveLength(64)
  })
})

test('what is not known is refused as the API refuses it', async () => {
  const bad_key = world.client({ apiKey: 'sk-wrong' })
  expect((await failure(bad_key.models.list())).status).toBe(401)
  const unknown = await failure(client.responses.create({ model: 'gpt-nothing', input: 'x' }))
  expect([unknown.status, unknown.code]).toEqual([404, 'model_not_found'])
  const extra = { model, input: 'x', nonsense: 1 } as { model: string; input: string }
  const parameter = await failure(client.responses.create(extra))
  expect([parameter.status, parameter.code, parameter.param]).toEqual([
    400,
    'unknown_parameter',
    'nonsense',
  ])
  const long = 'word '.repeat(17_000)
  const full = await failure(client.responses.create({ model: 'sandbox-small', input: long }))
  expect(full.code).toBe('context_length_exceeded')
  const names = (await client.models.list()).data.map(one => one.id)
  expect(names).toContain('sandbox-large')
  expect((await client.models.retrieve('sandbox-small')).object).toBe('model')
})

describe('what goes wrong', () => {
  const request = (fault: string, operation_id = newId()) => ({
    model,
    input: `Tell me more. [[sandbox tokens=30 fault=${fault}]]`,
    metadata: { operation_id },
  })

  test('a rate limit is retried by the SDK, and every attempt is journaled', async () => {
    const operation_id = newId()
    const patient = world.client({ maxRetries: 2 })
    await patient.responses.create(request('rate_limit times=2 retry_after_ms=1', operation_id))
    const { data } = await world.control(`requests?operation_id=${operation_id}`)
    expect(data.map((one: { status: number }) => one.status)).toEqual([429, 429, 200])
  })

  test('a rule of the control plane applies where it matches, so many times', async () => {
    const operation_id = newId()
    await world.control('faults', {
      action: 'status',
      status: 503,
      match: { operation_id },
      times: 1,
    })
    const asked = { model, input: 'x', metadata: { operation_id } }
    expect((await failure(client.responses.create(asked))).status).toBe(503)
    expect((await client.responses.create(asked)).status).toBe('completed')
  })

  test.each([
    ['html_502', 502],
    ['connect_reset', undefined],
    ['lost_response', undefined],
    ['context_length', 400],
  ])('%s', async (fault, status) => {
    expect((await failure(client.responses.create(request(fault)))).status).toBe(status)
  })

  test.each(['refusal', 'content_filter', 'incomplete', 'failed_event'])('%s', async fault => {
    const response = await client.responses.create(request(fault))
    const [item] = response.output
    const part = item?.type === 'message' ? item.content[0]?.type : undefined
    expect([
      response.status,
      part,
      response.incomplete_details?.reason,
      response.error?.code,
    ]).toEqual(
      {
        refusal: ['completed', 'refusal', undefined, undefined],
        content_filter: ['incomplete', 'output_text', 'content_filter', undefined],
        incomplete: ['incomplete', 'output_text', 'max_output_tokens', undefined],
        failed_event: ['failed', undefined, undefined, 'server_error'],
      }[fault],
    )
  })

  test.each(['stream_cut', 'stream_reset', 'malformed_event', 'error_event'])(
    '%s breaks the stream',
    async fault => {
      const stream = await client.responses.create({ ...request(fault), stream: true })
      let deltas = 0
      const reading = (async () => {
        for await (const event of stream) if (event.type.endsWith('text.delta')) deltas++
      })()
      await failure(reading)
      expect(deltas).toBeLessThanOrEqual(3)
    },
  )

  test('stream_no_terminal ends like a success, without its last event', async () => {
    const stream = await client.responses.create({ ...request('stream_no_terminal'), stream: true })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    expect(types.at(-1)).toBe('response.output_item.done')
  })

  test.each(['headers_timeout', 'body_stall'])('%s lasts until the caller leaves', async fault => {
    const hasty = world.client({ timeout: 200 })
    const error = await failure(hasty.responses.create(request(fault)))
    expect(error).toBeInstanceOf(OpenAI.APIConnectionTimeoutError)
  })

  test('any text can be said, delta by delta', async () => {
    const operation_id = newId()
    const deltas = ['for', 'bid', 'den \u0000', '\ud83d', '\ude00']
    await world.control('faults', { action: 'say', match: { operation_id }, deltas })
    const asked = { model, input: 'x', metadata: { operation_id }, stream: true } as const
    const heard: string[] = []
    for await (const event of await client.responses.create(asked)) {
      if (event.type === 'response.output_text.delta') heard.push(event.delta)
    }
    expect(heard).toEqual(deltas)
  })
})
