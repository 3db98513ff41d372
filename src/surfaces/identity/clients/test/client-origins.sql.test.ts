/**
 * Scripts of applications in a browser: they call our API with a token, and never with the cookies of
 * a person. And what a caller without a token is told.
 */
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openProductWorld } from '../../../../../test/product-world.ts'
import type { Ask } from '../../../../../test/world.ts'

const world = await openProductWorld({ KERNEL_CORS_ORIGINS: 'https://own.test' })
afterAll(() => world.close())
const { call } = world

async function admin() {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}
const newHost = () => `app-${newId().slice(-12)}.test`
const preflight = (origin: string, path = '/v1/me') =>
  call('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  })
const said = ({ headers }: { headers: Headers }) => [
  headers.get('access-control-allow-origin'),
  headers.get('access-control-allow-credentials'),
]

test('the origin of an application in a browser may call without cookies', async () => {
  const owner = await admin()
  const { token } = owner
  const host = newHost()
  const origin = `https://${host}`
  const make = (type: string, redirect_uris: string[]) =>
    call('POST', '/v1/clients', { token, body: { name: 'App', type, redirect_uris } })
  await make('web', [`https://server.${host}/back`])
  const made = await make('spa', [`${origin}/back`, `https://two.${host}:8443/`])
  expect(made.status, made.text).toBe(201)
  for (const one of [origin, `https://two.${host}:8443`]) {
    const allowed = await preflight(one)
    expect([allowed.status, ...said(allowed)]).toEqual([204, one, null])
    expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization')
    const answer = await call('GET', '/v1/me', { token, headers: { origin: one } })
    expect([answer.status, ...said(answer)]).toEqual([200, one, null])
    const missing = await call('GET', '/v1/nothing', { headers: { origin: one } })
    expect([missing.status, ...said(missing)]).toEqual([404, one, null])
  }
  const others = [
    `http://${host}`,
    `https://server.${host}`,
    `https://two.${host}`,
    `https://evil-${host}`,
    `https://${host}.evil.test`,
    'null',
    `https://${'x'.repeat(400)}.test`,
  ]
  for (const one of others) expect(said(await preflight(one))).toEqual([null, null])
  expect(said(await preflight('https://own.test'))).toEqual(['https://own.test', 'true'])
})

test('a script of such an application cannot act with the cookies of a person', async () => {
  const owner = await admin()
  const origin = `https://${newHost()}`
  await call('POST', '/v1/clients', {
    token: owner.token,
    body: { name: 'App', type: 'spa', redirect_uris: [`${origin}/`] },
  })
  expect(said(await preflight(origin))).toEqual([origin, null])
  const login = await world.login(owner, { delivery: 'cookie' })
  const cookie = login.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  const csrf = login.body.csrf_token
  const ask = (headers: Record<string, string>): Ask => ({
    headers: { cookie, 'x-csrf-token': csrf, ...headers },
    body: { name: 'renamed' },
  })
  const change = (headers: Record<string, string>) =>
    call('PATCH', '/v1/organization', ask(headers))
  const crossed = await change({ origin, 'sec-fetch-site': 'cross-site' })
  expect(crossed.body.code).toBe('csrf_failed')
  expect((await change({ 'sec-fetch-site': 'same-origin' })).status).toBe(200)
})

test('an application that is gone, or whose tenant is disabled, has no origin', async () => {
  for (const end of ['deleted_at = kernel.now()', null]) {
    const owner = await admin()
    const origin = `https://${newHost()}`
    const { body } = await call('POST', '/v1/clients', {
      token: owner.token,
      body: { name: 'App', type: 'spa', redirect_uris: [`${origin}/`] },
    })
    const { db } = world.platform.kernel
    if (end) await call('DELETE', `/v1/clients/${body.id}`, { token: owner.token })
    else {
      await db.run(sql`
        update identity.tenants set state = 'disabled' where id = ${owner.tenant.id}`)
    }
    expect(said(await preflight(origin))).toEqual([null, null])
  }
})

test('every origin may read the metadata, and a reply 401 names it', async () => {
  const path = '/.well-known/oauth-protected-resource'
  const origin = 'https://anybody.test'
  for (const one of [path, `${path}/v1`]) {
    const { status, headers, body } = await call('GET', one, { headers: { origin } })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(body).toMatchObject({
      resource: 'http://dodeca.test/v1',
      authorization_servers: ['http://dodeca.test'],
      bearer_methods_supported: ['header'],
    })
    // More than twenty cannot be asked for at once, and a client may ask for all of these.
    expect(body.scopes_supported).toContain('chat.read')
    expect(body.scopes_supported.length).toBeLessThanOrEqual(20)
    expect(body.scopes_supported.filter((word: string) => /\.write|offline/.test(word))).toEqual([])
  }
  const challenge = async (token?: string) =>
    (await call('GET', '/v1/me', token ? { token } : {})).headers.get('www-authenticate')
  const named = `resource_metadata="http://dodeca.test${path}/v1"`
  expect(await challenge()).toBe(`Bearer ${named}`)
  expect(await challenge('forged')).toBe(`Bearer error="invalid_token", ${named}`)
})
