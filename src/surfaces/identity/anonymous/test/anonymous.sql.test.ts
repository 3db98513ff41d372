/**
 * Anonymous accounts: a visitor gets a narrow session, becomes a person with the same id by proving
 * an address, or is erased when nobody has used the account for long and no surface needs it.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openProductWorld, password, type Tenant } from '../../../../../test/product-world.ts'
import { eventually, type Answer } from '../../../../../test/world.ts'
import { moveClock } from '../../test/second-factor.ts'

const world = await openProductWorld({})
const closed = await openProductWorld({ IDENTITY_ANONYMOUS: 'false' })
const throttled = await openProductWorld({
  KERNEL_THROTTLE_LOOPBACK: 'true',
  KERNEL_RATE_FACTOR: '1',
  IDENTITY_ANONYMOUS_PER_HOUR: '5',
})
afterAll(() => Promise.all([world.close(), closed.close(), throttled.close()]))
const { db } = world.platform.kernel

type Guest = {
  readonly id: string
  readonly session_id: string
  readonly token: string
  readonly refresh_token: string
  readonly tenant: Tenant
}

const visit = (tenant: Pick<Tenant, 'slug'>, more: object = {}, at = world) =>
  at.call('POST', '/v1/sessions', { body: { anonymous: true, tenant: tenant.slug, ...more } })

async function guest(tenant?: Tenant): Promise<Guest> {
  const home = tenant ?? (await world.tenant())
  const { status, text, body } = await visit(home)
  expect(status, text).toBe(201)
  const { account_id: id, session_id, access_token: token, refresh_token } = body
  return { id, session_id, token, refresh_token, tenant: home }
}

const newEmail = () => `g-${newId()}@example.test`
const change = ({ token }: Pick<Guest, 'token'>, email: string, more: object = {}) =>
  world.call('POST', '/v1/email-changes', { token, body: { email, ...more } })
const verify = ({ token }: Pick<Guest, 'token'>, mailed: string | undefined) =>
  world.call('POST', '/v1/email-verifications', { token, body: { token: mailed } })

async function mailed(email: string): Promise<string | undefined> {
  const mails = await world.mails(email)
  return mails.findLast(({ template }) => template === 'confirm_new_address')?.token ?? undefined
}

async function ask(who: Guest, email = newEmail()) {
  const asked = await change(who, email)
  expect(asked.status, asked.text).toBe(202)
  return { email, token: await mailed(email) }
}

const codes = (answers: readonly Answer[]) =>
  answers.map(({ status, body }): string => (status < 400 ? String(status) : body.code)).sort()

async function eventsOf(account_id: string): Promise<string[]> {
  const rows = await db.many(
    Type.Object({ type: Type.String() }),
    sql`
      select type from kernel.events
      where aggregate_type = 'account' and aggregate_id = ${account_id} order by position`,
  )
  return rows.map(({ type }) => type)
}

describe('the session of a guest', () => {
  test('shows itself, and does what its scope has', async () => {
    const { id, token, tenant } = await guest()
    const { body } = await world.call('GET', '/v1/me', { token })
    expect(body).toMatchObject({ id, kind: 'anonymous', email: null, tenant_id: tenant.id })
    expect(body.session.scope.sort()).toEqual([
      'anonymous',
      'commerce.write',
      'openid',
      'uploads.read',
    ])
    expect((await world.call('GET', '/v1/orders', { token })).status).toBe(200)
    expect(await eventsOf(id)).toEqual([])
  })

  test.each([
    ['POST', '/v1/mfa/methods', { type: 'totp', label: 'App' }],
    ['POST', '/v1/api-keys', { name: 'key', permissions: [] }],
    ['POST', '/v1/organizations', { slug: 'mine', name: 'Mine' }],
    ['POST', '/v1/posts', { text: 'hello' }],
    ['POST', '/v1/uploads', { file_name: 'a.txt', size_bytes: 1 }],
    ['PATCH', '/v1/me', { display_name: 'Ada' }],
    ['POST', '/v1/sessions/current/access-tokens', { tenant_id: newId() }],
    ['GET', '/v1/me/export', undefined],
  ])('cannot %s %s', async (method, path, body) => {
    const { token } = await guest()
    const answer = await world.call(method, path, { token, body })
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope'])
  })

  test('gets no role', async () => {
    const { id, tenant } = await guest()
    const boss = await world.member(tenant)
    await world.allow(boss, 'identity.roles.assign', 'identity.accounts.read')
    const { token } = boss
    const refused = await world.call('PUT', `/v1/accounts/${id}/roles/support_viewer`, { token })
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
    expect(refused.body.detail).toContain('no roles')
  })

  test('has no more rights when its account has a role', async () => {
    const { id, token, tenant } = await guest()
    await world.allow({ id, tenant }, 'identity.accounts.read')
    const answer = await world.call('GET', '/v1/accounts', { token })
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope'])
  })

  test('is refreshed, stays narrow, and ends', async () => {
    const { session_id, refresh_token } = await guest()
    const body = { refresh_token }
    const next = await world.call('POST', `/v1/sessions/${session_id}/refresh`, { body })
    expect(next.status).toBe(200)
    const { access_token: token } = next.body
    expect((await world.call('GET', '/v1/me/export', { token })).status).toBe(403)
    expect((await world.call('DELETE', `/v1/sessions/${session_id}`, { token })).status).toBe(204)
    expect((await world.call('GET', '/v1/me', { token })).status).toBe(401)
  })

  test('needs the setting, a tenant that is open, and one that exists', async () => {
    expect(codes([await visit({ slug: 'default' }, {}, closed)])).toEqual(['anonymous_off'])
    const { id, slug } = await world.tenant()
    await db.run(sql`update identity.tenants set signup = 'invite' where id = ${id}`)
    expect(codes([await visit({ slug })])).toEqual(['signup_closed'])
    expect(codes([await visit({ slug: 'nowhere' })])).toEqual(['tenant_not_found'])
  })

  test('is one of a few from one network', async () => {
    const tenant = await throttled.tenant()
    const all = await Promise.all(Array.from({ length: 20 }, () => visit(tenant, {}, throttled)))
    expect(codes(all).filter(code => code === '201')).toHaveLength(5)
    expect(codes(all).filter(code => code === 'rate_limited')).toHaveLength(15)
  })
})

describe('a guest who proves an address', () => {
  test('becomes a person with the same id, in a full session', async () => {
    const who = await guest()
    const { email, token } = await ask(who)
    const { status, text, body } = await verify(who, token)
    expect(status, text).toBe(201)
    expect(body).toMatchObject({ account_id: who.id, session: { account_id: who.id, aal: 'aal1' } })
    const me = await world.call('GET', '/v1/me', { token: body.session.access_token })
    expect(me.body).toMatchObject({ id: who.id, kind: 'person', email, session: { scope: null } })
    expect((await world.call('GET', '/v1/me', { token: who.token })).status).toBe(401)
    expect(await eventsOf(who.id)).toEqual([
      'account.registered',
      'account.converted',
      'account.verified',
    ])
    const asked = { email, tenant: who.tenant.slug }
    const { body: code } = await world.call('POST', '/v1/login-codes', { body: asked })
    const mail = (await world.mails(email)).findLast(({ template }) => template === 'login_code')
    const login_code = { id: code.id, code: mail?.code }
    const login = await world.call('POST', '/v1/sessions', { body: { login_code } })
    expect([login.status, login.body.account_id]).toEqual([201, who.id])
  })

  test('then changes the address with a password only', async () => {
    const who = await guest()
    const { token } = await ask(who)
    const { access_token } = (await verify(who, token)).body.session
    const none = await change({ token: access_token }, newEmail())
    expect([none.status, none.body.errors?.[0]?.pointer]).toEqual([422, '/current_password'])
    const wrong = await change({ token: access_token }, newEmail(), { current_password: password })
    expect(wrong.body.code).toBe('invalid_credentials')
  })

  test('gets no address that is a person’s, and stays a guest', async () => {
    const tenant = await world.tenant()
    const member = await world.member(tenant)
    const proof = { token: (await world.mails(member.email)).at(-1)?.token, password }
    expect((await world.call('POST', '/v1/email-verifications', { body: proof })).status).toBe(201)
    const who = await guest(tenant)
    expect((await change(who, member.email)).status).toBe(202)
    expect((await world.mails(member.email)).at(-1)?.template).toBe('address_known')
    // Two guests ask for one address, and both get a token.
    const other = await guest(tenant)
    const { email, token } = await ask(who)
    const { token: second } = await ask(other, email)
    expect((await verify(who, token)).status).toBe(201)
    expect(codes([await verify(other, second)])).toEqual(['email_taken'])
    const me = await world.call('GET', '/v1/me', { token: other.token })
    expect([me.body.kind, me.body.email]).toEqual(['anonymous', null])
  })

  test('is converted once by twenty requests at once', async () => {
    const who = await guest()
    const { token } = await ask(who)
    const all = await Promise.all(Array.from({ length: 20 }, () => verify(who, token)))
    expect(codes(all).filter(code => code === '201')).toHaveLength(1)
    expect(all.every(({ status }) => [201, 401, 410, 422, 404, 409].includes(status))).toBe(true)
    expect(await eventsOf(who.id)).toEqual([
      'account.registered',
      'account.converted',
      'account.verified',
    ])
    const sessions = await db.many(
      Type.Object({ id: Type.String() }),
      sql`select id from identity.sessions where account_id = ${who.id} and revoked_at is null`,
    )
    expect(sessions).toHaveLength(1)
  })

  test('is refused with the token of another guest, and in a tenant that has closed', async () => {
    const [who, other] = [await guest(), await guest()]
    const { token } = await ask(who)
    expect((await verify(other, token)).body.code).toBe('one_time_token_invalid')
    await db.run(sql`update identity.tenants set signup = 'invite' where id = ${who.tenant.id}`)
    expect(codes([await verify(who, token)])).toEqual(['signup_closed'])
    const me = await world.call('GET', '/v1/me', { token: who.token })
    expect([me.body.kind, me.body.email]).toEqual(['anonymous', null])
  })

  test('keeps the session in cookies', async () => {
    const tenant = await world.tenant()
    const begun = await visit(tenant, { delivery: 'cookie' })
    const jar = (answer: Answer) =>
      answer.headers
        .getSetCookie()
        .map(one => one.split(';', 1)[0])
        .join('; ')
    const headers = (answer: Answer, csrf: string) => ({
      cookie: jar(answer),
      'x-csrf-token': csrf,
      origin: 'http://dodeca.test',
    })
    const own = headers(begun, begun.body.csrf_token)
    const email = newEmail()
    const asked = await world.call('POST', '/v1/email-changes', { headers: own, body: { email } })
    expect(asked.status, asked.text).toBe(202)
    const body = { token: await mailed(email) }
    const proven = await world.call('POST', '/v1/email-verifications', { headers: own, body })
    expect(proven.status, proven.text).toBe(201)
    expect(proven.body.session.access_token).toBeUndefined()
    const { csrf_token } = proven.body.session
    const me = await world.call('GET', '/v1/me', { headers: headers(proven, csrf_token) })
    expect([me.status, me.body.kind]).toEqual([200, 'person'])
  })
})

test('administrators see guests among the accounts, not among the members', async () => {
  const tenant = await world.tenant()
  const admin = await world.member(tenant)
  await world.allow(admin, 'identity.accounts.read')
  const { id } = await guest(tenant)
  const { token } = admin
  const list = async (path: string) =>
    (
      (await world.call('GET', path, { token })).body.data as { id?: string; account_id?: string }[]
    ).map(one => one.id ?? one.account_id)
  expect(await list('/v1/accounts?kind=anonymous')).toEqual([id])
  expect(await list('/v1/accounts?kind=person')).toEqual([admin.id])
  expect(await list('/v1/organization/members')).toEqual([admin.id])
})

describe('a guest whom nobody has seen for 30 days', () => {
  const statusOf = async ({ id }: Guest) =>
    (
      await db.one(
        Type.Object({ status: Type.String() }),
        sql`select status from identity.accounts where id = ${id}`,
      )
    ).status
  const day = 86_400

  test('is erased; one who came back, and one who became a person, stay', async () => {
    const tenant = await world.tenant()
    const [idle, back, person] = [await guest(tenant), await guest(tenant), await guest(tenant)]
    const { token } = await ask(person)
    expect((await verify(person, token)).status).toBe(201)
    await moveClock(world, 10 * day)
    const { session_id, refresh_token } = back
    const refreshed = await world.call('POST', `/v1/sessions/${session_id}/refresh`, {
      body: { refresh_token },
    })
    expect(refreshed.status).toBe(200)
    await moveClock(world, 21 * day)
    await eventually('the idle account is erased', async () => (await statusOf(idle)) === 'deleted')
    await eventually('its event', async () => (await eventsOf(idle.id)).includes('account.deleted'))
    const audit = await db.many(
      Type.Object({ action: Type.String() }),
      sql`select action from kernel.audit_events where target = ${idle.id}`,
    )
    expect(audit).toEqual([{ action: 'identity.accounts.delete' }])
    expect([await statusOf(back), await statusOf(person)]).toEqual(['active', 'active'])
    await moveClock(world, 10 * day)
    await eventually('the other one is erased', async () => (await statusOf(back)) === 'deleted')
    expect(await statusOf(person)).toBe('active')
  })
})
