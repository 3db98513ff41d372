/** Tools that the caller runs, chains of calls, stop sequences and files, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import { code, openInferenceWorld, type InferenceWorld } from './inference-world.ts'

const Found = Type.Object({ found: Type.String() })

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld()
})
afterAll(() => world.close())

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = { type: 'function', name: 'weather', description: 'The weather now.', schema }
const parameters = { tools: [weather] }
const asks = 'What is it like? [[sandbox call=weather args={"city":"Bern"}]]'

describe.concurrent('a tool', () => {
  test('is called, its result goes back, and the retry of each reads the same', async () => {
    const one = await world.someone()
    const key = newKey()
    const first = await one.infer(asks, { parameters }, key)
    expect(first.status, first.text).toBe(200)
    expect(first.body).toMatchObject({
      state: 'succeeded',
      finish_reason: 'tool_calls',
      output: {
        type: 'text',
        text: '',
        tool_calls: [{ id: expect.any(String), name: 'weather', arguments: '{"city":"Bern"}' }],
      },
    })
    const again = await one.infer(asks, { parameters }, key)
    expect(again.body.output).toEqual(first.body.output)
    expect((await one.ask('GET', `/v1/inferences/${first.body.id}`)).body.output).toEqual(
      first.body.output,
    )
    const [sent] = await world.journal(first.body.id)
    expect(sent.body.tools).toEqual([
      {
        type: 'function',
        name: 'weather',
        description: 'The weather now.',
        parameters: schema,
        strict: true,
      },
    ])
    const [call] = first.body.output.tool_calls
    const result = { type: 'tool_result', id: call.id, output: '21 degrees' }
    const input = [{ role: 'user', content: asks }, { type: 'tool_call', ...call }, result]
    const second = await one.ask('POST', '/v1/inferences', { model: 'default', input, parameters })
    expect(second.status, second.text).toBe(200)
    expect(second.body).toMatchObject({ finish_reason: 'stop' })
    expect(second.body.output.text.length).toBeGreaterThan(10)
  })

  test('is called in a stream, whole, and replayed', async () => {
    const one = await world.someone()
    const key = newKey()
    const { frames, last } = await one.stream(asks, { parameters }, key)
    expect(frames.map(frame => frame.event)).toEqual(['started', 'tool_call', 'usage', 'completed'])
    expect(frames[1]?.data).toMatchObject({ name: 'weather', arguments: '{"city":"Bern"}' })
    expect(last?.data.finish_reason).toBe('tool_calls')
    const again = await one.stream(asks, { parameters }, key)
    expect(again.frames.map(frame => frame.data)).toEqual(frames.map(frame => frame.data))
  })

  test.each(['tool_bad_json', 'tool_unknown', 'duplicate_ids'])(
    'is not called where the model sends %s: the call fails and is charged',
    async fault => {
      const one = await world.someone()
      const said = `${asks} [[sandbox fault=${fault}]]`
      const blocking = await one.infer(said, { parameters })
      expect(code(blocking)).toEqual([502, 'upstream_invalid_response'])
      const { frames, last } = await one.stream(said, { parameters })
      expect(frames.map(frame => frame.event)).toEqual(['started', 'usage', 'error'])
      expect(last?.data.code).toBe('upstream_invalid_response')
      const id = frames[0]?.data.operation_id
      expect(await world.usage(id)).toMatchObject([{ status: 'failed', source: 'provider' }])
      expect(await world.held(one.tenant.id)).toBe(0)
    },
  )

  test('that was never offered, chosen, or twice there is refused before anything is sent', async () => {
    const one = await world.someone()
    const refused = async (given: object) => {
      const { status, body } = await one.infer('Hello.', { parameters: given })
      return [status, body.errors?.[0]?.pointer]
    }
    expect(await refused({ tools: [weather, weather] })).toEqual([422, '/parameters/tools'])
    expect(await refused({ tools: [weather], tool_choice: { name: 'other' } })).toEqual([
      422,
      '/parameters/tool_choice',
    ])
    expect(await refused({ tool_choice: 'required' })).toEqual([422, '/parameters/tool_choice'])
    const call = { type: 'tool_call', id: 'a', name: 'weather', arguments: '{}' }
    const result = { type: 'tool_result', id: 'a', output: '' }
    for (const input of [
      [call],
      [result],
      [call, { role: 'user', content: 'And?' }, result],
      [call, call, result],
      [{ type: 'tool_call', id: 'a' }],
    ]) {
      const { status, body } = await one.ask('POST', '/v1/inferences', {
        model: 'default',
        input,
        parameters,
      })
      expect([status, body.code]).toEqual([422, 'validation_failed'])
      expect(body.errors[0].pointer).toMatch(/^\/input/)
    }
  })

  test('needs a model that can', async () => {
    const one = await world.alone()
    expect(code(await one.infer(asks, { parameters }))).toEqual([
      422,
      'model_capability_unsupported',
    ])
    const seeded = await (await world.someone()).infer('Hello.', { parameters: { seed: 1 } })
    expect(code(seeded)).toEqual([422, 'model_capability_unsupported'])
  })

  test('whose thoughts are sealed gets them back at the same provider', async () => {
    const one = await world.someone()
    const thinking = `${asks} [[sandbox reasoning=100]]`
    const first = await one.infer(thinking, { parameters })
    const [call] = first.body.output.tool_calls
    const second = await one.ask('POST', '/v1/inferences', {
      model: 'default',
      previous_id: first.body.id,
      input: [{ type: 'tool_result', id: call.id, output: '21 degrees' }],
      parameters,
    })
    expect(second.status, second.text).toBe(200)
    const [sent] = await world.journal(second.body.id)
    expect(sent.body.input.map((item: { type?: string }) => item.type ?? 'message')).toEqual([
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
    ])
  })
})

describe.concurrent('a call that continues another', () => {
  test('sends the conversation before it', async () => {
    const one = await world.someone()
    const first = (await one.infer('My name is Ada.')).body
    const second = (await one.infer('And my dog is Bo.', { previous_id: first.id })).body
    const third = (await one.infer('Who am I?', { previous_id: second.id })).body
    const [sent] = await world.journal(third.id)
    expect(sent.body.input).toEqual([
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: first.output.text },
      { role: 'user', content: 'And my dog is Bo.' },
      { role: 'assistant', content: second.output.text },
      { role: 'user', content: 'Who am I?' },
    ])
  })

  test('finds only stored calls of the same caller that succeeded', async () => {
    const one = await world.someone()
    const [neighbour, stranger] = [await world.someone(one.tenant), await world.someone()]
    await world.give(neighbour, 'model_administrator')
    const { id } = (await one.infer('Mine.')).body
    const hidden = (await one.infer('Mine.', { parameters: { store: false } })).body
    for (const [who, previous_id] of [
      [neighbour, id],
      [stranger, id],
      [one, hidden.id],
      [one, newId()],
    ] as const) {
      expect(code(await who.infer('And?', { previous_id }))).toEqual([404, 'inference_not_found'])
    }
    const { db } = world.platform.kernel
    const next = (await one.infer('And?', { previous_id: id })).body
    await db.run(sql`
      delete from inference.contents where tenant_id = ${one.tenant.id} and operation_id = ${id}`)
    expect(code(await one.infer('And?', { previous_id: next.id }))).toEqual([
      404,
      'inference_not_found',
    ])
  })

  test('ends at its longest conversation', async () => {
    const one = await world.someone()
    const { db } = world.platform.kernel
    const { id } = (await one.infer('Hello.')).body
    // A chain of 64 calls, of copies of the first.
    await db.run(sql`
      insert into inference.inference_operations
      select (jsonb_populate_record(o, jsonb_build_object('id', c.id, 'previous_id', c.before))).*
      from inference.inference_operations o
      cross join (select gen.id, lag(gen.id, 1, ${id}::uuid) over (order by n) as before
        from (select n, md5(${id}::text || n)::uuid as id from generate_series(1, 64) n) gen) c
      where o.tenant_id = ${one.tenant.id} and o.id = ${id}`)
    const at = async (n: number) => {
      const { found } = await db.one(
        Found,
        sql`select md5(${id}::text || ${n}::int)::uuid::text as found`,
      )
      return code(await one.infer('And?', { previous_id: found }))[1]
    }
    expect(await at(63)).toBeUndefined()
    expect(await at(64)).toBe('chain_too_long')
  })
})

describe.concurrent('a stop sequence', () => {
  test('ends the output before it, however it is cut, and the provider is left', async () => {
    const one = await world.someone()
    const prompt = `Say something. ${newId()}`
    const deltas = ['One', ' tw', 'o STO', 'P three', ...Array.from({ length: 50 }, () => ' more')]
    await world.fault({ action: 'say', deltas, times: 2, match: { prompt_contains: prompt } })
    const given = { parameters: { stop: ['never', ' STOP'] } }
    const blocking = await one.infer(prompt, given)
    expect(blocking.body).toMatchObject({ finish_reason: 'stop', output: { text: 'One two' } })
    const { text, last } = await one.stream(prompt, given)
    expect([text, last?.data.finish_reason]).toEqual(['One two', 'stop'])
  })

  test('that only begins is part of the output', async () => {
    const one = await world.someone()
    const prompt = `Say something. ${newId()}`
    const deltas = ['One S', 'TO', ' S', 'T']
    await world.fault({ action: 'say', deltas, match: { prompt_contains: prompt }, times: 1 })
    const { body } = await one.infer(prompt, { parameters: { stop: ['STOP'] } })
    expect(body.output.text).toBe('One STO ST')
  })
})

describe.concurrent('a file', () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const content = (part: object) => [
    { role: 'user', content: [{ type: 'text', text: 'What is this?' }, part] },
  ]
  const image = { type: 'image', media_type: 'image/png', data: png }

  test('is sent as it is, and counted before', async () => {
    const one = await world.someone()
    const answer = await one.ask('POST', '/v1/inferences', {
      model: 'default',
      input: content(image),
    })
    expect(answer.status, answer.text).toBe(200)
    const [sent] = await world.journal(answer.body.id)
    expect(sent.body.input[0].content[1]).toMatchObject({
      type: 'input_image',
      image_url: `data:image/png;base64,${png}`,
    })
  })

  test('of another type than it says is refused', async () => {
    const one = await world.someone()
    const html = Buffer.from('<html><script>').toString('base64')
    for (const part of [
      { type: 'document', media_type: 'application/pdf', data: html },
      { ...image, data: `${png}!` },
      { ...image, type: 'document' },
      { type: 'image', media_type: 'image/png' },
    ]) {
      const { status, body } = await one.ask('POST', '/v1/inferences', {
        model: 'default',
        input: content(part),
      })
      expect([status, body.code], JSON.stringify(part)).toEqual([422, 'validation_failed'])
    }
  })

  test('above 256 KiB is not stored', async () => {
    const one = await world.someone()
    const data = `iVBORw0KGgo${'A'.repeat(400_001)}`
    const body = { model: 'default', input: content({ ...image, data }) }
    const refused = await one.ask('POST', '/v1/inferences', body)
    expect(code(refused)).toEqual([422, 'validation_failed'])
    const unstored = { ...body, parameters: { store: false } }
    expect((await one.ask('POST', '/v1/inferences', unstored)).status).toBe(200)
    expect((await one.ask('POST', '/v1/inferences', unstored, { key: newKey() })).status).toBe(422)
  })
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
