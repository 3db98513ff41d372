/** Claims that a tenant adds to tokens: what they are made of, where they are, and how long they may be. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../../test/product-world.ts'
import { beginNarrow } from '../../../../../test/narrow.ts'
import { claimsOf } from '../../test/second-factor.ts'
import { claimsFor } from '../claims.ts'

const world = await openProductWorld()
const { call } = world
afterAll(() => world.close())

const everywhere = ['access_token', 'id_token', 'userinfo']

async function declared(claims: readonly object[]): Promise<Member> {
  const boss = await world.member()
  await world.give(boss, 'tenant_admin')
  const body = { profile_schema: { type: 'object' }, claims }
  const answer = await call('PATCH', '/v1/organization', { token: boss.token, body })
  expect(answer.status, answer.text).toBe(200)
  return boss
}

const store = async (who: Member, profile: object, metadata: object) => {
  await call('PATCH', '/v1/me', { token: who.token, body: { profile } })
  const path = `/v1/accounts/${who.id}`
  const answer = await call('PATCH', path, { token: who.token, body: { metadata } })
  expect(answer.status, answer.text).toBe(200)
}

async function refreshed(who: Pick<Member, 'session_id' | 'refresh_token'>, tenant_id?: string) {
  const body = { refresh_token: who.refresh_token, ...(tenant_id ? { tenant_id } : {}) }
  const answer = await call('POST', `/v1/sessions/${who.session_id}/refresh`, { body })
  expect(answer.status, answer.text).toBe(200)
  return { ext: claimsOf(answer.body.access_token)['ext'], body: answer.body }
}

test('access tokens have the claims in `ext`, at log-in, refresh, in a tab and after a step up', async () => {
  const boss = await declared([
    { name: 'plan', from: 'metadata.plan.name', in: ['access_token'] },
    { name: 'https://acme.test/city', from: 'profile.city', in: ['access_token'] },
    { name: 'none', from: 'metadata.unknown', in: ['access_token'] },
    { name: 'elsewhere', from: 'metadata.plan.name', in: ['id_token'] },
  ])
  expect((await refreshed(boss)).ext).toBeUndefined()
  await store(boss, { city: 'Bern' }, { plan: { name: 'pro' } })
  const ext = { plan: 'pro', 'https://acme.test/city': 'Bern' }
  const { body } = await world.login(boss)
  expect(claimsOf(body.access_token)['ext']).toEqual(ext)
  const again = await refreshed(body)
  expect(again.ext).toEqual(ext)
  // The reply is lost, and the old token is sent again within the grace.
  expect((await refreshed(body)).ext).toEqual(ext)
  const tab = await call('POST', '/v1/sessions/current/access-tokens', {
    token: again.body.access_token,
    body: { tenant_id: boss.tenant.id },
  })
  expect(claimsOf(tab.body.access_token)['ext']).toEqual(ext)
  expect((await call('GET', '/v1/me', { token: again.body.access_token })).status).toBe(200)
  // Changed metadata counts from the next refresh.
  await store(boss, {}, { plan: null })
  expect((await refreshed(again.body)).ext).toEqual({ 'https://acme.test/city': 'Bern' })
})

test('names of ours and of the protocol are refused, and so are too many', async () => {
  const boss = await declared([])
  const declare = (claims: readonly object[]) =>
    call('PATCH', '/v1/organization', { token: boss.token, body: { claims } })
  const from = 'metadata.a'
  for (const name of ['sub', 'tid', 'scope', 'sid', 'aud', 'iss', 'act', 'email', 'roles', 'ext']) {
    const refused = await declare([{ name, from, in: everywhere }])
    expect([name, refused.status, refused.body.errors[0].pointer]).toEqual([
      name,
      422,
      '/claims/0/name',
    ])
  }
  const claim = (at: number) => ({ name: `c${at}`, from, in: everywhere })
  expect((await declare([claim(1), claim(1)])).body.errors[0].pointer).toBe('/claims/1/name')
  expect((await declare(Array.from({ length: 11 }, (_, at) => claim(at)))).status).toBe(422)
  expect((await declare([{ name: 'x', from: 'accounts.email', in: everywhere }])).status).toBe(422)
  expect((await declare([claim(1)])).status).toBe(200)
})

test('claims are bounded, in the order in which they are declared', async () => {
  const boss = await declared(
    ['a', 'b', 'c'].map(name => ({ name, from: `metadata.${name}`, in: everywhere })),
  )
  await store(boss, {}, { a: 'x'.repeat(500), b: 'y'.repeat(600), c: 'z' })
  expect((await refreshed(boss)).ext).toEqual({ a: 'x'.repeat(500) })
  await store(boss, {}, { a: 'x', b: '€'.repeat(300) })
  const { body } = await world.login(boss)
  expect(claimsOf(body.access_token)['ext']).toEqual({ a: 'x', b: '€'.repeat(300), c: 'z' })
  // With the longest scope there is less room, so that a token fits a cookie.
  await store(boss, {}, { a: 'x'.repeat(400), b: 'y'.repeat(400), c: 'z' })
  const scope = Array.from({ length: 20 }, (_, at) => `${at}`.padEnd(49, 'w'))
  const client_id = 'c'.repeat(300)
  const { token } = await beginNarrow(world.platform, boss, { scope, client_id })
  expect(claimsOf(token)['ext']).toBeUndefined()
  expect(token.length).toBeLessThan(3000)
})

test('no other tenant learns them, and a scope without `profile` nothing of the profile', async () => {
  const claims = [
    { name: 'city', from: 'profile.city', in: everywhere },
    { name: 'plan', from: 'metadata.plan', in: everywhere },
  ]
  const [boss, other] = await Promise.all([declared(claims), declared(claims)])
  await store(boss, { city: 'Bern' }, { plan: 'pro' })
  await world.give({ ...boss, tenant: other.tenant }, 'auditor')
  const there = await refreshed(boss, other.tenant.id)
  expect(there.body.tenant_id).toBe(other.tenant.id)
  expect(there.ext).toBeUndefined()
  const tab = await call('POST', '/v1/sessions/current/access-tokens', {
    token: there.body.access_token,
    body: { tenant_id: other.tenant.id },
  })
  expect(claimsOf(tab.body.access_token)['ext']).toBeUndefined()
  const narrow = async (...scope: string[]) =>
    claimsOf((await beginNarrow(world.platform, boss, { scope })).token)['ext']
  expect(await narrow('openid')).toEqual({ plan: 'pro' })
  expect(await narrow('openid', 'profile')).toEqual({ plan: 'pro', city: 'Bern' })

  const { db } = world.platform.kernel
  const asked = { account_id: boss.id, tenant_id: boss.tenant.id, place: 'userinfo' } as const
  expect(await claimsFor(db, { ...asked, scope: ['openid'] })).toEqual({ plan: 'pro' })
  expect(await claimsFor(db, { ...asked, scope: null })).toEqual({ plan: 'pro', city: 'Bern' })
  expect(await claimsFor(db, { ...asked, tenant_id: other.tenant.id, scope: null })).toEqual({})
})
