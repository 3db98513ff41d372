/** Own providers of a tenant: who may have them, and whose key their models are called with. */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { code, openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'
import { ownIn, type OwnWorld } from './own-world.ts'

let world: InferenceWorld
let own: OwnWorld
beforeAll(async () => {
  world = await openInferenceWorld()
  own = ownIn(world)
})
afterAll(() => world.close())

describe('an own provider', () => {
  test('has models that its tenant adds, prices and calls with its own key', async () => {
    const one = await own.administrator()
    const made = await own.put(one, 'ours', own.claude())
    expect(made.status, made.text).toBe(200)
    expect(made.body).toMatchObject({
      name: 'ours',
      kind: 'anthropic',
      state: 'active',
      tools: false,
      auth: { type: 'header', header: 'x-api-key', region: null },
    })
    expect(made.body.auth.last4).toBe(own.keyOf('anthropic').slice(-4))
    const model = await own.addModel(one, 'ours')
    expect(model.status, model.text).toBe(201)
    expect(model.body).toMatchObject({ owner: 'tenant', own_provider: true, health: 'ok' })
    const price = { currency: 'USD', input: '1', cached_input: '1', output: '2' }
    const priced = { model_deployment_id: model.body.deployment_id, ...price }
    expect((await one.ask('POST', '/v1/model-prices', priced)).status).toBe(201)
    const called = await one.infer('Tell me.')
    expect(called.status, called.text).toBe(200)
    expect(called.body.model_deployment_id).toBe(model.body.deployment_id)
    expect(Number(called.body.usage.cost_amount)).toBeGreaterThan(0)
    const [sent] = await world.journal(called.body.id)
    expect([sent.path, sent.auth]).toEqual(['/v1/messages', 'x-api-key'])
    const colleague = await world.someone(one.tenant)
    expect((await colleague.infer('Tell me.')).body.model_deployment_id).toBe(
      model.body.deployment_id,
    )
  })

  test('is of its tenant alone', async () => {
    const [one, stranger] = await Promise.all([own.administrator(), own.administrator()])
    await own.put(one, 'ours', own.openai())
    const model = await own.addModel(one, 'ours')
    expect(code(await own.addModel(stranger, 'ours'))).toEqual([403, 'permission_denied'])
    const foreign = await stranger.infer('Tell me.', { model: model.body.deployment_id })
    expect(code(foreign)).toEqual([404, 'model_not_found'])
    expect((await stranger.ask('GET', '/v1/model-providers')).body.data).toEqual([])
    expect((await stranger.ask('DELETE', '/v1/model-providers/ours')).status).toBe(204)
    const there = await own.put(stranger, 'ours', { ...own.openai(), tenant_id: one.tenant.id })
    expect(code(there)).toEqual([403, 'permission_denied'])
    const model_there = await own.addModel(stranger, 'ours', { tenant_id: one.tenant.id })
    expect(code(model_there)).toEqual([403, 'permission_denied'])
    // The stranger's own one of this name is another one.
    expect((await own.put(stranger, 'ours', own.claude())).status).toBe(200)
    const list = await one.ask('GET', '/v1/model-providers')
    expect(list.body.data).toMatchObject([{ name: 'ours', kind: 'openai' }])
  })

  test('needs the permission', async () => {
    const one = await world.someone()
    await world.allow(one, 'inference.models.write')
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '/ours', own.openai()],
      ['DELETE', '/ours', undefined],
    ] as const) {
      const answer = await one.ask(method, `/v1/model-providers${path}`, body)
      expect(code(answer)).toEqual([403, 'permission_denied'])
    }
  })

  test('has no name of the platform', async () => {
    const one = await own.administrator()
    for (const name of ['openai', 'anthropic', 'p0']) {
      expect(code(await own.put(one, name, own.openai()))).toEqual([409, 'provider_name_taken'])
    }
  })

  test('that refuses the key is a 503, and no other key is tried', async () => {
    const one = await own.administrator()
    await own.put(one, 'ours', own.openai('sk-wrong-0123456789'))
    await own.addModel(one, 'ours', { aliases: [{ alias: 'mine', priority: 0 }] })
    await own.put(one, 'second', own.claude())
    await own.addModel(one, 'second', { aliases: [{ alias: 'mine', priority: 1 }] })
    const prompt = `Tell me. ${newId()}`
    expect(code(await one.infer(prompt, { model: 'mine' }))).toEqual([503, 'service_unavailable'])
    const sent = (await world.journal()).filter(seen => JSON.stringify(seen).includes(prompt))
    expect(sent).toEqual([])
    await own.put(one, 'ours', own.openai())
    await eventually('the new key is used', async () => {
      return (await one.infer(prompt, { model: 'mine' })).status === 200
    })
  })

  test('that is disabled or deleted is not called', async () => {
    const one = await own.administrator()
    await own.put(one, 'ours', own.openai())
    const { body } = await own.addModel(one, 'ours')
    expect((await one.infer('Tell me.')).status).toBe(200)
    const used = await one.ask('DELETE', '/v1/model-providers/ours')
    expect(code(used)).toEqual([409, 'provider_in_use'])
    await own.put(one, 'ours', { ...own.openai(), auth: undefined, state: 'disabled' })
    await eventually('it is not called', async () => {
      return code(await one.infer('Tell me.'))[0] === 503
    })
    const change = (state: string) =>
      one.ask('PATCH', `/v1/models/${body.deployment_id}`, { state })
    expect((await change('draining')).status).toBe(200)
    expect((await change('disabled')).status).toBe(200)
    expect((await one.ask('DELETE', '/v1/model-providers/ours')).status).toBe(204)
    const activated = await change('active')
    expect(code(activated)).toEqual([409, 'invalid_transition'])
    expect(activated.body.detail).toContain('PUT /v1/model-providers/ours')
    const kept = await world.platform.kernel.db.many(
      Type.Object({ name: Type.String() }),
      sql`select name from inference.providers where tenant_id = ${one.tenant.id}`,
    )
    expect(kept).toEqual([])
    // Its alias hides the platform's no more.
    await eventually('the platform answers', async () => {
      return (await one.infer('Tell me.')).body.model_deployment_id !== body.deployment_id
    })
    expect((await one.infer('Tell me.')).status).toBe(200)
    await own.put(one, 'ours', own.openai())
    expect((await change('active')).body.aliases).toEqual([])
    expect((await one.infer('Tell me.', { model: body.deployment_id })).status).toBe(200)
  })

  test('that is disabled leaves its calls to the next of the alias', async () => {
    const one = await own.administrator()
    await own.put(one, 'ours', own.openai())
    const first = await own.addModel(one, 'ours', { aliases: [{ alias: 'mine', priority: 0 }] })
    await own.put(one, 'second', own.claude())
    const second = await own.addModel(one, 'second', { aliases: [{ alias: 'mine', priority: 1 }] })
    const answerer = async () => {
      const answer = await one.infer('Tell me.', { model: 'mine' })
      return answer.status === 200 ? answer.body.model_deployment_id : answer.status
    }
    expect(await answerer()).toBe(first.body.deployment_id)
    const put = (name: string, state: string) => {
      const { auth: _, ...kept } = name === 'ours' ? own.openai() : own.claude()
      return own.put(one, name, { ...kept, state })
    }
    const answers = (by: unknown) =>
      eventually(`${String(by)} answers`, async () => (await answerer()) === by)
    expect((await put('ours', 'disabled')).status).toBe(200)
    await answers(second.body.deployment_id)
    await put('second', 'disabled')
    await answers(503)
    await put('ours', 'active')
    await answers(first.body.deployment_id)
  })

  test('is not deleted while one of its models becomes active', async () => {
    const one = await own.administrator()
    for (let turn = 0; turn < 5; turn++) {
      await own.put(one, 'ours', own.openai())
      const model_name = `model-${turn}`
      const { body } = await own.addModel(one, 'ours', { model_name, state: 'draft', aliases: [] })
      const change = (state: string) => one.ask('PATCH', `/v1/models/${body.id}`, { state })
      expect((await change('disabled')).status).toBe(200)
      const [activated, deleted] = await Promise.all([
        change('active'),
        one.ask('DELETE', '/v1/model-providers/ours'),
      ])
      expect([
        [200, 409],
        [409, 204],
      ]).toContainEqual([activated.status, deleted.status])
      if (activated.status === 200) {
        await change('draining')
        await change('disabled')
      }
    }
  })

  test('are at most as many as the setting says, also at once', async () => {
    const one = await own.administrator()
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, index) => own.put(one, `n${index}`, own.openai())),
    )
    expect(made.filter(answer => answer.status === 200)).toHaveLength(20)
    const refused = made.filter(answer => answer.status !== 200).map(code)
    expect(refused).toEqual(Array.from({ length: 4 }, () => [429, 'quota_exceeded']))
  })

  test('has an ETag, an audit record and an event without its key', async () => {
    const one = await own.administrator()
    const made = await own.put(one, 'ours', own.openai(), { 'if-none-match': '*' })
    expect(made.status, made.text).toBe(200)
    expect((await own.put(one, 'ours', own.openai(), { 'if-none-match': '*' })).status).toBe(412)
    const stale = { 'if-match': '"7"' }
    expect((await own.put(one, 'ours', own.openai(), stale)).status).toBe(412)
    const tag = { 'if-match': made.headers.get('etag') ?? '' }
    expect((await own.put(one, 'ours', own.openai(), tag)).body.version).toBe(2)
    const { db } = world.platform.kernel
    const Row = Type.Object({ text: Type.String() })
    const read = () =>
      db.many(
        Row,
        sql`
          select e::text as text from kernel.events e
          where tenant_id = ${one.tenant.id} and type = 'model_provider.changed'`,
      )
    await eventually('both are in the log', async () => (await read()).length === 2)
    const events = await read()
    const audits = await db.many(
      Row,
      sql`
        select a::text as text from kernel.audit_events a
        where tenant_id = ${one.tenant.id} and action like 'inference.providers.%'`,
    )
    expect(audits).toHaveLength(2)
    const said = JSON.stringify([events, audits, made.body])
    expect(said).not.toContain(own.keyOf('openai').slice(0, 20))
  })
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
