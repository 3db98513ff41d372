/** Operations of the platform as the `mcp` tool of the Responses API, by the official SDK. */
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../../test/world.ts'
import {
  openInferenceWorld,
  type InferenceWorld,
  type Someone,
} from '../../test/inference-world.ts'
import { failure } from './sdk.ts'

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Tool = OpenAI.Responses.Tool.Mcp

let world: InferenceWorld
let host: string
beforeAll(async () => {
  world = await openInferenceWorld()
  host = world.platform.kernel.public_url
})
afterAll(() => world.close())

const model = 'default'
const destination_url = 'https://example.com/a'
const input = `Shorten it. [[sandbox call=createLink args={"destination_url":"${destination_url}"}]]`
const toolsOf = (more: Partial<Tool>): Tool[] => [
  { type: 'mcp', server_label: 'dodeca', server_url: `${host}/mcp`, ...more },
]
/** The SDK with the token of a person, and not with an API key. */
const aiOf = (one: Someone) =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey: one.token, maxRetries: 0 })
const links = async (one: Someone) => (await one.ask('GET', '/v1/links')).body.data

type Item = OpenAI.Responses.ResponseOutputItem
const asking = (output: Item[]) => {
  const asked = output.find(item => item.type === 'mcp_approval_request')
  if (!asked) throw new Error('nothing was asked')
  return asked
}

describe.concurrent('the mcp tool', () => {
  test('asks, is approved in the next response, and acts once', async () => {
    const [one, key] = [await world.someone(), newKey()]
    const ai = aiOf(one)
    const tools = toolsOf({ allowed_tools: ['createLink'] })
    const body = { model, tools, input }
    const first = await ai.responses.create(body, { headers: { 'Idempotency-Key': key } })
    expect(first.status).toBe('completed')
    const asked = asking(first.output)
    expect(asked).toMatchObject({ name: 'createLink', server_label: 'dodeca' })
    expect(JSON.parse(asked.arguments)).toEqual({ destination_url })
    expect(await links(one)).toEqual([])
    const answer: Params = {
      model,
      tools,
      previous_response_id: first.id,
      input: [{ type: 'mcp_approval_response', approval_request_id: asked.id, approve: true }],
    }
    const done = await ai.responses.create(answer)
    expect(done.output.map(item => item.type)).toEqual(['mcp_call', 'message'])
    expect(done.output[0]).toMatchObject({ approval_request_id: asked.id, error: null })
    expect(done.output_text.length).toBeGreaterThan(10)
    expect(await links(one)).toMatchObject([{ destination_url }])
    expect((await ai.responses.retrieve(done.id)).output).toEqual(done.output)
    expect((await ai.responses.retrieve(first.id)).tools).toEqual([
      { ...tools[0], require_approval: 'always' },
    ])
    const again = await failure(ai.responses.create(answer))
    expect([again.status, again.code]).toEqual([409, 'invalid_transition'])
    expect(await links(one)).toHaveLength(1)
  })

  test('is refused by a no', async () => {
    const one = await world.someone()
    const ai = aiOf(one)
    const tools = toolsOf({ allowed_tools: ['createLink'] })
    const first = await ai.responses.create({ model, tools, input })
    const approval_request_id = asking(first.output).id
    const done = await ai.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: [
        { type: 'mcp_approval_response', approval_request_id, approve: false },
        { role: 'user', content: 'Leave it.' },
      ],
    })
    expect(done.output.map(item => item.type)).toEqual(['message'])
    expect(await links(one)).toEqual([])
  })

  test('streams the events that the SDK builds a response from, and their replay', async () => {
    const one = await world.someone()
    const ai = aiOf(one)
    const tools = toolsOf({ allowed_tools: ['getMe', 'createLink'], require_approval: 'always' })
    const reads = 'Who am I? [[sandbox call=getMe args={} reasoning=20 steps=2]]'
    const body = { model, tools, input: reads }
    const whole = await ai.responses.create(body)
    expect(whole.output.map(item => item.type)).toEqual([
      'reasoning',
      'mcp_call',
      'reasoning',
      'mcp_call',
      'message',
    ])
    const headers = { 'Idempotency-Key': newKey() }
    for (const _ of ['live', 'replayed']) {
      const stream = ai.responses.stream(body, { headers })
      const types: string[] = []
      stream.on('event', event => types.push(event.type))
      const final = await stream.finalResponse()
      expect(final.output.map(item => item.type)).toEqual(whole.output.map(item => item.type))
      expect(final.output_text).toBe(whole.output_text)
      expect(types.filter(type => type === 'response.mcp_call.completed')).toHaveLength(2)
    }
    const asks = await ai.responses.stream({ ...body, input }).finalResponse()
    expect(asking(asks.output).name).toBe('createLink')
  })

  test.each([
    ['tools.0.server_url', { server_url: 'https://evil.example/mcp', allowed_tools: ['getMe'] }],
    ['tools.0.allowed_tools', {}],
    ['tools.0.allowed_tools', { allowed_tools: ['noSuchTool'] }],
    ['tools.0.server_label', { server_label: 'other', allowed_tools: ['getMe'] }],
    ['tools.0.headers', { headers: { a: 'b' }, allowed_tools: ['getMe'] }],
  ])('is refused by its member: %s', async (param, more) => {
    const ai = aiOf(await world.someone())
    const error = await failure(ai.responses.create({ model, input, tools: toolsOf(more) }))
    expect([error.status, error.param]).toEqual([422, param])
  })

  test('is not in the other dialects', async () => {
    const ai = aiOf(await world.someone())
    const tools = toolsOf({ allowed_tools: ['getMe'] }) as never
    const body = { model, tools, messages: [{ role: 'user' as const, content: input }] }
    const error = await failure(ai.chat.completions.create(body))
    expect([error.status, error.code]).toEqual([422, 'unsupported_parameter'])
  })
})
