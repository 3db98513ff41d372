/** LangChain against the platform, with what it sends by itself, in both of its forms. */
import {
  HumanMessage,
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  type ToolMessage,
} from '@langchain/core/messages'
import type { Runnable } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'
import { callerOf, failure, png } from './sdk.ts'

let world: InferenceWorld
let apiKey: string
beforeAll(async () => {
  world = await openInferenceWorld({ INFERENCE_QUOTA_PRINCIPAL_REQUESTS_PER_MINUTE: '1000' })
  apiKey = (await callerOf(world)).api_key
})
afterAll(() => world.close())

const city = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const
const weather = tool((given: unknown) => `It is warm in ${(given as { city: string }).city}.`, {
  name: 'weather',
  description: 'The weather now.',
  schema: city,
})
const asks = '[[sandbox call=weather args={"city":"Bern"} steps=2 reasoning=50]]'

type Model = Runnable<BaseMessage[], AIMessageChunk>

const invoke = (model: Model, said: BaseMessage[]): Promise<AIMessage> => model.invoke(said)

function tokensOf({ usage_metadata }: AIMessageChunk): number {
  const used: { readonly output_tokens?: number } = usage_metadata ?? {}
  return used.output_tokens ?? 0
}

/** The chunks of a stream, put together by LangChain. */
async function collect(model: Model, said: BaseMessage[]): Promise<AIMessage> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of await model.stream(said)) whole = whole ? whole.concat(chunk) : chunk
  if (!whole) throw new Error('no chunk')
  return whole
}

function modelWith(more: object = {}): ChatOpenAI {
  const configuration = { baseURL: `${world.url}/v1` }
  return new ChatOpenAI({ model: 'default', apiKey, maxRetries: 0, configuration, ...more })
}

describe.each([false, true])('with useResponsesApi: %s', useResponsesApi => {
  const modelOf = (more: object = {}) => modelWith({ useResponsesApi, ...more })

  test('it writes and streams the same text', async () => {
    const model = modelOf({ temperature: 0 })
    const whole = await model.invoke('Write about the sea.')
    let text = ''
    let tokens = 0
    for await (const chunk of await model.stream('Write about the sea.')) {
      text += chunk.text
      tokens += tokensOf(chunk)
    }
    expect(whole.text.length).toBeGreaterThan(10)
    expect([text, tokens]).toEqual([whole.text, tokensOf(whole)])
  })

  test('it runs tools in several rounds, whole and streamed', async () => {
    const model = modelOf().bindTools([weather])
    for (const ask of [invoke, collect]) {
      const said: BaseMessage[] = [new HumanMessage(`Now? ${asks}`)]
      for (const round of [1, 2]) {
        const asked = await ask(model, said)
        expect(asked.tool_calls, `round ${round}`).toMatchObject([{ args: { city: 'Bern' } }])
        const results = await Promise.all(
          (asked.tool_calls ?? []).map(call => weather.invoke({ ...call, type: 'tool_call' })),
        )
        said.push(asked, ...(results as unknown as ToolMessage[]))
      }
      const answer = await ask(model, said)
      expect(answer.text.length).toBeGreaterThan(10)
      const next = await ask(model, [...said, answer, new HumanMessage('And tomorrow?')])
      expect(next.text.length).toBeGreaterThan(10)
    }
  })

  test('it fills a schema', async () => {
    const place = modelOf().withStructuredOutput(city, { name: 'place' })
    expect(await place.invoke('Where?')).toEqual({ city: expect.any(String) })
    const called = modelOf().withStructuredOutput(city, {
      name: 'weather',
      method: 'functionCalling',
    })
    expect(await called.invoke(asks)).toEqual({ city: 'Bern' })
  })

  test('it sends an image', async () => {
    const url = `data:image/png;base64,${png}`
    const message = new HumanMessage({
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url } },
      ],
    })
    expect((await modelOf().invoke([message])).text.length).toBeGreaterThan(10)
  })
})

test('texts are embedded', async () => {
  const model = new OpenAIEmbeddings({
    model: 'embedding',
    apiKey,
    configuration: { baseURL: `${world.url}/v1` },
  })
  const vectors = await model.embedDocuments(['One.', 'Two.'])
  expect(vectors.map(one => one.length)).toEqual([512, 512])
})

test.each([
  ['n', { n: 2 }, {}],
  ['frequency_penalty', { frequencyPenalty: 0.5 }, {}],
  ['logprobs', { logprobs: true }, {}],
  ['messages.0.name', {}, { name: 'Ada' }],
])('%s is refused by its name', async (param, more, named) => {
  const message = new HumanMessage({ content: 'Hello.', ...named })
  const error = await failure(modelWith(more).invoke([message]))
  expect([error.status, error.code, error.param]).toEqual([422, 'unsupported_parameter', param])
})
