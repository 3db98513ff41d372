/** What a provider, a reader or a caller does wrong, and what a client, the usage and the quota show of it. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { readByHand } from './read-by-hand.ts'
import { code, openInferenceWorld, streamedOf, type InferenceWorld } from './inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld({
    INFERENCE_ATTEMPT_TIMEOUT_MS: '6000',
    // Five failures in a row of any of these tests would open it for the others.
    INFERENCE_BREAKER_OPEN_MS: '10',
    INFERENCE_STREAM_FIRST_EVENT_MS: '6000',
    INFERENCE_STREAM_IDLE_MS: '3000',
    KERNEL_SSE_HEARTBEAT_SECONDS: '1',
    INFERENCE_BLOCKLIST: 'forbidden fruit,verboten',
    INFERENCE_QUOTA_PRINCIPAL_TOKENS_PER_MINUTE: '1000000',
    INFERENCE_QUOTA_TENANT_TOKENS_PER_MINUTE: '1000000',
  })
})
afterAll(() => world.close())

/** A prompt of its own, and the fault that it meets. */
async function meet(fault: { action: string; [more: string]: unknown }): Promise<string> {
  const prompt = `prompt ${newId()}`
  await world.fault({ times: 99, ...fault, match: { prompt_contains: prompt } })
  return prompt
}

/** Some hundred words, five a second. */
const slowly = { action: 'slow', ttft_ms: 0, delta_ms: 200 }

describe.concurrent('a provider', () => {
  test.each(['stream_no_terminal', 'stream_cut', 'stream_reset', 'malformed_event'])(
    'that ends by %s in its answer gives an error, and never a short success',
    async action => {
      const one = await world.alone()
      const { frames, last } = await one.stream(await meet({ action, after: 3 }))
      expect(frames.map(frame => frame.event)).not.toContain('completed')
      expect(last).toMatchObject({ event: 'error', data: { retryable: true } })
      expect(['upstream_invalid_response', 'upstream_timeout']).toContain(last?.data.code)
      const [usage] = await world.usage(last?.data.operation_id)
      expect(usage).toMatchObject({ status: 'failed', source: 'estimated' })
      expect(usage?.output_tokens).toBeGreaterThan(0)
    },
  )

  test('that sends far more than it was asked for is cut off', async () => {
    const one = await world.alone()
    const deltas = Array.from({ length: 8 }, () => 'word '.repeat(4000))
    const prompt = await meet({ action: 'say', deltas })
    const parameters = { max_output_tokens: 16 }
    const answer = await one.infer(prompt, { parameters })
    expect(code(answer)).toEqual([502, 'upstream_invalid_response'])
  })

  test('that refuses for its rate is a status, also for a stream', async () => {
    const one = await world.alone()
    const { status, body } = await one.stream(await meet({ action: 'rate_limit' }))
    expect(code({ status, body })).toEqual([503, 'service_unavailable'])
    const answer = await one.infer(await meet({ action: 'rate_limit' }))
    expect(code(answer)).toEqual([503, 'service_unavailable'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(answer.body.retry_after).toBeGreaterThan(0)
  })

  test('that answers with HTML is 502', async () => {
    const one = await world.alone()
    const answer = await one.infer(await meet({ action: 'html_502' }))
    expect([502, 503]).toContain(answer.status)
  })

  test('that loses its answers is asked with one key, and a retry continues the call', async () => {
    const one = await world.alone()
    const prompt = await meet({ action: 'lost_response', times: 3 })
    const key = newKey()
    const lost = await one.infer(prompt, {}, key)
    expect(code(lost)).toEqual([504, 'upstream_timeout'])
    const found = await one.infer(prompt, {}, key)
    expect(found.status, found.text).toBe(200)
    const { id } = found.body
    const requests = await world.journal(id)
    expect(requests.length).toBeGreaterThanOrEqual(4)
    expect(new Set(requests.map(one => one.headers['idempotency-key']))).toEqual(new Set([id]))
    const attempts = await world.attempts(id)
    expect(attempts.map(one => one.attempt)).toEqual(attempts.map((_, at) => at + 1))
    expect(attempts.filter(one => one.state === 'ambiguous')).toHaveLength(3)
    const usage = await world.usage(id)
    expect(usage.map(row => row.status)).toEqual([
      'ambiguous',
      'ambiguous',
      'ambiguous',
      'succeeded',
    ])
  })

  test('that stalls is left by the idle watchdog, although heartbeats are sent', async () => {
    const one = await world.alone()
    const input = await meet({ action: 'body_stall', after: 2 })
    const answer = await one.ask('POST', '/v1/inferences:stream', { model: 'default', input })
    expect(answer.text).toContain(': heartbeat')
    const { last } = streamedOf(answer)
    expect(last).toMatchObject({ event: 'error', data: { code: 'upstream_timeout' } })
  })

  test('is not asked again where the deadline leaves no time', async () => {
    const one = await world.alone()
    const prompt = await meet({ action: 'headers_timeout' })
    const answer = await one.infer(prompt, { parameters: { deadline_ms: 1000 } })
    expect(code(answer)).toEqual([504, 'upstream_timeout'])
    const requests = (await world.journal()).filter(call =>
      JSON.stringify(call.body).includes(prompt),
    )
    expect(requests).toHaveLength(1)
  })

  test('that writes U+0000 and half a pair of surrogates is stored as it wrote', async () => {
    const one = await world.alone()
    const prompt = await meet({ action: 'say', deltas: ['a\u0000b', ' 🦊'] })
    const { body } = await one.infer(prompt)
    expect(body.output.text).toBe('a\u0000b 🦊')
    const read = await one.ask('GET', `/v1/inferences/${body.id}`)
    expect(read.body.output.text).toBe('a\u0000b 🦊')
  })

  test('whose error quotes a key or another prompt shows neither', async () => {
    const one = await world.alone()
    const message = 'bad key sk-live-0123456789abcdef0123456789 for prompt: my secret'
    const answer = await one.infer(await meet({ action: 'status', status: 500, message }))
    expect(answer.status).toBe(503)
    expect(answer.text).not.toContain('secret')
    expect(answer.text).not.toContain('sk-live')
  })

  test('refuses in its own way: the call is blocked', async () => {
    const one = await world.alone()
    const answer = await one.infer(await meet({ action: 'content_filter' }))
    expect(code(answer)).toEqual([422, 'content_blocked'])
  })
})

describe.concurrent('the output policy', () => {
  test('passes on not one character of a blocked phrase that is split over deltas', async () => {
    const one = await world.someone()
    const deltas = ['Take the f', 'orbid', 'den ', 'fru', 'it now']
    const { text, last } = await one.stream(await meet({ action: 'say', deltas }))
    expect(text).toBe('Take the ')
    expect(last).toMatchObject({ event: 'error', data: { code: 'content_blocked' } })
    const read = await one.ask('GET', `/v1/inferences/${last?.data.operation_id}`)
    expect(read.body).toMatchObject({
      state: 'blocked',
      safety: [{ stage: 'output', category: 'blocklist', decision: 'block' }],
    })
  })

  test('redacts a secret that is split over deltas, and the digest is of what was sent', async () => {
    const one = await world.someone()
    const deltas = ['key: s', 'k-abcdefghij', 'klmnopqrst', 'uvwxyz', ' end']
    const { text, last } = await one.stream(await meet({ action: 'say', deltas }))
    expect(text).toBe('key: [redacted] end')
    expect(last?.data.output_sha256).toBe(createHash('sha256').update(text).digest('hex'))
  })

  test('refuses a blocked input before anything is sent, and counts the request', async () => {
    const one = await world.someone()
    const key = newKey()
    const prompt = `This is VERBOTEN ${newId()}`
    expect(code(await one.infer(prompt, {}, key))).toEqual([422, 'content_blocked'])
    const again = await one.infer(prompt, {}, key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(code(await one.stream(prompt))).toEqual([422, 'content_blocked'])
    const quotas = await one.ask('GET', '/v1/quotas')
    const used = (metric: string) =>
      quotas.body.data.find(
        (line: { scope_type: string; metric: string }) =>
          line.scope_type === 'principal' && line.metric === metric,
      ).used
    expect(Number(used('requests_per_minute'))).toBeGreaterThan(0)
    expect(used('tokens_per_day')).toBe('0')
  })
})

describe.concurrent('a reader', () => {
  test('that disappears stops the provider; what was received is charged', async () => {
    const one = await world.someone()
    const prompt = await meet(slowly)
    const { frames, leave } = await readByHand(world.url, one, prompt, 5)
    leave()
    const id = frames[0]?.data.operation_id
    await eventually('the provider sees it', async () => {
      const [request] = await world.journal(id)
      return request?.aborted_at_ms != null
    })
    const usage = await eventually('it is settled', async () => {
      const rows = await world.usage(id)
      return rows.length > 0 && rows
    })
    expect(usage).toMatchObject([{ status: 'cancelled', source: 'estimated' }])
    expect(usage[0]?.output_tokens).toBeGreaterThanOrEqual(3)
    expect(usage[0]?.output_tokens).toBeLessThan(20)
    expect(await world.held(one.tenant.id)).toBe(0)
  })
})

describe.concurrent('a caller', () => {
  test('cancels a stream, which ends by an error of its own', async () => {
    const one = await world.someone()
    const prompt = await meet(slowly)
    const { frames, rest } = await readByHand(world.url, one, prompt, 3)
    const id = frames[0]?.data.operation_id
    const cancelled = await one.ask('POST', `/v1/inferences/${id}/cancel`)
    expect(cancelled.status).toBe(202)
    const all = await rest()
    expect(all.at(-1)).toMatchObject({ event: 'error', data: { code: 'inference_cancelled' } })
    expect(all.filter(frame => frame.event === 'error')).toHaveLength(1)
    expect((await one.ask('POST', `/v1/inferences/${id}/cancel`)).status).toBe(200)
  })

  test('cannot cancel what has ended', async () => {
    const one = await world.someone()
    const { body } = await one.infer('Something.')
    const answer = await one.ask('POST', `/v1/inferences/${body.id}/cancel`)
    expect(code(answer)).toEqual([409, 'invalid_transition'])
  })

  test('cancels a blocking call, which then is 409', async () => {
    const one = await world.someone()
    const prompt = await meet(slowly)
    const running = one.infer(prompt)
    const id = await eventually('it runs', async () => {
      const call = (await world.journal()).find(seen => JSON.stringify(seen.body).includes(prompt))
      return call?.operation_id as string | undefined
    })
    await one.ask('POST', `/v1/inferences/${id}/cancel`)
    expect(code(await running)).toEqual([409, 'inference_cancelled'])
  })

  test('of another tenant finds nothing', async () => {
    const [one, other] = await Promise.all([world.someone(), world.someone()])
    await world.allow(one, 'inference.models.write', 'inference.platform.write')
    const { body } = await one.infer('Something.')
    const model = await one.ask('POST', '/v1/models', {
      provider: 'openai',
      model_name: 'sandbox-small',
      capability: ['text'],
      max_context: 16_000,
      max_output: 1000,
      state: 'active',
    })
    const read = await other.ask('GET', `/v1/inferences/${body.id}`)
    expect(code(read)).toEqual([404, 'inference_not_found'])
    const cancel = await other.ask('POST', `/v1/inferences/${body.id}/cancel`)
    expect(code(cancel)).toEqual([404, 'inference_not_found'])
    const call = await other.infer('Something.', { model: model.body.id })
    expect(code(call)).toEqual([404, 'model_not_found'])
    const models = await other.ask('GET', '/v1/models')
    expect(models.text).not.toContain(model.body.id)
  })

  test('may send 20,000 code points, and neither one more nor half of one', async () => {
    const one = await world.someone()
    const send = (prompt: string) => one.ask('POST', '/v1/generations', { prompt })
    expect((await send('🦊'.repeat(20_000))).status).toBe(200)
    expect(code(await send('🦊'.repeat(20_001)))).toEqual([422, 'validation_failed'])
    const half = await one.ask('POST', '/v1/generations', String.raw`{"prompt": "a\ud83e"}`)
    expect(code(half)).toEqual([422, 'invalid_character'])
  })

  test('that sends 200,000 letters without a space delays no other request', async () => {
    const [one, other] = await Promise.all([world.someone(), world.someone()])
    const ends: string[] = []
    const note = (what: string) => (answer: { status: number }) => {
      ends.push(what)
      return answer
    }
    const large = one.infer('x'.repeat(200_000), { parameters: { max_output_tokens: 1 } })
    const others = Array.from({ length: 5 }, () =>
      other.ask('GET', '/v1/quotas').then(note('small')),
    )
    const [{ status }] = await Promise.all([large.then(note('large')), ...others])
    expect(status).toBe(200)
    expect(ends.at(-1)).toBe('large')
  })
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
