/** The vendor's own protocol: answers whole and streamed, and the signatures that have to come back. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSandbox, type Sandbox } from '../../open-sandbox.ts'
import { gemini } from '../gemini.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

let folder: string
let sandbox: Sandbox
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dodeca-gemini-'))
  sandbox = await openSandbox(folder, [gemini])
})
afterAll(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
})

async function generate(body: object, action = 'generateContent') {
  const at = sandbox.addresses['gemini']
  const answer = await fetch(`${at?.['api']}/models/sandbox-large:${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': at?.['key'] ?? '' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

const user = (text: string) => ({ role: 'user', parts: [{ text }] })
const textIn = (chunk: Json): string => chunk.candidates[0].content.parts[0].text

test('an answer is the same, whole and streamed', async () => {
  const body = { contents: [user('Tell me.')] }
  const whole = JSON.parse((await generate(body)).text)
  const { text } = await generate(body, 'streamGenerateContent?alt=sse')
  const chunks = [...text.matchAll(/^data: (.*)\r$/gm)].map(([, data = '']) => JSON.parse(data))
  expect(chunks.map(textIn).join('')).toBe(textIn(whole))
  expect(chunks.at(-1)).toMatchObject({
    candidates: [{ finishReason: 'STOP' }],
    usageMetadata: whole.usageMetadata,
  })
})

test('a call comes back with its signature, or the request is refused', async () => {
  const asks = user('What is it like? [[sandbox call=weather args={"city":"Bern"}]]')
  const tools = [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: {} }] }]
  const first = JSON.parse((await generate({ contents: [asks], tools })).text)
  const [part] = first.candidates[0].content.parts
  const { id, name } = part.functionCall
  const result = { functionResponse: { id, name, response: { output: '21' } } }
  const answer = async (call: object) => {
    const contents = [asks, { role: 'model', parts: [call] }, { role: 'user', parts: [result] }]
    return await generate({ contents, tools })
  }
  expect((await answer(part)).status).toBe(200)
  const refused = await answer({ functionCall: part.functionCall })
  expect(refused.status).toBe(400)
  expect(JSON.parse(refused.text).error).toMatchObject({
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: expect.stringContaining('thought_signature'),
  })
  expect((await answer({ ...part, thoughtSignature: 'bm8=' })).status).toBe(400)
})
