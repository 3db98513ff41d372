/** Google's own client as an oracle: what the codec of Gemini sends and reads is what that client does. */
import {
  createPartFromBase64,
  createPartFromFunctionResponse,
  FinishReason,
  FunctionCallingConfigMode,
  GoogleGenAI,
  ThinkingLevel,
  type Content,
  type GenerateContentConfig,
  type GenerateContentResponse,
} from '@google/genai'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { usualAuth } from '../auth.ts'
import { message, type Item } from '../form.ts'
import { openLines } from '../lines.ts'
import type { ProviderRequest } from '../provider.ts'
import { openGemini } from '../wire/gemini.ts'
import {
  limits_default,
  openAdapterWorld,
  outcomeOf,
  requestOf,
  type AdapterWorld,
  type Outcome,
} from './adapter-world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

let world: AdapterWorld
let models: GoogleGenAI
beforeAll(async () => {
  world = await openAdapterWorld()
  const { origin } = new URL(world.address('api', 'gemini'))
  models = new GoogleGenAI({
    apiKey: world.address('key', 'gemini'),
    httpOptions: { baseUrl: origin, apiVersion: 'v1beta' },
  })
})
afterAll(() => world.close())

const model = 'sandbox-large'
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const tools = [{ name: 'weather', description: 'The weather now.', schema }]
const declared = [
  {
    functionDeclarations: [
      { name: 'weather', description: 'The weather now.', parametersJsonSchema: schema },
    ],
  },
]
const asks = 'What is it like? [[sandbox call=weather args={"city":"Bern"}]]'
const says = (text: string): Content => ({ role: 'user', parts: [{ text }] })

/** The client gives the instruction the role of a user, which the vendor does not read. */
function asSent({ method, path, auth, body }: Json): object {
  const { systemInstruction, ...rest } = body
  const { role: _role, ...said } = systemInstruction ?? {}
  return { method, path, auth, body: { ...rest, ...(systemInstruction ? { said } : {}) } }
}

const withKey = (config: GenerateContentConfig, key: string): GenerateContentConfig => ({
  maxOutputTokens: 1000,
  ...config,
  httpOptions: { headers: { 'idempotency-key': key } },
})

async function ask(more: Partial<ProviderRequest>): Promise<{ outcome: Outcome; sent: Json }> {
  const request = requestOf('Tell me.', { model, ...more })
  const outcome = await outcomeOf(world.provider('gemini', { max_retries: 0 }), request)
  expect(outcome.failure).toBeNull()
  return { outcome, sent: (await world.requests(request.operation_id))[0] }
}

async function theyAsk(contents: Content[] | string, config: GenerateContentConfig = {}) {
  const key = newId()
  const asked = { model, contents, config: withKey(config, key) }
  const chunks: GenerateContentResponse[] = []
  for await (const chunk of await models.models.generateContentStream(asked)) chunks.push(chunk)
  return { chunks, sent: (await world.requests(key))[0] }
}

function usageIn(chunks: readonly GenerateContentResponse[]) {
  const { usageMetadata: used = {} } = chunks.at(-1) ?? {}
  const { thoughtsTokenCount: reasoning = 0, candidatesTokenCount: said = 0 } = used
  return {
    type: 'usage',
    input: used.promptTokenCount,
    cached_input: used.cachedContentTokenCount,
    output: said + reasoning,
    reasoning,
  }
}

describe('a request of the codec is that of the client', () => {
  type Pair = readonly [string, Partial<ProviderRequest>, Content[] | string, GenerateContentConfig]
  const png = Buffer.from('bytes').toString('base64')
  const pairs: readonly Pair[] = [
    ['a text', { input: 'Tell me.' }, 'Tell me.', {}],
    [
      'instructions and numbers',
      {
        input: 'Hi.',
        instructions: 'Be brief.',
        temperature: 0.5,
        top_p: 0.9,
        seed: 7,
        stop: ['x'],
      },
      'Hi.',
      {
        systemInstruction: 'Be brief.',
        temperature: 0.5,
        topP: 0.9,
        seed: 7,
        stopSequences: ['x'],
      },
    ],
    [
      'a conversation',
      { input: [message('user', 'Hi.'), message('assistant', 'Hello.'), message('user', 'And?')] },
      [says('Hi.'), { role: 'model', parts: [{ text: 'Hello.' }] }, says('And?')],
      {},
    ],
    [
      'a structured output',
      { input: 'Where?', response_format: { type: 'json_schema', name: 'place', schema } },
      'Where?',
      { responseMimeType: 'application/json', responseJsonSchema: schema },
    ],
    [
      'an image',
      {
        input: [
          {
            type: 'message',
            role: 'user',
            parts: [
              { type: 'image', media_type: 'image/png', data: png },
              { type: 'text', text: 'What is this?' },
            ],
          },
        ],
      },
      [
        {
          role: 'user',
          parts: [createPartFromBase64(png, 'image/png'), { text: 'What is this?' }],
        },
      ],
      {},
    ],
    [
      'a tool that must be called',
      { input: 'Tell me.', tools, tool_choice: { name: 'weather' } },
      'Tell me.',
      {
        tools: declared,
        toolConfig: {
          functionCallingConfig: {
            mode: FunctionCallingConfigMode.ANY,
            allowedFunctionNames: ['weather'],
          },
        },
      },
    ],
    [
      'some thinking',
      { input: 'Hi.', reasoning_effort: 'low' },
      'Hi.',
      { thinkingConfig: { thinkingLevel: ThinkingLevel.LOW } },
    ],
    [
      'no thinking',
      { input: 'Hi.', reasoning_effort: 'none' },
      'Hi.',
      { thinkingConfig: { thinkingBudget: 0 } },
    ],
  ]
  test.each(pairs)('for %s, and so is what is read', async (_name, ours, contents, config) => {
    const [mine, theirs] = await Promise.all([ask(ours), theyAsk(contents, config)])
    expect(asSent(mine.sent)).toEqual(asSent(theirs.sent))
    const { events, text } = mine.outcome
    expect(text).toBe(theirs.chunks.map(chunk => chunk.text ?? '').join(''))
    expect(events.find(one => one.type === 'usage')).toEqual(usageIn(theirs.chunks))
    const calls = theirs.chunks.flatMap(chunk => chunk.functionCalls ?? [])
    expect(events.flatMap(one => (one.type === 'tool_call' ? one.name : []))).toEqual(
      calls.map(one => one.name),
    )
  })

  test.each([1, 2])('for the results of %s calls, with the signature', async many => {
    const text = `${asks} [[sandbox calls=${many}]]`
    const chat = models.chats.create({ model, config: withKey({ tools: declared }, newId()) })
    const first = await chat.sendMessage({ message: text })
    const calls = first.functionCalls ?? []
    expect(calls).toHaveLength(many)
    const key = newId()
    await chat.sendMessage({
      message: calls.map(({ id = '', name = '' }) =>
        createPartFromFunctionResponse(id, name, { output: '21 degrees' }),
      ),
      config: withKey({ tools: declared }, key),
    })
    const [theirs] = await world.requests(key)

    // What the codec keeps of an answer is what the client keeps of it.
    const read = await ask({ input: text, tools })
    const [sealed] = read.outcome.events.flatMap(one => (one.type === 'sealed' ? one.data : []))
    const parts = first.candidates?.[0]?.content?.parts ?? []
    const signed = parts.flatMap(({ thoughtSignature: signature }, at) =>
      signature === undefined ? [] : { at, signature },
    )
    expect(JSON.parse(sealed ?? '[]')).toEqual(
      signed.map(({ at }) => ({ at, signature: expect.any(String) })),
    )
    const input: Item[] = [
      message('user', text),
      { type: 'sealed', provider: 'gemini', data: JSON.stringify(signed) },
      ...calls.map(({ id = '', name = '', args }): Item => {
        return { type: 'tool_call', id, name, arguments: JSON.stringify(args) }
      }),
      ...calls.map(({ id = '' }): Item => ({ type: 'tool_result', id, output: '21 degrees' })),
    ]
    const { sent } = await ask({ input, tools })
    const { path: _path, ...mine } = asSent(sent) as Json
    // The chat is not streamed.
    expect(asSent(theirs)).toMatchObject(mine)
  })
})

/** A vendor that gives each answer the same end. */
async function endingWith(finishReason: string): Promise<Outcome> {
  const server = createServer((_request, response) => {
    const candidates = [{ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason }]
    response.setHeader('content-type', 'text/event-stream')
    response.end(
      `data: ${JSON.stringify({ candidates, responseId: 'a', modelVersion: 'b' })}\r\n\r\n`,
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const lines = openLines({
    name: 'test',
    limits: { ...limits_default, max_retries: 0 },
    breaker_open_ms: 60_000,
    nowMs: () => Date.now(),
    connection: () => ({ base_url: `http://127.0.0.1:${port}`, auth: usualAuth('gemini', 'a') }),
  })
  const provider = openGemini({ name: 'gemini', lines })
  try {
    return await outcomeOf(provider, requestOf('Tell me.'))
  } finally {
    await provider.close()
    server.close()
  }
}

/** Ends of pictures: the platform asks for none. */
const known = Object.values(FinishReason).filter(reason => !reason.includes('IMAGE'))

test.each(known)('the end %s, which the client knows, has a meaning', async reason => {
  const { events, failure } = await endingWith(reason)
  const end = events.flatMap(one => (one.type === 'ended' ? one.reason : []))[0]
  const meaning = end ?? failure?.code
  const expected: Partial<Record<FinishReason, string>> = {
    [FinishReason.STOP]: 'stop',
    [FinishReason.MAX_TOKENS]: 'length',
    [FinishReason.CONTINUATION]: 'length',
    [FinishReason.FINISH_REASON_UNSPECIFIED]: 'upstream_invalid_response',
    [FinishReason.LANGUAGE]: 'service_unavailable',
    [FinishReason.OTHER]: 'service_unavailable',
    [FinishReason.MALFORMED_FUNCTION_CALL]: 'upstream_invalid_response',
    [FinishReason.MALFORMED_RESPONSE]: 'upstream_invalid_response',
    [FinishReason.UNEXPECTED_TOOL_CALL]: 'upstream_invalid_response',
    [FinishReason.TOO_MANY_TOOL_CALLS]: 'upstream_invalid_response',
  }
  expect(meaning).toBe(expected[reason] ?? 'content_blocked')
})
