/** The vendor's own protocol, with the official SDK of Anthropic as its client. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSandbox, type Sandbox } from '../../open-sandbox.ts'
import { anthropic } from '../anthropic.ts'

let folder: string
let sandbox: Sandbox
let client: Anthropic
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dodeca-anthropic-'))
  sandbox = await openSandbox(folder, [anthropic])
  client = clientOf(sandbox.addresses['anthropic']?.['key'] ?? '')
})
afterAll(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
})

function clientOf(apiKey: string): Anthropic {
  const { origin } = new URL(sandbox.addresses['anthropic']?.['api'] ?? '')
  return new Anthropic({ baseURL: origin, apiKey, maxRetries: 0, logLevel: 'off' })
}

const usual = { model: 'sandbox-large', max_tokens: 500 }
const user = (content: string) => ({ role: 'user' as const, content })
const input_schema = { type: 'object' as const, properties: { city: { type: 'string' } } }
const tools = [{ name: 'weather', input_schema }]
const asks = user('What is it like? [[sandbox call=weather args={"city":"Bern"} reasoning=50]]')

async function failure(work: PromiseLike<unknown>) {
  try {
    await work
  } catch (error) {
    if (error instanceof Anthropic.APIError) return [error.status, error.type]
    throw error
  }
  throw new Error('the call succeeded')
}

test('a message is the same, whole and streamed', async () => {
  const body = { ...usual, system: 'Be brief.', messages: [user('Tell me.')] }
  const whole = await client.messages.create(body)
  const streamed = await client.messages.stream(body).finalMessage()
  expect(streamed.content).toEqual(whole.content)
  expect(streamed.usage).toMatchObject({ output_tokens: whole.usage.output_tokens })
  expect([whole.stop_reason, streamed.stop_reason]).toEqual(['end_turn', 'end_turn'])
  const short = await client.messages.create({ ...body, max_tokens: 3 })
  expect(short.stop_reason).toBe('max_tokens')
})

test('a model that thought wants its thoughts back, as they were', async () => {
  const body = { ...usual, messages: [asks], tools }
  const { content } = await client.messages.stream(body).finalMessage()
  expect(content.map(block => block.type)).toEqual(['thinking', 'tool_use'])
  const used = content.find(block => block.type === 'tool_use')
  const result = { type: 'tool_result' as const, tool_use_id: used?.id ?? '', content: '21' }
  const answer = (blocks: object[]) =>
    client.messages.create({
      ...body,
      messages: [
        asks,
        { role: 'assistant', content: blocks as Anthropic.Messages.ContentBlockParam[] },
        { role: 'user', content: [result] },
      ],
    })
  expect((await answer(content)).stop_reason).toBe('end_turn')
  const [thought, ...calls] = content
  expect(await failure(answer(calls))).toEqual([400, 'invalid_request_error'])
  const changed = { ...thought, signature: 'bm8=' }
  expect(await failure(answer([changed, ...calls]))).toEqual([400, 'invalid_request_error'])
})

test('refusals have the types of the vendor', async () => {
  const messages = [user('Tell me.')]
  const wrong = clientOf('sk-ant-wrong').messages.create({ ...usual, messages })
  expect(await failure(wrong)).toEqual([401, 'authentication_error'])
  const unknown = client.messages.create({ ...usual, model: 'none', messages })
  expect(await failure(unknown)).toEqual([404, 'not_found_error'])
  const limited = [user('Tell me. [[sandbox fault=rate_limit]]')]
  const refused = client.messages.create({ ...usual, messages: limited })
  expect(await failure(refused)).toEqual([429, 'rate_limit_error'])
  const twice = client.messages.create({ ...usual, messages: [...messages, ...messages] })
  expect(await failure(twice)).toEqual([400, 'invalid_request_error'])
})
