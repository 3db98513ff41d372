/** Own providers of a tenant: who may have them, where they may be, and that a key stays where it belongs. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import {
  code,
  openInferenceWorld,
  type InferenceWorld,
  type Someone,
} from '../../test/inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld()
})
afterAll(() => world.close())

const rights = ['inference.providers.write', 'inference.models.write', 'inference.prices.write']

async function administrator(): Promise<Someone> {
  const one = await world.someone()
  await world.allow(one, ...rights)
  return one
}

const at = (vendor: string) => world.vendors[vendor] ?? {}
const keyOf = (vendor: string) => at(vendor)['key'] ?? ''
const bearer = (key: string) => ({ type: 'bearer', key })
const openai = (key = keyOf('openai')) => {
  return { kind: 'openai', base_url: at('openai')['api'], auth: bearer(key) }
}
const claude = () => ({
  kind: 'anthropic',
  base_url: at('anthropic')['api'],
  auth: { type: 'header', header: 'x-api-key', key: keyOf('anthropic') },
})

const put = (one: Someone, name: string, body: object, headers = {}) =>
  one.ask('PUT', `/v1/model-providers/${name}`, body, { headers })

async function addModel(one: Someone, provider: string, more: object = {}) {
  return await one.ask('POST', '/v1/models', {
    provider,
    model_name: 'sandbox-large',
    capability: ['text', 'stream', 'json_schema'],
    max_context: 100_000,
    max_output: 1000,
    state: 'active',
    aliases: [{ alias: 'default' }],
    ...more,
  })
}

describe('an own provider', () => {
  test('has models that its tenant adds, prices and calls with its own key', async () => {
    const one = await administrator()
    const made = await put(one, 'ours', claude())
    expect(made.status, made.text).toBe(200)
    expect(made.body).toMatchObject({
      name: 'ours',
      kind: 'anthropic',
      state: 'active',
      tools: false,
      auth: { type: 'header', header: 'x-api-key', region: null },
    })
    expect(made.body.auth.last4).toBe(keyOf('anthropic').slice(-4))
    const model = await addModel(one, 'ours')
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
    expect((await colleague.infer('Tell me.')).body.model_deployment_id).toBe(model.body.deployment_id)
  })

  test('is of its tenant alone', async () => {
    const [one, stranger] = await Promise.all([administrator(), administrator()])
    await put(one, 'ours', openai())
    const model = await addModel(one, 'ours')
    expect(code(await addModel(stranger, 'ours'))).toEqual([403, 'permission_denied'])
    const foreign = await stranger.infer('Tell me.', { model: model.body.deployment_id })
    expect(code(foreign)).toEqual([404, 'model_not_found'])
    expect((await stranger.ask('GET', '/v1/model-providers')).body.data).toEqual([])
    expect((await stranger.ask('DELETE', '/v1/model-providers/ours')).status).toBe(204)
    const there = await put(stranger, 'ours', { ...openai(), tenant_id: one.tenant.id })
    expect(code(there)).toEqual([403, 'permission_denied'])
    const model_there = await addModel(stranger, 'ours', { tenant_id: one.tenant.id })
    expect(code(model_there)).toEqual([403, 'permission_denied'])
    // The stranger's own one of this name is another one.
    expect((await put(stranger, 'ours', claude())).status).toBe(200)
    const list = await one.ask('GET', '/v1/model-providers')
    expect(list.body.data).toMatchObject([{ name: 'ours', kind: 'openai' }])
  })

  test('needs the permission', async () => {
    const one = await world.someone()
    await world.allow(one, 'inference.models.write')
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '/ours', openai()],
      ['DELETE', '/ours', undefined],
    ] as const) {
      const answer = await one.ask(method, `/v1/model-providers${path}`, body)
      expect(code(answer)).toEqual([403, 'permission_denied'])
    }
  })

  test('has no name of the platform', async () => {
    const one = await administrator()
    for (const name of ['openai', 'anthropic', 'p0']) {
      expect(code(await put(one, name, openai()))).toEqual([409, 'provider_name_taken'])
    }
  })

  test('that refuses the key is a 503, and no other key is tried', async () => {
    const one = await administrator()
    await put(one, 'ours', openai('sk-wrong-0123456789'))
    await addModel(one, 'ours', { aliases: [{ alias: 'mine', priority: 0 }] })
    await put(one, 'second', claude())
    await addModel(one, 'second', { aliases: [{ alias: 'mine', priority: 1 }] })
    const prompt = `Tell me. ${newId()}`
    expect(code(await one.infer(prompt, { model: 'mine' }))).toEqual([503, 'service_unavailable'])
    const sent = (await world.journal()).filter(seen => JSON.stringify(seen).includes(prompt))
    expect(sent).toEqual([])
    await put(one, 'ours', openai())
    await eventually('the new key is used', async () => {
      return (await one.infer(prompt, { model: 'mine' })).status === 200
    })
  })

  test('that is disabled or deleted is not called', async () => {
    const one = await administrator()
    await put(one, 'ours', openai())
    const { body } = await addModel(one, 'ours')
    expect((await one.infer('Tell me.')).status).toBe(200)
    const used = await one.ask('DELETE', '/v1/model-providers/ours')
    expect(code(used)).toEqual([409, 'provider_in_use'])
    await put(one, 'ours', { ...openai(), auth: undefined, state: 'disabled' })
    await eventually('it is not called', async () => {
      return code(await one.infer('Tell me.'))[0] === 503
    })
    const change = (state: string) => one.ask('PATCH', `/v1/models/${body.id}`, { state })
    expect((await change('draining')).status).toBe(200)
    expect((await change('disabled')).status).toBe(200)
    expect((await one.ask('DELETE', '/v1/model-providers/ours')).status).toBe(204)
    expect((await change('active')).status).toBe(200)
    expect(code(await one.infer('Tell me.'))).toEqual([503, 'service_unavailable'])
    const kept = await world.platform.kernel.db.many(
      Type.Object({ name: Type.String() }),
      sql`select name from inference.providers where tenant_id = ${one.tenant.id}`,
    )
    expect(kept).toEqual([])
  })

  test('are at most as many as the setting says, also at once', async () => {
    const one = await administrator()
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, index) => put(one, `n${index}`, openai())),
    )
    expect(made.filter(answer => answer.status === 200)).toHaveLength(20)
    const refused = made.filter(answer => answer.status !== 200).map(code)
    expect(refused).toEqual(Array.from({ length: 4 }, () => [429, 'quota_exceeded']))
  })

  test('has an ETag, an audit record and an event without its key', async () => {
    const one = await administrator()
    const made = await put(one, 'ours', openai(), { 'if-none-match': '*' })
    expect(made.status, made.text).toBe(200)
    expect((await put(one, 'ours', openai(), { 'if-none-match': '*' })).status).toBe(412)
    const stale = { 'if-match': '"7"' }
    expect((await put(one, 'ours', openai(), stale)).status).toBe(412)
    const tag = { 'if-match': made.headers.get('etag') ?? '' }
    expect((await put(one, 'ours', openai(), tag)).body.version).toBe(2)
    const { db } = world.platform.kernel
    const Row = Type.Object({ text: Type.String() })
    const events = await db.many(
      Row,
      sql`
        select e::text as text from kernel.events e
        where tenant_id = ${one.tenant.id} and type = 'model_provider.changed'`,
    )
    const audits = await db.many(
      Row,
      sql`
        select a::text as text from kernel.audit_events a
        where tenant_id = ${one.tenant.id} and action like 'inference.providers.%'`,
    )
    expect([events.length, audits.length]).toEqual([2, 2])
    const said = JSON.stringify([events, audits, made.body])
    expect(said).not.toContain(keyOf('openai').slice(0, 20))
  })
})

describe('where it may be', () => {
  const hosts: readonly [string, string][] = [
    ['https://api.openai.com.evil/v1', 'provider_host_not_allowed'],
    ['https://evil.example/v1', 'provider_host_not_allowed'],
    ['https://169.254.169.254/v1', 'provider_host_not_allowed'],
    ['https://localhost/v1', 'provider_host_not_allowed'],
    ['https://bedrock-runtime.us-east-1.amazonaws.com.evil.example', 'provider_host_not_allowed'],
    ['https://bedrock-runtime.x.evil.amazonaws.com', 'provider_host_not_allowed'],
    ['http://api.openai.com/v1', 'validation_failed'],
    ['https://api.openai.com:8443/v1', 'validation_failed'],
    ['https://me@api.openai.com/v1', 'validation_failed'],
    ['https://api.openai.com/v1?x=1', 'validation_failed'],
    ['https://api.openai.com/v1#x', 'validation_failed'],
    ['ftp://api.openai.com/v1', 'validation_failed'],
    ['not an address', 'validation_failed'],
  ]
  test.each(hosts)('not at %s', async (base_url, refusal) => {
    const one = await administrator()
    const answer = await put(one, 'ours', { ...openai(), base_url })
    expect(code(answer)).toEqual([422, refusal])
  })

  test.each([
    ['openai', undefined],
    ['openai', 'https://ours.openai.azure.com/openai/v1'],
    ['openai', 'https://eu.api.openai.com/v1'],
    ['anthropic', undefined],
    ['anthropic', 'https://bedrock-runtime.eu-central-1.amazonaws.com/anthropic/v1'],
    ['openai_compatible', 'https://bedrock-mantle.us-east-1.api.aws/v1'],
    ['gemini', undefined],
  ])('%s at %s', async (kind, base_url) => {
    const one = await administrator()
    const auth = bearer('sk-0123456789abcdef')
    const answer = await put(one, 'ours', { kind, auth, ...(base_url ? { base_url } : {}) })
    expect(answer.status, answer.text).toBe(200)
  })

  test('a compatible server has no usual address', async () => {
    const one = await administrator()
    const answer = await put(one, 'ours', { kind: 'openai_compatible', auth: bearer('sk-1') })
    expect(code(answer)).toEqual([422, 'validation_failed'])
  })
})

describe('the key', () => {
  test('is sent to no other address, header or kind than it was given for', async () => {
    const one = await administrator()
    await put(one, 'ours', openai())
    const { auth: _, ...kept } = openai()
    for (const more of [
      { base_url: at('anthropic')['api'] },
      { kind: 'openai_compatible' },
      { auth: { type: 'header', header: 'api-key' } },
      { auth: { type: 'aws', region: 'us-east-1', access_key_id: 'A' } },
    ]) {
      expect(code(await put(one, 'ours', { ...kept, ...more }))).toEqual([422, 'validation_failed'])
    }
    expect((await put(one, 'ours', { ...kept, state: 'active' })).status).toBe(200)
    await addModel(one, 'ours')
    expect((await one.infer('Tell me.')).status).toBe(200)
  })

  test('does not follow a row that was changed by hand', async () => {
    const heard: unknown[] = []
    const server = createServer((request, response) => {
      heard.push(request.headers)
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const one = await administrator()
    await put(one, 'ours', openai())
    await addModel(one, 'ours')
    await world.platform.kernel.db.run(sql`
      update inference.providers
      set base_url = ${`http://127.0.0.1:${port}/v1`}, version = version + 1
      where tenant_id = ${one.tenant.id}`)
    expect((await one.infer('Tell me.')).status).toBe(200)
    expect(heard).toEqual([])
    server.close()
  })

  test('is for AWS too, with each request signed', async () => {
    const one = await administrator()
    const auth = {
      type: 'aws',
      region: 'us-east-1',
      access_key_id: 'AKIASANDBOX',
      secret_access_key: keyOf('anthropic'),
    }
    const made = await put(one, 'bedrock', { ...claude(), auth })
    expect(made.body.auth).toMatchObject({ type: 'aws', region: 'us-east-1', header: null })
    await addModel(one, 'bedrock')
    const called = await one.infer('Tell me.')
    expect(called.status, called.text).toBe(200)
    const [sent] = await world.journal(called.body.id)
    expect(sent.auth).toBe('aws')
  })

  test('is not in the list, and a short one is not shown at all', async () => {
    const one = await administrator()
    await put(one, 'long', openai('sk-0123456789abcdef'))
    await put(one, 'short', openai('sk-secret'))
    const { body, text } = await one.ask('GET', '/v1/model-providers')
    expect(body.data.map((row: { auth: { last4: string } }) => row.auth.last4)).toEqual([
      'cdef',
      '',
    ])
    expect(text).not.toContain('0123456789')
    expect(text).not.toContain('secret')
  })
})

describe('tools of the platform', () => {
  const runsTools = async (one: Someone) => {
    const row = await world.platform.kernel.db.one(
      Type.Object({ tools: Type.Boolean() }),
      sql`select tools from inference.providers where tenant_id = ${one.tenant.id}`,
    )
    return row.tools
  }

  test('are allowed by the operator, for one address', async () => {
    const one = await administrator()
    const operator = await world.someone()
    await world.allow(operator, 'inference.providers.write', 'inference.platform.write')
    await put(one, 'ours', openai())
    const mine = await put(one, 'ours', { ...openai(), tools: true })
    expect(code(mine)).toEqual([403, 'permission_denied'])
    const { auth: _, ...kept } = openai()
    const of_tenant = { ...kept, tenant_id: one.tenant.id, tools: true }
    expect((await put(operator, 'ours', of_tenant)).body.tools).toBe(true)
    await put(one, 'ours', { ...openai(), state: 'active' })
    expect(await runsTools(one)).toBe(true)
    await put(one, 'ours', claude())
    expect(await runsTools(one)).toBe(false)
  })
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
