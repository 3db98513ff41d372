/** What an account may do with the links and domains that its API keys created. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
beforeAll(async () => {
  world = await openLinkWorld()
})
afterAll(() => world.close())

const permissions = [
  'links.links.create',
  'links.links.read',
  'links.links.update',
  'links.links.delete',
  'links.domains.manage',
]

type Key = { readonly id: string; readonly token: string }

async function keyOf({ token }: Member): Promise<Key> {
  const body = { name: 'shop', permissions }
  const made = await world.call('POST', '/v1/api-keys', { token, body })
  expect(made.status, made.text).toBe(201)
  return { id: made.body.id, token: made.body.key }
}

async function linkOf(key: Key): Promise<string> {
  const body = { destination_url: 'https://www.example.com/' }
  const made = await world.call('POST', '/v1/links', { token: key.token, body })
  expect([made.status, made.body.owner_id], made.text).toEqual([201, key.id])
  return `/v1/links/${made.body.code}`
}

test('an account manages the links of its API key after the key is revoked', async () => {
  const who = await world.member()
  const { token } = who
  const key = await keyOf(who)
  const path = await linkOf(key)
  expect((await world.call('DELETE', `/v1/api-keys/${key.id}`, { token })).status).toBe(204)

  expect((await world.call('GET', path, { token })).body.owner_id).toBe(key.id)
  expect((await world.call('GET', `${path}/stats`, { token })).status).toBe(200)
  expect((await world.call('GET', `${path}/qr`, { token })).status).toBe(200)
  const listed = await world.call('GET', `/v1/links?owner_id=${key.id}`, { token })
  expect(listed.body.data).toHaveLength(1)
  const moved = await world.call('PATCH', path, { token, body: { title: 'Kept' } })
  expect([moved.status, moved.body.title]).toEqual([200, 'Kept'])
  expect((await world.call('DELETE', path, { token })).status).toBe(204)
  expect((await world.call('DELETE', path, { token })).status).toBe(204)
  expect((await world.call('GET', path, { token })).status).toBe(404)
})

test('no other account and no other key manages them', async () => {
  const who = await world.member()
  const key = await keyOf(who)
  const path = await linkOf(key)
  const colleague = await world.member(who.tenant)
  await world.give(colleague, 'tenant_admin')
  const stranger = await world.member()
  const second = await keyOf(who)
  for (const { token } of [colleague, stranger, second]) {
    expect((await world.call('GET', path, { token })).status).toBe(404)
    expect((await world.call('DELETE', path, { token })).status).toBe(404)
    const listed = await world.call('GET', `/v1/links?owner_id=${key.id}`, { token })
    expect([listed.status, listed.body.code]).toEqual([422, 'validation_failed'])
  }
  // A key does not manage the links of its account.
  const own = `/v1/links/${(await world.shorten(who, {})).body.code}`
  expect((await world.call('GET', own, { token: key.token })).status).toBe(404)
})

test('an account manages the domains of its API key, with their links', async () => {
  const who = await world.member()
  const { token } = who
  const key = await keyOf(who)
  const claim = { hostname: 'go.keys-example.com' }
  const made = await world.call('POST', '/v1/domains', { token: key.token, body: claim })
  expect(made.status, made.text).toBe(201)
  const path = `/v1/domains/${made.body.id}`
  expect((await world.call('GET', path, { token })).body.owner_id).toBe(key.id)
  const listed = await world.call('GET', `/v1/domains?owner_id=${key.id}`, { token })
  expect(listed.body.data).toHaveLength(1)
  const renewed = await world.call('POST', `${path}/verification-token`, { token })
  expect(renewed.status, renewed.text).toBe(200)
  const colleague = await world.member(who.tenant)
  expect((await world.call('GET', path, { token: colleague.token })).status).toBe(404)
  expect((await world.call('DELETE', path, { token })).status).toBe(204)
})
