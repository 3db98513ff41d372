/**
 * A process is killed in a model call: before it is sent, while it streams, before and after it is settled.
 * Each run is settled or released once, a retry with the key goes on with the same operation, and a call that
 * was settled is read again with the same bytes.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openInferenceWorld,
  streamedOf,
  type InferenceWorld,
  type Someone,
} from '../../src/surfaces/inference/test/inference-world.ts'
import { killedAt } from '../crash.ts'
import { inTurns } from '../in-turns.ts'
import { startProcess } from '../process.ts'
import { call, eventually, newKey } from '../world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld({ INFERENCE_LEASE_SECONDS: '3' })
})
afterAll(() => world.close())

const body = { model: 'default', input: 'Write about the tide.' }
const retry_ms = 90_000

/** The retries of a client, until the dead process's lease has ended. */
async function insist(one: Someone, path: string, key: string, sent: object = body) {
  return await eventually(
    'a retry is answered',
    async () => {
      const answer = await one.ask('POST', path, sent, { key })
      return answer.status === 200 && answer
    },
    retry_ms,
  )
}

async function settledOnce(one: Someone, operation_id: string): Promise<void> {
  await eventually('nothing is held', async () => (await world.held(one.tenant.id)) === 0, retry_ms)
  const usage = await world.usage(operation_id)
  expect(usage.map(row => row.run)).toEqual(usage.map((_, at) => at + 1))
  expect(usage.at(-1)).toMatchObject({ status: 'succeeded' })
  const keys = (await world.journal(operation_id)).map(seen => seen.headers['idempotency-key'])
  expect(new Set(keys)).toEqual(new Set([operation_id]))
}

describe.concurrent('killed', () => {
  const blocking = inTurns(2, [
    'kernel.after_operation',
    'kernel.after_call',
    'inference.before_settle',
    'kernel.after_commit',
  ])

  test.each(blocking)('at %s of a blocking call', async point => {
    const one = await world.someone()
    const key = newKey()
    await killedAt(
      world,
      point,
      url => call(url, 'POST', '/v1/inferences', { token: one.token, key, body }),
      1,
      'product',
    )
    const first = await insist(one, '/v1/inferences', key)
    await settledOnce(one, first.body.id)
    const again = await one.ask('POST', '/v1/inferences', body, { key })
    expect(again.body.output).toEqual(first.body.output)
    expect(again.body.id).toBe(first.body.id)
  })

  test.each(
    inTurns(3, ['kernel.after_operation', 'inference.before_settle', 'inference.after_settle']),
  )('at %s of a stream', async point => {
    const one = await world.someone()
    const key = newKey()
    const path = '/v1/inferences:stream'
    await killedAt(
      world,
      point,
      url => call(url, 'POST', path, { token: one.token, key, body }),
      1,
      'product',
    )
    const first = streamedOf(await insist(one, path, key))
    expect(first.last).toMatchObject({ event: 'completed' })
    expect(first.frames.filter(frame => frame.event === 'completed')).toHaveLength(1)
    const digest = createHash('sha256').update(first.text).digest('hex')
    expect(first.last?.data.output_sha256).toBe(digest)
    await settledOnce(one, first.last?.data.operation_id)
    const again = streamedOf(await one.ask('POST', path, body, { key }))
    expect(again.text).toBe(first.text)
  })

  test.each(inTurns(3, ['kernel.after_call', 'inference.before_settle', 'kernel.after_commit']))(
    'at %s of a call that continues two others',
    async point => {
      const one = await world.someone()
      const said = async (input: string, previous_id?: string) =>
        (await one.infer(input, previous_id === undefined ? {} : { previous_id })).body
      const first = await said('Write about the moon.')
      const second = await said('And its phases?', first.id)
      const key = newKey()
      const own = { ...body, previous_id: second.id }
      await killedAt(
        world,
        point,
        url => call(url, 'POST', '/v1/inferences', { token: one.token, key, body: own }),
        1,
        'product',
      )
      const third = await insist(one, '/v1/inferences', key, own)
      await settledOnce(one, third.body.id)
      const again = await one.ask('POST', '/v1/inferences', own, { key })
      expect([again.body.id, again.body.output]).toEqual([third.body.id, third.body.output])
      // Every run sent the whole conversation, and the next call goes on from it.
      const sent = (await world.journal(third.body.id)).map(seen => JSON.stringify(seen.body.input))
      expect(new Set(sent).size).toBe(1)
      expect(sent[0]).toContain('Write about the moon.')
      expect(sent[0]).toContain(second.output.text.slice(0, 40))
      const fourth = await said('And then?', third.body.id)
      const [seen] = await world.journal(fourth.id)
      expect(seen.body.input).toHaveLength(7)
    },
  )

  test('between two tokens of a stream', async () => {
    const one = await world.someone()
    const key = newKey()
    await world.fault({
      action: 'slow',
      ttft_ms: 0,
      delta_ms: 300,
      match: { prompt_contains: one.id },
      times: 1,
    })
    const own = { ...body, input: `Write to ${one.id}.` }
    const beside = await startProcess(world.environment, 'product')
    const response = await fetch(`${beside.url}/v1/inferences:stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${one.token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(own),
    })
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.read()
    await beside.kill()
    const answer = await eventually(
      'a retry is answered',
      async () => {
        const found = await one.ask('POST', '/v1/inferences:stream', own, { key })
        return found.status === 200 && found
      },
      retry_ms,
    )
    const { last } = streamedOf(answer)
    expect(last).toMatchObject({ event: 'completed' })
    await settledOnce(one, last?.data.operation_id)
    const [first] = await world.usage(last?.data.operation_id)
    expect(first).toMatchObject({ run: 1, status: 'ambiguous', source: 'reserved' })
  })
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
