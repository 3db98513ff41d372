/** Where an own provider may be, and that a key stays where it belongs. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import {
  code,
  openInferenceWorld,
  type InferenceWorld,
  type Someone,
} from '../../test/inference-world.ts'
import { ownIn, type OwnWorld } from './own-world.ts'

let world: InferenceWorld
let own: OwnWorld
beforeAll(async () => {
  world = await openInferenceWorld()
  own = ownIn(world)
})
afterAll(() => world.close())

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
    const one = await own.administrator()
    const answer = await own.put(one, 'ours', { ...own.openai(), base_url })
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
    const one = await own.administrator()
    const auth = own.bearer('sk-0123456789abcdef')
    const answer = await own.put(one, 'ours', { kind, auth, ...(base_url ? { base_url } : {}) })
    expect(answer.status, answer.text).toBe(200)
  })

  test('a compatible server has no usual address', async () => {
    const one = await own.administrator()
    const answer = await own.put(one, 'ours', {
      kind: 'openai_compatible',
      auth: own.bearer('sk-1'),
    })
    expect(code(answer)).toEqual([422, 'validation_failed'])
  })
})

describe('the key', () => {
  test('is sent to no other address, header or kind than it was given for', async () => {
    const one = await own.administrator()
    await own.put(one, 'ours', own.openai())
    const { auth: _, ...kept } = own.openai()
    for (const more of [
      { base_url: own.at('anthropic')['api'] },
      { kind: 'openai_compatible' },
      { auth: { type: 'header', header: 'api-key' } },
      { auth: { type: 'aws', region: 'us-east-1', access_key_id: 'A' } },
    ]) {
      expect(code(await own.put(one, 'ours', { ...kept, ...more }))).toEqual([
        422,
        'validation_failed',
      ])
    }
    expect((await own.put(one, 'ours', { ...kept, state: 'active' })).status).toBe(200)
    await own.addModel(one, 'ours')
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
    const one = await own.administrator()
    await own.put(one, 'ours', own.openai())
    await own.addModel(one, 'ours')
    await world.platform.kernel.db.run(sql`
      update inference.providers
      set base_url = ${`http://127.0.0.1:${port}/v1`}, version = version + 1
      where tenant_id = ${one.tenant.id}`)
    expect((await one.infer('Tell me.')).status).toBe(200)
    expect(heard).toEqual([])
    server.close()
  })

  test('is for AWS too, with each request signed', async () => {
    const one = await own.administrator()
    const auth = {
      type: 'aws',
      region: 'us-east-1',
      access_key_id: 'AKIASANDBOX',
      secret_access_key: own.keyOf('anthropic'),
    }
    const made = await own.put(one, 'bedrock', { ...own.claude(), auth })
    expect(made.body.auth).toMatchObject({ type: 'aws', region: 'us-east-1', header: null })
    await own.addModel(one, 'bedrock')
    const called = await one.infer('Tell me.')
    expect(called.status, called.text).toBe(200)
    const [sent] = await world.journal(called.body.id)
    expect(sent.auth).toBe('aws')
  })

  test('is not in the list, and a short one is not shown at all', async () => {
    const one = await own.administrator()
    await own.put(one, 'long', own.openai('sk-0123456789abcdef'))
    await own.put(one, 'short', own.openai('sk-secret'))
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
    const one = await own.administrator()
    const operator = await world.someone()
    await world.allow(operator, 'inference.providers.write', 'inference.platform.write')
    await own.put(one, 'ours', own.openai())
    const mine = await own.put(one, 'ours', { ...own.openai(), tools: true })
    expect(code(mine)).toEqual([403, 'permission_denied'])
    const { auth: _, ...kept } = own.openai()
    const of_tenant = { ...kept, tenant_id: one.tenant.id, tools: true }
    expect((await own.put(operator, 'ours', of_tenant)).body.tools).toBe(true)
    await own.put(one, 'ours', { ...own.openai(), state: 'active' })
    expect(await runsTools(one)).toBe(true)
    await own.put(one, 'ours', own.claude())
    expect(await runsTools(one)).toBe(false)
  })
})
