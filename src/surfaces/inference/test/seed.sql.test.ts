/** The demo tenants have a month of usage, made once, and the books stay right. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openInferenceWorld, type InferenceWorld } from './inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  // Of its own: a seed is made once in a world, also by another file.
  world = await openInferenceWorld({})
})
afterAll(() => world.close())

test('thirty days of calls, once', async () => {
  const { opened } = world.platform
  await opened['identity']?.seed?.([])
  const tenants = await world.identity.demoTenants()
  const inference = opened['inference']
  expect(await inference?.seed?.(tenants)).toEqual([
    '30 days of model calls (acme)',
    '30 days of model calls (globex)',
  ])
  expect(await inference?.seed?.(tenants)).toEqual([])
  for (const check of inference?.checks ?? []) expect(await check.run(), check.name).toEqual([])
  const login = await world.call('POST', '/v1/sessions', {
    body: {
      email: 'tenant-admin@acme.example',
      password: 'every demo begins somewhere',
      tenant: 'acme',
    },
  })
  const token: string = login.body.access_token
  expect(login.status, login.text).toBe(201)
  const { status, body, text } = await world.call('GET', '/v1/usage?limit=100', { token })
  expect(status, text).toBe(200)
  // Calls of one of several people: not on every weekend.
  expect(body.data.length).toBeGreaterThan(10)
  for (const day of body.data) {
    expect(day.requests).toBeGreaterThan(0)
    expect(Number(day.cost_amount)).toBeGreaterThan(0)
  }
})
