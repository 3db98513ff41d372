/** Whose rights the tools of a model have, and who may say yes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { beginNarrow } from '../../../../../test/narrow.ts'
import { newKey } from '../../../../../test/world.ts'
import { code, openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'
import { operation, asks, given, makesLink, links, answering, send } from './acting.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld()
})
afterAll(() => world.close())

describe.concurrent('rights', () => {
  test('are asked when a tool is named: 403, and nothing is sent', async () => {
    const one = await world.someone()
    const denied = await one.infer('Refund.', given(operation('createRefund')))
    expect(code(denied)).toEqual([403, 'permission_denied'])
    for (const name of [
      'noSuchOperation',
      'rotateSigningKey',
      'createInferenceJob',
      'listModels',
    ]) {
      expect(code(await one.infer('Do it.', given(operation(name))))).toEqual([
        422,
        'validation_failed',
      ])
    }
  })

  test('of a narrow session bound its tools, also in a job', async () => {
    const one = await world.someone()
    const { token } = await beginNarrow(world.platform, one, { scope: ['inference.write'] })
    const body = { model: 'default', input: makesLink, ...given(operation('createLink')) }
    for (const path of ['/v1/inferences', '/v1/inference-jobs']) {
      const denied = await one.ask('POST', path, body, { key: newKey(), token })
      expect(code(denied)).toEqual([403, 'insufficient_scope'])
    }
    expect(await links(one)).toEqual([])
  })

  test('that end between the ask and the yes end the call', async () => {
    const one = await world.someone()
    await world.give(one, 'refund_operator')
    const first = await one.infer(
      asks('createRefund', { intent_id: newId() }),
      given(operation('createRefund')),
    )
    expect(first.body.finish_reason, first.text).toBe('approval_required')
    await world.identity.administration.revoke(
      { tenant: one.tenant.slug, account: one.id },
      'refund_operator',
      'a test',
    )
    const done = await send(one, answering(first.body, true))
    expect(code(done)).toEqual([403, 'permission_denied'])
  })

  test('of an API key let it approve only if it was made for that', async () => {
    const one = await world.someone()
    const keyOf = async (...more: string[]) => {
      const permissions = ['inference.operations.create', 'links.links.create', ...more]
      const made = await one.ask(
        'POST',
        '/v1/api-keys',
        { name: 'agent', permissions },
        { key: newKey() },
      )
      expect(made.status, made.text).toBe(201)
      return String(made.body.key)
    }
    const asked = async (token: string) => {
      const body = { model: 'default', input: makesLink, ...given(operation('createLink')) }
      const first = await one.ask('POST', '/v1/inferences', body, { token, key: newKey() })
      expect(first.body.finish_reason, first.text).toBe('approval_required')
      const yes = { model: 'default', ...answering(first.body, true) }
      return await one.ask('POST', '/v1/inferences', yes, { token, key: newKey() })
    }
    expect(code(await asked(await keyOf()))).toEqual([403, 'permission_denied'])
    await world.allow(one, 'kernel.tools.approve')
    const done = await asked(await keyOf('kernel.tools.approve'))
    expect(done.body.output.steps[0].tool_calls[0].state, done.text).toBe('done')
  })

  test('to see the calls of others do not show what their tools did', async () => {
    const one = await world.someone()
    const { body } = await one.infer(asks('getMe', {}), given(operation('getMe')))
    const administrator = await world.someone(one.tenant)
    await world.give(administrator, 'model_administrator')
    const seen = await administrator.ask('GET', `/v1/inferences/${body.id}`)
    expect(seen.body.output.steps[0].tool_calls).toEqual([
      { id: expect.any(String), name: 'getMe', state: 'done', arguments: null, output: null },
    ])
  })
})

test('a tool that writes asks for nothing that cannot be done as the model wrote it', async () => {
  const one = await world.someone()
  const wrong = asks('createLink', { title: 'An address is missing' })
  const { frames } = await one.stream(wrong, given(operation('createLink')), newKey())
  const result = frames.find(frame => frame.event === 'tool_result')?.data
  expect(result).toMatchObject({
    state: 'failed',
    output: expect.stringContaining('validation_failed'),
  })
  const { body } = await send(one, { input: wrong, ...given(operation('createLink')) })
  expect([body.state, body.finish_reason]).toEqual(['succeeded', 'stop'])
  const [call] = body.output.steps[0].tool_calls
  expect([call.state, JSON.parse(call.output).code]).toEqual(['failed', 'validation_failed'])
  const read = await one.ask('GET', `/v1/inferences/${body.id}`)
  expect(read.body.output).toEqual(body.output)
  expect(await links(one)).toEqual([])
})
