/** What a log says of calls: enough to find a failure, and no prompt, no answer, no key and no word of a provider. */
import { createServer } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import { call, eventually } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { code, openInferenceWorld, type InferenceWorld, type Someone } from './inference-world.ts'

const secret = 'sk-live-0123456789abcdef0123456789'
let world: InferenceWorld
let beside: PlatformProcess
beforeAll(async () => {
  const dead = { name: 'dead', kind: 'openai', base_url: await closedPort(), api_key: secret }
  world = await openInferenceWorld({ INFERENCE_PROVIDERS: JSON.stringify([dead]) })
  beside = await startProcess({ ...world.environment, LOG_LEVEL: 'trace' }, 'product')
})
afterAll(async () => {
  await beside.kill()
  await world.close()
})

/** An address that refuses connections. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`
}

const send = (one: Someone, path: string, body: object) =>
  call(beside.url, 'POST', path, { token: one.token, body })

type Line = { readonly level: number; readonly msg: string; readonly [name: string]: unknown }
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Line)

test('no prompt, no answer and no key is in any line of a run', async () => {
  const one = await world.someone()
  const mark = `mark${newId()}`
  const said = `said${newId()}`
  const prompt = `Tell ${mark}.`
  const meet = async (fault: { action: string; [more: string]: unknown }) => {
    const input = `${prompt} ${newId()}`
    await world.fault({ ...fault, match: { prompt_contains: input }, times: 3 })
    return { model: 'default', input, parameters: { instructions: `Mind ${mark}.` } }
  }
  const answers = [
    await send(one, '/v1/inferences', await meet({ action: 'say', deltas: [said] })),
    await send(one, '/v1/inferences:stream', await meet({ action: 'say', deltas: [said] })),
    await send(one, '/v1/generations', { prompt }),
    await send(
      one,
      '/v1/inferences',
      await meet({ action: 'status', status: 400, message: `${secret} for ${mark}` }),
    ),
    await send(one, '/v1/inferences', await meet({ action: 'stream_cut', after: 2 })),
    await send(one, '/v1/inferences', await meet({ action: 'malformed_event', after: 2 })),
    // Last: with its retries it opens the circuit.
    await send(one, '/v1/inferences', await meet({ action: 'html_502' })),
  ]
  expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 502, 502, 502, 502])
  // A line arrives after the answer that it is about.
  const failures = await eventually('four failures are written', () => {
    const written = linesOf(beside.output()).filter(line => line.msg === 'a model call failed')
    return written.length >= 4 && written
  })
  expect(failures).toHaveLength(4)
  const output = beside.output()
  expect(failures[0]).toMatchObject({ model: 'sandbox-large', refusal: { status: 400 } })
  const key = world.environment['INFERENCE_API_KEY'] ?? ''
  for (const hidden of [mark, said, secret, key, one.token]) expect(output).not.toContain(hidden)
})

test('no key of a tenant is in any line, also where its vendor refuses it', async () => {
  const one = await world.someone()
  await world.allow(one, 'inference.providers.write', 'inference.models.write')
  const { api: base_url } = world.vendors['anthropic'] ?? {}
  const key = `sk-ant-own-${newId()}`
  const auth = { type: 'header', header: 'x-api-key', key }
  const made = await call(beside.url, 'PUT', '/v1/model-providers/ours', {
    token: one.token,
    body: { kind: 'anthropic', base_url, auth },
  })
  expect(made.status, made.text).toBe(200)
  const model = await send(one, '/v1/models', {
    provider: 'ours',
    model_name: 'sandbox-large',
    capability: ['text', 'stream'],
    max_context: 16_000,
    max_output: 1000,
    state: 'active',
  })
  const answer = await send(one, '/v1/inferences', { model: model.body.id, input: 'One.' })
  expect(code(answer)).toEqual([503, 'service_unavailable'])
  const output = beside.output()
  expect(output).toContain('authentication_error')
  for (const hidden of [key, key.slice(-12)]) expect(output).not.toContain(hidden)
})

test('a provider that refuses connections is one line, and a status of its own', async () => {
  const one = await world.someone()
  await world.allow(one, 'inference.models.write', 'inference.platform.write')
  const model = await one.ask('POST', '/v1/models', {
    provider: 'dead',
    model_name: 'gone',
    capability: ['text', 'stream'],
    max_context: 16_000,
    max_output: 1000,
    state: 'active',
  })
  expect(model.status, model.text).toBe(201)
  const before = linesOf(beside.output()).filter(line => line.level >= 40).length
  const answer = await send(one, '/v1/inferences', { model: model.body.id, input: 'One.' })
  expect(code(answer)).toEqual([504, 'upstream_unreachable'])
  const lines = linesOf(beside.output()).filter(line => line.level >= 40)
  expect(lines.slice(before)).toMatchObject([
    { msg: 'a model call failed', provider: 'dead', reason: 'ECONNREFUSED' },
  ])
  expect(lines.at(-1)).not.toHaveProperty('err')
})
