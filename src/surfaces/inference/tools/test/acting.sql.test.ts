/** Operations of the platform as tools of a model: what it may do, in whose name, and how often. */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { eventually, newKey } from '../../../../../test/world.ts'
import {
  code,
  openInferenceWorld,
  type InferenceWorld,
  type Someone,
} from '../../test/inference-world.ts'
import {
  operation,
  asks,
  given,
  target,
  makesLink,
  links,
  answering,
  askedIn,
  send,
  type Step,
} from './acting.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld()
})
afterAll(() => world.close())

async function waiting(one: Someone): Promise<string[]> {
  const { body } = await one.ask('GET', '/v1/inferences?waits_for=approval')
  return body.data.map(({ id }: { id: string }) => id)
}

describe.concurrent('a tool that reads', () => {
  test('is performed, and the model goes on with its result', async () => {
    const one = await world.someone()
    const key = newKey()
    const said = asks('getMe', {})
    const made = await one.infer(said, given(operation('getMe')), key)
    expect(made.status, made.text).toBe(200)
    expect(made.body).toMatchObject({
      state: 'succeeded',
      finish_reason: 'stop',
      output: { steps: [{ text: '', tool_calls: [{ name: 'getMe', state: 'done' }] }] },
    })
    const [call] = made.body.output.steps[0].tool_calls
    expect(JSON.parse(call.output)).toMatchObject({ id: one.id })
    expect(made.body.output.text.length).toBeGreaterThan(10)
    const sent = await world.journal(made.body.id)
    expect(sent).toHaveLength(2)
    expect(sent[1].body.input.at(-1)).toMatchObject({ output: call.output })
    expect(new Set(sent.map(seen => seen.headers['idempotency-key'])).size).toBe(2)
    const usage = await world.usage(made.body.id)
    expect(usage.map(row => row.status)).toEqual(['succeeded', 'succeeded'])
    const sum = usage.reduce((all, row) => all + row.input_tokens, 0)
    expect(made.body.usage.input_units).toBe(sum)
    expect((await one.infer(said, given(operation('getMe')), key)).body.output).toEqual(
      made.body.output,
    )
    const read = await one.ask('GET', `/v1/inferences/${made.body.id}`)
    expect(read.body.output).toEqual(made.body.output)
    expect(read.body.usage).toEqual(made.body.usage)
    const account = {
      account_id: one.id,
      tenant_id: one.tenant.id,
      principal_ids: [one.id],
      made_before: null,
    }
    const exported: unknown[] = []
    const { signal } = new AbortController()
    const { personal } = world.platform.opened['inference'] ?? {}
    for await (const record of personal?.export(account, signal) ?? []) {
      exported.push(record)
    }
    expect(JSON.stringify(exported)).toContain(JSON.stringify(call.output))
  })

  test('that must be called is called in the first step alone', async () => {
    const one = await world.someone()
    const tools = [operation('getMe')]
    for (const tool_choice of ['required', { name: 'getMe' }]) {
      const { body } = await one.infer('Hello.', { parameters: { tools, tool_choice } })
      expect([body.finish_reason, body.output.steps.length]).toEqual(['stop', 1])
      const sent = await world.journal(body.id)
      expect(sent[0].body.tool_choice).toBeDefined()
      expect(sent[1].body.tool_choice).toBeUndefined()
    }
  })

  test('is shown in a stream with its result, and again in its replay', async () => {
    const one = await world.someone()
    const key = newKey()
    const said = asks('getMe', {})
    const { frames, text, last } = await one.stream(said, given(operation('getMe')), key)
    const names = frames.map(frame => frame.event).filter(name => name !== 'delta')
    expect(names).toEqual(['started', 'tool_call', 'tool_result', 'usage', 'completed'])
    expect(frames.find(one => one.event === 'tool_result')?.data).toMatchObject({ state: 'done' })
    expect(last?.data.output_length).toBe(text.length)
    const again = await one.stream(said, given(operation('getMe')), key)
    expect(again.text).toBe(text)
    expect(again.frames.map(frame => frame.event).filter(name => name !== 'delta')).toEqual(names)
  })

  test('gets its refusal as a result: a wrong argument, and what is not there', async () => {
    const one = await world.someone()
    for (const [args, status] of [
      [{ file_id: newId() }, 404],
      [{ file_id: newId(), wrong: 1 }, 422],
    ] as const) {
      const { body } = await one.infer(asks('getFile', args), given(operation('getFile')))
      const [call] = body.output.steps[0].tool_calls
      expect([body.state, call.state]).toEqual(['succeeded', 'failed'])
      expect(JSON.parse(call.output).status).toBe(status)
    }
  })

  test('goes on for at most so many steps, and not above a cost', async () => {
    const one = await world.someone()
    const said = asks('getMe', {}, 'steps=100')
    const tools = [operation('getMe')]
    const few = await one.infer(said, { parameters: { tools, max_steps: 2 } })
    expect(few.body).toMatchObject({ state: 'succeeded', finish_reason: 'max_steps' })
    expect(few.body.output.steps).toHaveLength(2)
    const cheap = await one.infer(said, { parameters: { tools, max_cost: '0.00000001' } })
    expect(cheap.body).toMatchObject({ state: 'succeeded', finish_reason: 'max_cost' })
    expect(cheap.body.output.steps).toHaveLength(1)
    const far = await one.infer(said, { parameters: { tools, max_steps: 33 } })
    expect(far.body.errors[0].pointer).toBe('/parameters/max_steps')
    expect(await world.held(one.tenant.id)).toBe(0)
  })

  test('is performed sixteen times a step and 64 times in all; a storm of 65 fails, and is charged', async () => {
    const one = await world.someone()
    const parameters = { tools: [operation('getMe')], max_steps: 32 }
    const many = await one.infer(asks('getMe', {}, 'calls=20 steps=30'), { parameters })
    const { steps } = many.body.output
    expect(many.body.finish_reason).toBe('max_steps')
    const states = steps.map((step: Step) => step.tool_calls.map(call => call.state))
    expect(states[0].filter((state: string) => state === 'done')).toHaveLength(16)
    expect(states[0].filter((state: string) => state === 'refused')).toHaveLength(4)
    expect(states.flat().length).toBeGreaterThanOrEqual(64)
    const storm = `${asks('getMe', {})} [[sandbox fault=tool_storm]]`
    const { last, frames } = await one.stream(storm, { parameters })
    expect(last?.data.code).toBe('upstream_invalid_response')
    const id = frames[0]?.data.operation_id
    expect(await world.usage(id)).toMatchObject([{ status: 'failed', source: 'provider' }])
  })

  test.each(['tool_bad_json', 'tool_unknown'])('is not performed after %s', async fault => {
    const one = await world.someone()
    const said = `${asks('getMe', {})} [[sandbox fault=${fault}]]`
    expect(code(await one.infer(said, given(operation('getMe'))))).toEqual([
      502,
      'upstream_invalid_response',
    ])
    expect(await world.held(one.tenant.id)).toBe(0)
  })
})

describe.concurrent('a tool that writes', () => {
  test('asks, and is performed once by the yes', async () => {
    const one = await world.someone()
    const tools = [operation('createLink')]
    const first = await one.infer(makesLink, { parameters: { tools } })
    expect(first.body).toMatchObject({ state: 'succeeded', finish_reason: 'approval_required' })
    expect([await links(one), await world.held(one.tenant.id)]).toEqual([[], 0])
    expect(await waiting(one)).toEqual([first.body.id])
    const yes = { ...answering(first.body, true), parameters: { tools } }
    const key = newKey()
    const done = await send(one, yes, key)
    expect(done.body, done.text).toMatchObject({
      finish_reason: 'stop',
      output: { steps: [{ tool_calls: [{ name: 'createLink', state: 'done' }] }] },
    })
    expect(await links(one)).toMatchObject([{ destination_url: target }])
    expect(await waiting(one)).toEqual([])
    const sent = await world.journal(done.body.id)
    expect(sent[0].body.input.map((item: { type?: string }) => item.type ?? 'message')).toEqual([
      'message',
      'function_call',
      'function_call_output',
    ])
    expect((await send(one, yes, key)).body.output).toEqual(done.body.output)
    const next = await one.infer('And now?', { previous_id: done.body.id })
    expect(next.status, next.text).toBe(200)
    const again = await send(one, yes)
    expect(code(again)).toEqual([409, 'invalid_transition'])
    expect(again.body.detail).toContain(done.body.id)
    expect(await links(one)).toHaveLength(1)
  })

  test('is approved by twenty at once, and performed once', async () => {
    const one = await world.someone()
    const first = await one.infer(makesLink, given(operation('createLink')))
    const yes = answering(first.body, true)
    const all = await Promise.all(Array.from({ length: 20 }, () => send(one, yes)))
    expect(all.filter(done => done.status === 200)).toHaveLength(1)
    expect(all.filter(done => done.status === 409)).toHaveLength(19)
    expect(await links(one)).toHaveLength(1)
  })

  test('is not performed after a no, and the model learns of it', async () => {
    const one = await world.someone()
    const first = await one.infer(makesLink, given(operation('createLink')))
    const done = await send(one, answering(first.body, false))
    expect(done.body.output.steps[0].tool_calls[0].state).toBe('refused')
    const [sent] = await world.journal(done.body.id)
    expect(sent.body.input.at(-1).output).toContain('did not approve')
    expect(await links(one)).toEqual([])
  })

  test('is not approved by another, after its time, or where nothing asked', async () => {
    const one = await world.someone()
    const [neighbour, stranger] = [await world.someone(one.tenant), await world.someone()]
    const first = (await one.infer(makesLink, given(operation('createLink')))).body
    const yes = answering(first, true)
    expect([await waiting(one), await waiting(neighbour)]).toEqual([[first.id], []])
    for (const other of [neighbour, stranger]) {
      expect(code(await send(other, yes))).toEqual([404, 'inference_not_found'])
    }
    const wrong = { ...yes, input: [{ type: 'approval', tool_call_id: 'call_0', approve: true }] }
    expect(code(await send(one, wrong))).toEqual([422, 'validation_failed'])
    const { previous_id: _previous, ...alone } = yes
    expect(code(await send(one, alone))).toEqual([422, 'validation_failed'])
    const unanswered = await one.infer('Never mind.', { previous_id: first.id })
    expect(code(unanswered)).toEqual([422, 'validation_failed'])
    await world.platform.kernel.db.run(sql`
      update inference.tool_calls set asked_until = kernel.now()
      where tenant_id = ${one.tenant.id} and operation_id = ${first.id}`)
    expect(code(await send(one, yes))).toEqual([409, 'approval_expired'])
    expect([await waiting(one), await waiting(neighbour)]).toEqual([[], []])
    expect((await one.infer('Never mind.', { previous_id: first.id })).status).toBe(200)
    expect(await links(one)).toEqual([])
  })

  test('is unattended only with the permission and a key', async () => {
    const one = await world.someone()
    const tools = given(operation('createLink', { approval: 'none' }))
    const asked = await one.infer(makesLink, tools)
    expect(asked.body.finish_reason).toBe('approval_required')
    await world.allow(one, 'inference.tools.unattended')
    const keyless = await one.ask('POST', '/v1/inferences', {
      model: 'default',
      input: makesLink,
      ...tools,
    })
    expect(code(keyless)).toEqual([400, 'idempotency_key_missing'])
    const done = await one.infer(makesLink, tools)
    expect(done.body.finish_reason).toBe('stop')
    expect(await links(one)).toHaveLength(1)
  })

  test('announces what waits', async () => {
    const one = await world.someone()
    const { body } = await one.infer(makesLink, given(operation('createLink')))
    const events = await eventually('the event is written', async () => {
      const found = await world.platform.kernel.db.many(
        Type.Object({ payload: Type.Unknown() }),
        sql`
          select payload from kernel.events
          where tenant_id = ${one.tenant.id} and type = 'inference.approval_required'`,
      )
      return found.length > 0 && found
    })
    const [id] = askedIn(body)
    expect(events.map(event => event.payload)).toEqual([
      { operation_id: body.id, actor_id: one.id, names: ['createLink'], tool_call_ids: [id] },
    ])
  })

  test('of the caller is left to the caller, beside one of the platform', async () => {
    const one = await world.someone()
    const schema = { type: 'object', properties: {}, additionalProperties: false }
    const tools = [{ type: 'function', name: 'mine', schema }, operation('getMe')]
    const first = await one.infer(asks('mine', {}), { parameters: { tools } })
    expect(first.body.finish_reason).toBe('tool_calls')
    const [call] = first.body.output.tool_calls
    const input = [{ type: 'tool_result', id: call.id, output: 'mine' }]
    const second = await send(one, { previous_id: first.body.id, input, parameters: { tools } })
    expect(second.body.finish_reason).toBe('stop')
  })
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
