/** Streams of a model through the client: events with types, a proved end, and a cancel by leaving. */
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient, Problem, type InferenceEvent } from '../../client/src/index.ts'
import {
  openInferenceWorld,
  type InferenceWorld,
} from '../../src/surfaces/inference/test/inference-world.ts'
import { eventually, newKey } from '../world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld()
})
afterAll(() => world.close())

async function clientOf(base_url = world.url) {
  const { token } = await world.someone()
  return createClient({ base_url, token })
}

async function all(events: AsyncIterable<InferenceEvent>): Promise<InferenceEvent[]> {
  const seen: InferenceEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

const text = (events: readonly InferenceEvent[]) =>
  events.map(one => (one.type === 'delta' ? one.text : '')).join('')

test('a stream has typed events and ends with completed', async () => {
  const api = await clientOf()
  const events = await all(api.inferences.stream({ model: 'default', input: 'Tell me more.' }))
  expect(events[0]).toMatchObject({ type: 'started', model_snapshot: 'sandbox-large-2026-01-01' })
  expect(events.at(-2)).toMatchObject({ type: 'usage', source: 'provider', currency: 'USD' })
  expect(events.at(-1)).toMatchObject({
    type: 'completed',
    finish_reason: 'stop',
    output_length: text(events).length,
  })
})

test('a retry with the same key gets the same text', async () => {
  const api = await clientOf()
  const key = newKey()
  const request = { model: 'default', input: 'Say it once.' }
  const first = await all(api.inferences.stream(request, { key }))
  const again = await all(api.inferences.stream(request, { key }))
  expect(text(again)).toBe(text(first))
  expect(again[0]).toMatchObject({ operation_id: expect.any(String) })
  expect(again.at(-1)).toMatchObject({ output_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
})

test('a refusal before the first event is a problem, a failure after it says its code', async () => {
  const api = await clientOf()
  const unknown = all(api.inferences.stream({ model: 'no-such-model', input: 'x' }))
  await expect(unknown).rejects.toBeInstanceOf(Problem)
  await expect(unknown).rejects.toMatchObject({ code: 'model_not_found' })
  const input = 'Tell me. [[sandbox tokens=400 fault=stream_cut after=200]]'
  const cut = all(api.inferences.stream({ model: 'default', input }))
  await expect(cut).rejects.toMatchObject({
    name: 'InferenceFailed',
    code: 'upstream_invalid_response',
    operation_id: expect.any(String),
  })
})

test('leaving the loop cancels the call at the provider', async () => {
  const api = await clientOf()
  const input = '[[sandbox tokens=1000 fault=slow ttft_ms=0 delta_ms=10]]'
  let operation_id = ''
  for await (const event of api.inferences.stream({ model: 'default', input })) {
    if (event.type === 'started') operation_id = event.operation_id
    if (event.type === 'delta') break
  }
  const seen = await eventually('the provider sees the abort', async () => {
    const [one] = await world.journal(operation_id)
    return one?.aborted_at_ms ? one : undefined
  })
  expect(seen.deltas_sent).toBeLessThan(500)
})

test('a stream that a middlebox cuts cleanly is no short answer', async () => {
  // It passes everything on, but drops the last event.
  const middle = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', world.url)
    const onward = httpRequest(world.url + pathname, { method: 'POST', headers: request.headers })
    request.pipe(onward)
    onward.on('response', answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk as Buffer))
      answer.on('end', () => {
        response.writeHead(answer.statusCode ?? 500, { 'content-type': 'text/event-stream' })
        const whole = Buffer.concat(chunks).toString('utf8')
        response.end(whole.slice(0, whole.indexOf('event: completed')))
      })
    })
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => middle.once('listening', resolve))
  const { port } = middle.address() as AddressInfo
  const api = await clientOf(`http://127.0.0.1:${port}`)
  const short = all(api.inferences.stream({ model: 'default', input: 'Tell me more.' }))
  await expect(short).rejects.toMatchObject({ code: 'stream_incomplete' })
  await new Promise(resolve => middle.close(resolve))
})
