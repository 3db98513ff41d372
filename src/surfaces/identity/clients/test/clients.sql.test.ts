/**
 * Clients as rows: who may write them, what cannot work, secrets that are shown once, and grants that
 * end with what was given.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { beginNarrow } from '../../../../../test/narrow.ts'
import { openProductWorld, type Member } from '../../../../../test/product-world.ts'
import { identity } from '../../surface.ts'
import { announced, audited } from '../../test/announced.ts'
import { authenticateClient, findClient } from '../find-client.ts'
import { openClientDocuments } from '../client-documents.ts'

const world = await openProductWorld({ IDENTITY_CLIENTS_MOST: '10' })
afterAll(() => world.close())
const { call, platform } = world
const kernel = platform.kernelFor(identity)
const { db } = kernel

const path = '/v1/clients'
const redirect = 'https://app.test/callback'
const web = (more: object = {}) => ({
  name: 'Shop',
  type: 'web',
  redirect_uris: [redirect],
  scopes: ['openid', 'commerce.read', 'chat.write'],
  ...more,
})
type Caller = Pick<Member, 'token'>
const make = ({ token }: Caller, body: object) => call('POST', path, { token, body })
const change = ({ token }: Caller, id: string, body: object, headers = {}) =>
  call('PATCH', `${path}/${id}`, { token, body, headers })
const remove = ({ token }: Caller, id: string) => call('DELETE', `${path}/${id}`, { token })
const newSecretOf = ({ token }: Caller, id: string, body?: object) =>
  call('POST', `${path}/${id}/secrets`, { token, ...(body ? { body } : {}) })

async function admin() {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}

const documents = openClientDocuments({ kernel, permissions: new Map() })
const deps = { kernel, permissions: new Map(), documents }
const find = (id: string) => findClient(db, deps, id)
const authenticate = (client_id: string, client_secret?: string) =>
  authenticateClient(db, deps, { client_id, client_secret })
const invalid_client = { code: 'invalid_client' }

/** A session that this client got, for our API or another one. */
async function granted(client_id: string, audience: string | null = null) {
  const person = await world.member()
  return await beginNarrow(platform, person, { scope: ['openid'], client_id, audience })
}
const alive = async (token: string) => (await call('GET', '/v1/me', { token })).status === 200

describe('a client', () => {
  test('is created, read, listed, changed and deleted', async () => {
    const owner = await admin()
    const made = await make(owner, web())
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({ ...web(), uri: null, first_party: false, version: 1 })
    const { id } = made.body
    const { token } = owner
    expect((await call('GET', `${path}/${id}`, { token })).body).toEqual(made.body)
    expect((await call('GET', path, { token })).body.data).toEqual([made.body])
    expect(await find(id)).toMatchObject({
      client_id: id,
      tenant_id: owner.tenant.id,
      scopes: web().scopes,
      document: false,
    })
    const named = await change(owner, id, { name: 'Store' }, { 'if-match': '"1"' })
    expect(named.body).toMatchObject({ name: 'Store', version: 2, redirect_uris: [redirect] })
    const stale = await change(owner, id, { name: 'Late' }, { 'if-match': '"1"' })
    expect(stale.body.code).toBe('precondition_failed')
    for (let times = 0; times < 2; times++) expect((await remove(owner, id)).status).toBe(204)
    expect((await call('GET', `${path}/${id}`, { token })).body.code).toBe('client_not_found')
    expect(await find(id)).toBeUndefined()
    const acts = ['created', 'changed', 'deleted']
    for (const act of acts) {
      expect(await announced(world, `client.${act}`, id)).toEqual([{ client_id: id, type: 'web' }])
    }
    expect(await audited(world, id)).toEqual(acts.map(act => `identity.clients.${act}`))
  })

  test('is written by administrators only, in a session that has just begun', async () => {
    const owner = await admin()
    const member = await world.member(owner.tenant)
    expect((await make(member, web())).body.code).toBe('permission_denied')
    const { id } = (await make(owner, web())).body
    await db.run(sql`
      update identity.sessions set auth_time = auth_time - interval '1 hour'
      where id = ${owner.session_id}`)
    const session = await call('POST', `/v1/sessions/${owner.session_id}/refresh`, {
      body: { refresh_token: owner.refresh_token },
    })
    const late = { token: session.body.access_token }
    const answers = [
      await make(late, web()),
      await change(late, id, { name: 'x' }),
      await newSecretOf(late, id),
      await remove(late, id),
    ]
    expect(answers.map(({ body }) => body.code)).toEqual(Array(4).fill('step_up_required'))
  })

  test('of another tenant does not exist', async () => {
    const { id } = (await make(await admin(), web())).body
    const other = await admin()
    const answers = [
      await call('GET', `${path}/${id}`, { token: other.token }),
      await change(other, id, { name: 'x' }),
      await newSecretOf(other, id),
      await remove(other, id),
    ]
    expect(answers.map(({ body }) => body.code)).toEqual(Array(4).fill('client_not_found'))
    expect((await call('GET', path, { token: other.token })).body.data).toEqual([])
  })

  test('is one of ten, however many come at once', async () => {
    const owner = await admin()
    const answers = await Promise.all(Array.from({ length: 14 }, () => make(owner, web())))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(answers.find(({ status }) => status !== 201)?.body.code).toBe('quota_exceeded')
  })

  test('of a disabled tenant cannot be used', async () => {
    const owner = await admin()
    const { id } = (await make(owner, web())).body
    await db.run(sql`update identity.tenants set state = 'disabled' where id = ${owner.tenant.id}`)
    expect(await find(id)).toBeUndefined()
    await expect(authenticate(id)).rejects.toMatchObject(invalid_client)
  })

  test.for([
    ['no redirect URI', { redirect_uris: [] }],
    ['a fragment', { redirect_uris: ['https://app.test/#x'] }],
    ['an empty fragment', { redirect_uris: ['https://app.test/#'] }],
    ['a wildcard', { redirect_uris: ['https://*.app.test/'] }],
    ['a backslash', { redirect_uris: ['https://app.test\\@evil.test/'] }],
    ['credentials', { redirect_uris: ['https://app@evil.test/'] }],
    ['no scheme', { redirect_uris: ['app.test/callback'] }],
    ['http to another device', { redirect_uris: ['http://app.test/'] }],
    ['a scheme of its own in a web application', { redirect_uris: ['com.example.app:/done'] }],
    ['a script', { type: 'native', redirect_uris: ['javascript:alert(1)'] }],
    ['a document in a URI', { type: 'native', redirect_uris: ['data:text/html,x'] }],
    ['a scheme of all', { type: 'native', redirect_uris: ['myapp://done'] }],
    ['http to a host like this one', { type: 'native', redirect_uris: ['http://localhost.evil/'] }],
    ['a page by http', { uri: 'http://app.test/' }],
    ['a word that nobody knows', { scopes: ['everything'] }],
    ['a word of identity', { scopes: ['identity.accounts.read'] }],
    ['a word of the platform', { scopes: ['kernel.read'] }],
    ['the word for a second factor', { scopes: ['enrolment'] }],
    ['scopes of an API', { scopes: [{ name: 'x', says: 'y' }] }],
  ] as const)('with %s is refused', async ([, more]) => {
    const answer = await make(await admin(), web(more))
    expect([answer.status, answer.body.code]).toEqual([422, 'client_invalid'])
    expect(answer.body.detail).toMatch(/\.$/)
  })

  test('on a device leads to the device, and to a scheme of its own', async () => {
    const redirect_uris = ['http://127.0.0.1/done', 'http://[::1]:8000/', 'com.example.app:/done']
    const made = await make(await admin(), web({ type: 'native', redirect_uris }))
    expect(made.status, made.text).toBe(201)
  })

  test('of the house is made and changed by an operator only', async () => {
    const owner = await admin()
    const house = web({ first_party: true })
    const refused = await make(owner, house)
    expect(refused.body.permission).toBe('identity.tenants.manage')
    const { id } = (await make(owner, web())).body
    expect((await change(owner, id, { first_party: true })).body.code).toBe('permission_denied')
    await world.give(owner, 'platform_operator')
    expect((await change(owner, id, { first_party: true })).body.first_party).toBe(true)
    const successor = await world.member(owner.tenant)
    await world.give(successor, 'tenant_admin')
    // Members who follow a link would send their code to this address, and nobody would ask them.
    const redirect_uris = [redirect, 'https://evil.test/']
    const answers = [
      await change(successor, id, { redirect_uris }),
      await change(successor, id, { first_party: false, redirect_uris }),
      await newSecretOf(successor, id),
    ]
    expect(answers.map(({ body }) => body.permission)).toEqual(
      Array(3).fill('identity.tenants.manage'),
    )
    expect((await remove(successor, id)).status).toBe(204)
  })
})

describe('a secret', () => {
  test('is shown once, stored as a hash, and two are valid at most', async () => {
    const owner = await admin()
    const { id } = (await make(owner, web())).body
    await expect(authenticate(id)).rejects.toMatchObject(invalid_client)
    const key = `"${newId()}"`
    const first = await call('POST', `${path}/${id}/secrets`, { token: owner.token, key })
    expect(first.status, first.text).toBe(201)
    expect(first.body).toEqual({
      client_secret: expect.stringMatching(/^cs_[\w-]{43}$/),
      previous_expires_at: null,
    })
    const again = await call('POST', `${path}/${id}/secrets`, { token: owner.token, key })
    expect(again.body).toEqual(first.body)
    const secrets = [first.body.client_secret]
    for (let times = 0; times < 2; times++) {
      const { body } = await newSecretOf(owner, id)
      expect(Date.parse(body.previous_expires_at)).toBeGreaterThan(Date.now() + 23 * 3_600_000)
      secrets.push(body.client_secret)
    }
    const [oldest, older, newest] = secrets
    await expect(authenticate(id, oldest)).rejects.toMatchObject(invalid_client)
    expect(await authenticate(id, older)).toMatchObject({ client_id: id })
    expect(await authenticate(id, newest)).toMatchObject({ client_id: id })
    await db.run(sql`
      update identity.client_secrets set expires_at = kernel.now() where expires_at is not null`)
    await expect(authenticate(id, older)).rejects.toMatchObject(invalid_client)
    const { rows } = await db.one(
      Type.Object({ rows: Type.String() }),
      sql`select json_agg(s)::text || json_agg(encode(s.secret_hash, 'escape'))::text as rows
        from identity.client_secrets s`,
    )
    for (const one of secrets) expect(rows).not.toContain(one)
    const { text } = await call('GET', `${path}/${id}`, { token: owner.token })
    for (const one of secrets) expect(text).not.toContain(one)
  })

  test('of twenty that are made at once, leaves two', async () => {
    const owner = await admin()
    const { id } = (await make(owner, web())).body
    const made = await Promise.all(Array.from({ length: 20 }, () => newSecretOf(owner, id)))
    expect(made.map(({ status }) => status)).toEqual(Array(20).fill(201))
    const tried = await Promise.allSettled(
      made.map(({ body }) => authenticate(id, body.client_secret)),
    )
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })

  test('that may have leaked ends at once, with all grants', async () => {
    const owner = await admin()
    const { id } = (await make(owner, web())).body
    const old = (await newSecretOf(owner, id)).body.client_secret
    const { token } = await granted(id)
    await newSecretOf(owner, id)
    expect(await alive(token)).toBe(true)
    const next = (await newSecretOf(owner, id, { overlap_seconds: 0 })).body
    expect(next.previous_expires_at).toBeNull()
    await expect(authenticate(id, old)).rejects.toMatchObject(invalid_client)
    expect(await authenticate(id, next.client_secret)).toMatchObject({ client_id: id })
    expect(await alive(token)).toBe(false)
  })

  test('belongs to an application with a server alone', async () => {
    const owner = await admin()
    const { id } = (await make(owner, web({ type: 'spa' }))).body
    expect((await newSecretOf(owner, id)).body.code).toBe('client_invalid')
    expect(await authenticate(id)).toMatchObject({ type: 'spa' })
    await expect(authenticate(id, 'cs_guessed')).rejects.toMatchObject(invalid_client)
    const unknown = [newId(), 'no-id', '', 'https:///', "'; --"]
    for (const one of unknown) await expect(authenticate(one)).rejects.toMatchObject(invalid_client)
  })
})

describe('a grant', () => {
  test.for([
    ['a redirect URI goes', { redirect_uris: ['https://new.test/'] }, false],
    ['a scope goes', { scopes: ['openid'] }, false],
    ['more is allowed', { redirect_uris: [redirect, 'https://new.test/'] }, true],
    ['the name changes', { name: 'Another' }, true],
  ] as const)('when %s', async ([, body, stays]) => {
    const owner = await admin()
    const { id } = (await make(owner, web())).body
    const { token } = await granted(id)
    const other = await granted((await make(owner, web())).body.id)
    expect((await change(owner, id, body)).status).toBe(200)
    expect([await alive(token), await alive(other.token)]).toEqual([stays, true])
    await remove(owner, id)
    expect([await alive(token), await alive(other.token)]).toEqual([false, true])
  })
})
