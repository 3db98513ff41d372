/** Programs that get tokens with an API key: what such a token has, and that it ends with its key. */
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import type { Member } from '../../../../../test/product-world.ts'
import { basic, openOAuthWorld } from '../../oauth/test/oauth-world.ts'
import { default_tenant_id } from '../../schemas.ts'

const world = await openOAuthWorld()
afterAll(() => world.close())
const { call, post } = world
const { db } = world.platform.kernel
const own = `${world.url}/v1`

const permissions = ['identity.roles.read', 'identity.accounts.invite']

async function keyOf(owner: Member, more: object = {}) {
  const body = { name: 'program', permissions, ...more }
  const {
    status,
    body: made,
    text,
  } = await call('POST', '/v1/api-keys', { token: owner.token, body })
  expect(status, text).toBe(201)
  return { id: made.id as string, secret: made.key as string }
}
async function ownerOf(tenant?: Member['tenant']) {
  const owner = await world.member(tenant)
  await world.give(owner, 'tenant_admin')
  return owner
}

const path = '/v1/oauth/token'
const grant_type = 'client_credentials'
const ask = (key: { id: string; secret: string }, more: Record<string, string> = {}) =>
  post(path, { grant_type, ...more }, basic(key))
const roles = async (token: string) => {
  const { status, body } = await call('GET', '/v1/roles', { token })
  return status === 200 ? 200 : [status, body.code]
}
const ended = [401, 'invalid_token']

describe('a token for our API', () => {
  test('is got by openid-client, has what the key has, and ends with it', async () => {
    const owner = await ownerOf()
    const key = await keyOf(owner)
    const auth = oidc.ClientSecretBasic(key.secret)
    const config = await oidc.discovery(new URL(world.url), key.id, undefined, auth, {
      // oxlint-disable-next-line typescript/no-deprecated -- only for this machine
      execute: [oidc.allowInsecureRequests],
    })
    const tokens = await oidc.clientCredentialsGrant(config, { resource: own })
    expect(tokens.access_token).toMatch(/^ac_/)
    expect(await roles(tokens.access_token)).toBe(200)
    const others = await call('GET', '/v1/accounts', { token: tokens.access_token })
    expect(others.body.permission).toBe('identity.accounts.read')
    const person = await call('POST', '/v1/api-keys', {
      token: tokens.access_token,
      body: { name: 'another', permissions },
    })
    expect(person.body.code).toBe('permission_denied')
    await call('DELETE', `/v1/api-keys/${key.id}`, { token: owner.token })
    expect(await roles(tokens.access_token)).toEqual(ended)
    expect((await ask(key)).body.error).toBe('invalid_client')
  })

  test('ends with the account, the tenant and the role of its owner', async () => {
    const ends = [
      async (owner: Member) =>
        await db.run(sql`update identity.accounts set status = 'disabled' where id = ${owner.id}`),
      async (owner: Member) =>
        await db.run(sql`
          update identity.tenants set state = 'disabled' where id = ${owner.tenant.id}`),
    ]
    for (const end of ends) {
      const owner = await ownerOf()
      const { access_token } = (await ask(await keyOf(owner))).body
      expect(await roles(access_token)).toBe(200)
      await end(owner)
      expect(await roles(access_token)).toEqual(ended)
    }
    const owner = await ownerOf()
    const { access_token } = (await ask(await keyOf(owner))).body
    await db.run(sql`delete from identity.role_assignments where account_id = ${owner.id}`)
    expect(await roles(access_token)).toEqual([403, 'permission_denied'])
  })

  test('expires, and cannot be changed', async () => {
    const owner = await ownerOf()
    const { access_token, expires_in } = (await ask(await keyOf(owner))).body
    const other = (await ask(await keyOf(owner))).body.access_token as string
    const parts = access_token.split('_')
    const late = (Number.parseInt(parts[2], 36) + 3600).toString(36)
    const forged = [
      ['ac', parts[1], late, parts[3]],
      ['ac', other.split('_')[1], parts[2], parts[3]],
      ['ac', parts[1], parts[2], parts[3].slice(0, 22)],
      ['ac', parts[1], parts[2], `${parts[3].slice(0, -1)}${parts[3].endsWith('A') ? 'E' : 'A'}`],
      ['ac', newId().replaceAll('-', ''), parts[2], parts[3]],
    ]
    for (const one of forged) expect(await roles(one.join('_'))).toEqual(ended)
    expect(await roles(access_token)).toBe(200)
    await call('POST', '/dev/clock', { body: { offset_seconds: expires_in + 1 } })
    expect(await roles(access_token)).toEqual(ended)
    await call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
  })

  test('is refused to another key, another secret, and a scope that the key lacks', async () => {
    const owner = await ownerOf()
    const key = await keyOf(owner)
    const other = await keyOf(owner)
    const wrong = [
      { id: key.id, secret: other.secret },
      { id: newId(), secret: key.secret },
      { id: key.id, secret: `${key.secret.slice(0, -1)}${key.secret.endsWith('0') ? '1' : '0'}` },
      { id: key.id, secret: 'ak_' },
    ]
    for (const one of wrong) {
      const answer = await ask(one)
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
    }
    expect((await ask(key, { scope: permissions.join(' ') })).status).toBe(200)
    const beyond = await ask(key, { scope: 'identity.accounts.read' })
    expect([beyond.status, beyond.body.error]).toEqual([400, 'invalid_scope'])
    const app = await world.app()
    const application = await post(path, { grant_type }, basic(app))
    expect(application.body.error).toBe('invalid_client')
  })
})

describe('a token for an API of a tenant', () => {
  test('is signed, for that API alone, and says whose program it is', async () => {
    const uri = `https://api.${newId()}.test`
    const api = await world.api(uri, 'parcels.read', 'parcels.write')
    const owner = await ownerOf()
    const key = await keyOf(owner)
    const { status, body } = await ask(key, { resource: uri, scope: 'parcels.read' })
    expect([status, body.scope]).toEqual([200, 'parcels.read'])
    const jwks = createRemoteJWKSet(new URL(`${world.url}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(body.access_token, jwks, {
      issuer: world.url,
      audience: uri,
      typ: 'at+jwt',
    })
    expect(payload).toMatchObject({
      // Not the person who made the key.
      sub: key.id,
      tid: owner.tenant.id,
      client_id: key.id,
      scope: 'parcels.read',
    })
    expect(await roles(body.access_token)).toEqual(ended)
    const asked = () => post('/v1/oauth/introspect', { token: body.access_token }, basic(api))
    expect((await asked()).body).toMatchObject({ active: true, client_id: key.id, aud: uri })
    await call('DELETE', `/v1/api-keys/${key.id}`, { token: owner.token })
    expect((await asked()).body).toEqual({ active: false })
  })

  test('speaks for the key itself where the key belongs to the organization', async () => {
    const uri = `https://api.${newId()}.test`
    await world.api(uri, 'parcels.read')
    const owner = await ownerOf()
    await db.run(sql`
      update identity.accounts set verified_at = kernel.now() where id = ${owner.id}`)
    const key = await keyOf(owner, { owner: 'organization' })
    const { access_token } = (await ask(key, { resource: uri, scope: 'parcels.read' })).body
    expect(decodeJwt(access_token)).toMatchObject({ sub: key.id, client_id: key.id })
    expect(await roles((await ask(key)).body.access_token)).toBe(200)
  })

  test('has no scope that nobody asked for, and none that the API does not define', async () => {
    const uri = `https://api.${newId()}.test`
    await world.api(uri, 'parcels.read')
    const key = await keyOf(await ownerOf())
    const none = (await ask(key, { resource: uri })).body
    expect(decodeJwt(none.access_token)['scope']).toBe('')
    for (const scope of ['parcels.write', 'openid', 'chat.read']) {
      expect((await ask(key, { resource: uri, scope })).body.error).toBe('invalid_scope')
    }
  })

  test('of another tenant is refused, also to a key of `default`', async () => {
    const uri = `https://api.${newId()}.test`
    const { id } = await world.api(uri, 'parcels.read')
    const { id: tenant_id } = await world.tenant()
    await db.run(sql`delete from identity.client_secrets where client_id = ${id}`)
    await db.run(sql`update identity.clients set tenant_id = ${tenant_id} where id = ${id}`)
    await db.run(sql`
      insert into identity.organization_domains (tenant_id, id, domain, state, record_value)
      values (${tenant_id}, ${newId()}, ${new URL(uri).hostname}, 'verified', 'x')`)
    const owners = [await ownerOf(), await ownerOf({ id: default_tenant_id, slug: 'default' })]
    for (const owner of owners) {
      const answer = await ask(await keyOf(owner), { resource: uri })
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_target'])
    }
    const unknown = await ask(await keyOf(await ownerOf()), { resource: 'https://nobody.test' })
    expect(unknown.body.error).toBe('invalid_target')
  })
})
