/**
 * Connections as rows: who may write them, what cannot work, secrets that stay, and sessions that end
 * with the connection at which they began.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import type { Member } from '../../../../../test/product-world.ts'
import { default_tenant_id } from '../../schemas.ts'
import { announced, audited } from '../../test/announced.ts'
import { startHostileProvider } from '../../test/oidc-hostile-provider.ts'
import { openSignInWorld } from '../../test/sign-in-world.ts'

const world = await openSignInWorld()
const { call, come, redeem } = world
const { db } = world.platform.kernel
const hostile = await startHostileProvider()
afterAll(async () => {
  await world.close()
  await hostile.close()
})

const path = '/v1/connections'
const make = ({ token }: Member, body: object) => call('POST', path, { token, body })
const change = ({ token }: Member, id: string, body: object, headers = {}) =>
  call('PATCH', `${path}/${id}`, { token, body, headers })
const oidc = (more: object = {}) => ({
  name: 'Own',
  kind: 'oidc',
  issuer: hostile.issuer,
  client_id: 'dodeca',
  ...more,
})

/** A person of the tenant in a session that began at the connection. */
async function personOf(admin: Member, id: string, domain = `${newId().slice(-12)}.test`) {
  await world.own(admin.tenant, domain)
  const email = `${newId()}@${domain}`
  const { ticket } = await come(id, { email })
  return (await redeem(ticket)).body
}

const reads = async (token: string) => (await call('GET', '/v1/me', { token })).status

describe('a connection', () => {
  test('is created, read, listed, changed and deleted, and shows no secret', async () => {
    const admin = await world.admin()
    const made = await make(admin, world.played('github', { client_secret: 'never shown' }))
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ name: 'GitHub', kind: 'oauth2', preset: 'github' })
    const { id } = made.body
    const { token } = admin
    const read = await call('GET', `${path}/${id}`, { token })
    const listed = await call('GET', path, { token })
    const named = await change(admin, id, { name: 'Hub', jit: true })
    expect(named.body).toMatchObject({ id, name: 'Hub', jit: true, version: 2 })
    for (const { text } of [made, read, listed, named]) expect(text).not.toContain('never shown')
    expect(listed.body.data).toHaveLength(1)
    const rows = await db.many(
      Type.Object({ row: Type.String() }),
      sql`select c::text || encode(c.secret, 'escape') as row from identity.connections c`,
    )
    expect(JSON.stringify(rows)).not.toContain('never shown')
    for (let times = 0; times < 2; times++) {
      expect((await call('DELETE', `${path}/${id}`, { token })).status).toBe(204)
    }
    expect((await call('GET', `${path}/${id}`, { token })).status).toBe(404)
    const begun = await call('POST', `/v1/oidc/${id}/authorizations`, {
      body: { redirect_uri: 'http://localhost:4999/login' },
    })
    expect(begun.body.code).toBe('oidc_provider_not_found')
    const { left } = await db.one(
      Type.Object({ left: Type.Boolean() }),
      sql`select secret is not null as left from identity.connections where id = ${id}`,
    )
    expect(left).toBe(false)
  })

  test('is written by administrators only, in a session that has just begun', async () => {
    const admin = await world.admin()
    const member = await world.member(admin.tenant)
    expect((await make(member, oidc())).body.code).toBe('permission_denied')
    // Who says who people are could be any of them.
    await world.allow(member, 'identity.connections.read', 'identity.connections.write')
    expect((await make(member, oidc())).body.permission).toBe('identity.roles.assign')
    await db.run(sql`
      update identity.sessions set auth_time = auth_time - interval '1 hour'
      where id = ${admin.session_id}`)
    const session = await call('POST', `/v1/sessions/${admin.session_id}/refresh`, {
      body: { refresh_token: admin.refresh_token },
    })
    const late = { ...admin, token: session.body.access_token }
    expect((await make(late, oidc())).body.code).toBe('step_up_required')
  })

  test('of another tenant does not exist', async () => {
    const id = await world.connect(await world.admin(), 'github')
    const other = await world.admin()
    const { token } = other
    const at = `${path}/${id}`
    expect((await call('GET', at, { token })).body.code).toBe('connection_not_found')
    expect((await change(other, id, { name: 'x' })).body.code).toBe('connection_not_found')
    expect((await call('DELETE', at, { token })).body.code).toBe('connection_not_found')
    const begun = await call('POST', `/v1/oidc/${id}/authorizations`, {
      body: { redirect_uri: 'http://localhost:4999/login', tenant: other.tenant.slug },
    })
    expect(begun.body.code).toBe('oidc_provider_not_found')
  })

  test('is one of ten, however many come at once', async () => {
    const admin = await world.admin()
    const answers = await Promise.all(Array.from({ length: 14 }, () => make(admin, oidc())))
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(10)
    expect(answers.find(({ status }) => status !== 201)?.body.code).toBe('quota_exceeded')
  })

  test('of `default` needs an operator', async () => {
    const default_tenant = { id: default_tenant_id, slug: 'default' }
    const admin = await world.admin(default_tenant)
    expect((await make(admin, oidc())).body.code).toBe('permission_denied')
    await world.give(admin, 'platform_operator')
    const made = await make(admin, oidc({ trust_email: true }))
    expect(made.status).toBe(201)
    const second = await world.admin(default_tenant)
    expect((await change(second, made.body.id, { jit: true })).body.code).toBe('permission_denied')
    await call('DELETE', `${path}/${made.body.id}`, { token: admin.token })
  })
})

describe('a connection is refused', () => {
  const invalid: [string, () => object, RegExp][] = [
    ['without a kind', () => ({ ...oidc(), kind: undefined }), /preset/],
    ['without an issuer', () => ({ ...oidc(), issuer: undefined }), /issuer/],
    ['whose issuer is plain http', () => oidc({ issuer: 'http://login.example.com' }), /https/],
    ['whose issuer is no address', () => oidc({ issuer: 'javascript:alert(1)' }), /https/],
    ['whose issuer does not answer', () => oidc({ issuer: 'http://127.0.0.1:9' }), /not answer/],
    ['of a private address', () => oidc({ issuer: 'https://169.254.169.254' }), /not answer/],
    ['of another issuer', () => oidc({ issuer: `${hostile.issuer}/other` }), /does not fit/],
    ['with endpoints of OpenID', () => oidc({ endpoints: {} }), /oauth2/],
    [
      'of OAuth without a secret',
      () => world.played('github', { client_secret: undefined }),
      /secret/,
    ],
    [
      'of OAuth at a private address',
      () =>
        world.played('github', {
          endpoints: { token: 'https://10.0.0.1/token', userinfo: 'https://10.0.0.1/me' },
        }),
      /cannot be called/,
    ],
    [
      'of OAuth that leads to a script',
      () => world.played('github', { endpoints: { authorization: 'javascript:alert(1)' } }),
      /https/,
    ],
    ['of Apple without its key', () => world.played('apple'), /private_key/],
    [
      'of Apple with another text',
      () =>
        world.played('apple', { apple: { team_id: 'T', key_id: 'K', private_key: 'not a key' } }),
      /private_key/,
    ],
    ['of a kind that its preset is not', () => world.played('github', { kind: 'oidc' }), /kind/],
  ]
  test.each(invalid)('%s', async (_, body, says) => {
    const refused = await make(await world.admin(), body())
    expect([refused.status, refused.body.code]).toEqual([422, 'connection_invalid'])
    expect(refused.body.detail).toMatch(says)
  })

  test('whose provider leads people to a script', async () => {
    hostile.bend = { description: { authorization_endpoint: 'javascript:alert(1)' } }
    try {
      expect((await make(await world.admin(), oidc())).body.code).toBe('connection_invalid')
    } finally {
      hostile.bend = {}
    }
  })

  test('with a role that its editor may not give', async () => {
    const admin = await world.admin()
    const role_map = (role_id: string) => [{ claim: 'groups', value: 'staff', role_id }]
    const platform = await make(admin, oidc({ role_map: role_map('platform_operator') }))
    expect(platform.body.code).toBe('permission_denied')
    const unknown = await make(admin, oidc({ role_map: role_map('no_such_role') }))
    expect(unknown.body.code).toBe('role_not_found')
  })
})

describe('a change', () => {
  test('of where the secret is sent needs the secret', async () => {
    const admin = await world.admin()
    const id = await world.connect(admin, 'discord')
    const endpoints = { token: 'https://example.com/token' }
    expect((await change(admin, id, { endpoints })).body.code).toBe('connection_invalid')
    expect((await change(admin, id, { client_id: 'x' })).body.detail).toMatch(/Send it again/)
    const { client_secret } = world.vendors['sign_in'] ?? {}
    expect((await change(admin, id, { client_id: 'x', client_secret })).status).toBe(200)
  })

  test('is made to the version that was read', async () => {
    const admin = await world.admin()
    const id = await world.connect(admin, 'discord')
    const stale = await change(admin, id, { name: 'x' }, { 'if-match': '"7"' })
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
    const both = await Promise.all(['a', 'b'].map(name => change(admin, id, { name })))
    const { body } = await call('GET', `${path}/${id}`, { token: admin.token })
    const made = both.filter(({ status }) => status === 200).length
    expect(body.version).toBe(1 + made)
  })
})

describe('sessions that began at a connection', () => {
  test.each(['PATCH', 'DELETE'])('end with it (%s), and no others', async method => {
    const admin = await world.admin()
    const id = await world.connect(admin, 'google', { jit: true })
    const kept = await world.connect(admin, 'google', { jit: true })
    const there = await personOf(admin, id)
    const elsewhere = await personOf(admin, kept)
    const domain = `${newId().slice(-12)}.test`
    await world.own(admin.tenant, domain)
    const waiting = await come(id, { email: `x@${domain}` })
    expect(await reads(there.access_token)).toBe(200)
    const { token } = admin
    const body = method === 'PATCH' ? { body: { state: 'disabled' } } : {}
    await call(method, `${path}/${id}`, { token, ...body })
    expect(await reads(there.access_token)).toBe(401)
    expect(await reads(elsewhere.access_token)).toBe(200)
    expect((await redeem(waiting.ticket)).body.code).toBe('invalid_credentials')
    const { session_id, refresh_token } = there
    const refreshed = await call('POST', `/v1/sessions/${session_id}/refresh`, {
      body: { refresh_token },
    })
    expect(refreshed.status).toBe(401)
  })

  test('end with a change of the provider, where the same subject is another person', async () => {
    const admin = await world.admin()
    const id = await world.connect(admin, 'google', { jit: true })
    const there = await personOf(admin, id)
    const body = { issuer: hostile.issuer, client_secret: 'another secret' }
    const moved = await call('PATCH', `${path}/${id}`, { token: admin.token, body })
    expect(moved.status, moved.text).toBe(200)
    expect(await reads(there.access_token)).toBe(401)
    const left = await db.many(
      Type.Object({ id: Type.String() }),
      sql`
        select id from identity.external_identities
        where issuer = ${`connection:${id}`} and unlinked_at is null`,
    )
    expect(left).toEqual([])
  })

  test('are none after it was disabled, however a login races it', async () => {
    const admin = await world.admin()
    const id = await world.connect(admin, 'google', { jit: true })
    const domain = `${newId().slice(-12)}.test`
    await world.own(admin.tenant, domain)
    const tickets = await Promise.all(
      Array.from({ length: 8 }, () => come(id, { email: `${newId()}@${domain}` })),
    )
    const [, ...logins] = await Promise.all([
      change(admin, id, { state: 'disabled' }),
      ...tickets.map(({ ticket }) => redeem(ticket)),
    ])
    for (const { status, body } of logins) {
      expect(status === 401 || (await reads(body.access_token)) === 401).toBe(true)
    }
    const again = await change(admin, id, { state: 'active' })
    expect(again.body.state).toBe('active')
    expect((await redeem((await come(id, { email: `z@${domain}` })).ticket)).status).toBe(201)
  })
})

test('what happens to a connection is announced and recorded', async () => {
  const admin = await world.admin()
  const id = await world.connect(admin, 'github')
  await change(admin, id, { state: 'disabled' })
  await call('DELETE', `${path}/${id}`, { token: admin.token })
  const actions = await db.many(
    Type.Object({ action: Type.String() }),
    sql`
      select action from identity.security_events
      where account_id = ${admin.id} and action like 'connection.%' order by id`,
  )
  const acts = ['connection.created', 'connection.changed', 'connection.deleted']
  expect(actions.map(({ action }) => action)).toEqual(acts)
  expect(await audited(world, id)).toEqual(
    acts.map(act => `identity.${act.replace('connection', 'connections')}`),
  )
  for (const act of acts) {
    expect(await announced(world, act, id)).toMatchObject([{ connection_id: id }])
  }
})
