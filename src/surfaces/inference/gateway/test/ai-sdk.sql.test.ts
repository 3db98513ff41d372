/** The AI SDK of Vercel against the platform, with what it sends by itself, in each of its forms. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import {
  APICallError,
  embedMany,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  streamText,
  tool,
  type LanguageModel,
  type ModelMessage,
  type UserContent,
} from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'
import { callerOf, png } from './sdk.ts'

let world: InferenceWorld
let openai: ReturnType<typeof createOpenAI>
let anthropic: ReturnType<typeof createAnthropic>
beforeAll(async () => {
  world = await openInferenceWorld({ INFERENCE_QUOTA_PRINCIPAL_REQUESTS_PER_MINUTE: '1000' })
  const { api_key: apiKey } = await callerOf(world)
  const baseURL = `${world.url}/v1`
  openai = createOpenAI({ baseURL, apiKey })
  anthropic = createAnthropic({ baseURL, apiKey })
})
afterAll(() => world.close())

const forms: readonly [string, () => LanguageModel][] = [
  ['responses', () => openai('default')],
  ['chat', () => openai.chat('default')],
  ['messages', () => anthropic('default')],
]
const thinks = '[[sandbox call=weather args={"city":"Bern"} steps=2 reasoning=50]]'
const weather = tool({
  description: 'The weather now.',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }),
  execute: ({ city }) => `It is warm in ${city}.`,
})
const place = Output.object({
  schema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }),
})

describe.each(forms)('the form %s', (form, model) => {
  test('writes and streams the same text', async () => {
    const prompt = 'Write about the sea.'
    const whole = await generateText({ model: model(), instructions: 'Be brief.', prompt })
    const streamed = streamText({ model: model(), instructions: 'Be brief.', prompt })
    expect(whole.text.length).toBeGreaterThan(10)
    expect(await streamed.text).toBe(whole.text)
    expect(await streamed.usage).toEqual(whole.usage)
    expect([whole.finishReason, await streamed.finishReason]).toEqual(['stop', 'stop'])
  })

  test('runs tools in several rounds, and goes on with the conversation', async () => {
    for (const streams of [false, true]) {
      const messages: ModelMessage[] = [{ role: 'user', content: `${form} steps. ${thinks}` }]
      const body = { model: model(), tools: { weather }, stopWhen: isStepCount(4) }
      const first = streams
        ? streamText({ ...body, messages })
        : await generateText({ ...body, messages })
      const steps = await first.steps
      expect(steps.map(step => step.toolResults.map(one => one.output))).toEqual([
        ['It is warm in Bern.'],
        ['It is warm in Bern.'],
        [],
      ])
      expect((await first.text).length).toBeGreaterThan(10)
      const next = await generateText({
        ...body,
        messages: [
          ...messages,
          ...(await first.responseMessages),
          { role: 'user', content: 'And?' },
        ],
      })
      expect(next.text.length).toBeGreaterThan(10)
    }
  })

  test('fills a schema', async () => {
    const asked = { model: model(), prompt: 'Where?', output: place }
    const { output } = await generateText(asked)
    expect(output).toEqual({ city: expect.any(String) })
    expect(await streamText(asked).output).toEqual({ city: expect.any(String) })
  })

  test('sends an image and a document', async () => {
    const asks = `What is this in ${form}?`
    const content: UserContent = [
      { type: 'text', text: asks },
      { type: 'file', mediaType: 'image/png', data: Buffer.from(png, 'base64') },
      { type: 'file', mediaType: 'application/pdf', data: Buffer.from('%PDF-1.7') },
    ]
    await generateText({ model: model(), messages: [{ role: 'user', content }] })
    const sent = (await world.journal()).map(one => one.body.input?.at(-1).content)
    expect(sent.find(parts => parts?.[0]?.text === asks)).toMatchObject([
      { type: 'input_text' },
      { type: 'input_image' },
      { type: 'input_file' },
    ])
  })
})

test('texts are embedded', async () => {
  const model = openai.embedding('embedding')
  const { embeddings, usage } = await embedMany({ model, values: ['One.', 'Two.'] })
  expect(embeddings.map(one => one.length)).toEqual([512, 512])
  expect(usage.tokens).toBeGreaterThan(2)
})

const thinking = { type: 'enabled', budgetTokens: 1024 }
test.each([
  ['max_tool_calls', 'responses', { providerOptions: { openai: { maxToolCalls: 3 } } }],
  ['tools.0.type', 'responses', { tools: { search: createOpenAI().tools.webSearch() } }],
  ['frequency_penalty', 'chat', { frequencyPenalty: 0.5 }],
  ['top_k', 'messages', { topK: 5 }],
  ['thinking.budget_tokens', 'messages', { providerOptions: { anthropic: { thinking } } }],
] as const)('%s is refused by its name in %s', async (param, form, more) => {
  const model = forms.find(([name]) => name === form)?.[1]() ?? ''
  const call = generateText({ model, prompt: 'Hello.', ...more })
  const error = await call.then(
    () => undefined,
    (error_: unknown) => error_,
  )
  if (!APICallError.isInstance(error)) throw new Error('another end', { cause: error })
  const said = JSON.parse(error.responseBody ?? '')
  expect([error.statusCode, said.error.code, said.error.param]).toEqual([
    422,
    'unsupported_parameter',
    param,
  ])
})

test('a wish for summaries, which the SDK adds to an effort, changes nothing', async () => {
  const openai_options = { reasoningEffort: 'low', forceReasoning: true }
  const { text } = await generateText({
    model: openai('default'),
    prompt: 'Think.',
    providerOptions: { openai: openai_options },
  })
  expect(text.length).toBeGreaterThan(10)
})
