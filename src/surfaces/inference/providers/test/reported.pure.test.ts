/** What a provider reports is not believed if no provider can mean it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openLines } from '../lines.ts'
import { openCompatible } from '../wire/chat.ts'
import { outcomeOf, requestOf } from './adapter-world.ts'

/** One answer of a server that speaks Chat Completions. */
async function answered(usage: unknown, model: unknown = 'a-model') {
  const delta = { role: 'assistant', content: 'Well.' }
  const chunks = [
    { id: 'c1', model, choices: [{ index: 0, delta, finish_reason: 'stop' }] },
    { id: 'c1', model, choices: [], usage },
  ]
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const ms = 10_000
  const limits = { attempt_timeout_ms: ms, first_event_ms: ms, idle_ms: ms, stream_max_ms: ms }
  const provider = openCompatible({
    name: 'lying',
    lines: openLines({
      name: 'lying',
      limits: { ...limits, max_retries: 0 },
      breaker_open_ms: ms,
      nowMs: () => Date.now(),
      connection: () => ({ base_url, auth: { type: 'bearer', key: 'none' } }),
    }),
  })
  const outcome = await outcomeOf(provider, requestOf('Tell me.'))
  await provider.close()
  server.close()
  return outcome
}

test.each([
  ['less than nothing', { prompt_tokens: -100, completion_tokens: 5 }],
  ['a part of a token', { prompt_tokens: 1.5, completion_tokens: 5 }],
  ['more than any model reads', { prompt_tokens: 3_000_000_000, completion_tokens: 5 }],
  ['a text', { prompt_tokens: '12', completion_tokens: 5 }],
  ['only a total', { total_tokens: 17 }],
])('a usage of %s counts as none', async (_what, usage) => {
  const { text, events, failure } = await answered(usage)
  expect([text, failure]).toEqual(['Well.', null])
  expect(events.filter(event => event.type === 'usage')).toEqual([])
})

test('more cached and reasoning tokens than tokens are as many as there are', async () => {
  const { events } = await answered({
    prompt_tokens: 10,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 11 },
    completion_tokens_details: { reasoning_tokens: 6 },
  })
  const usage = { type: 'usage', input: 10, cached_input: 10, output: 5, reasoning: 5 }
  expect(events.find(event => event.type === 'usage')).toEqual(usage)
})

test('a name of a model that cannot be stored is one that can', async () => {
  const { events } = await answered(null, `model\u0000${'x'.repeat(500)}`)
  const created = events.find(event => event.type === 'created')
  expect(created).toMatchObject({ model_snapshot: `model${'x'.repeat(95)}` })
})
