/**
 * Logging in at a real OpenID provider, by its own pages: new and known people, tickets that are
 * valid once, and refusals before the redirect.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { answered, application } from './oidc-browser.ts'
import { logInThere } from './oidc-real-provider.ts'
import { home, openOidcWorld } from './oidc-world.ts'

const world = await openOidcWorld()
const { begin, browse, come, prove, provider, redeem, someone } = world
afterAll(() => world.close())

const me = async (token: string) => (await world.call('GET', '/v1/me', { token })).body

async function actionsOf(account_id: string): Promise<string[]> {
  const rows = await world.platform.kernel.db.many(
    Type.Object({ action: Type.String() }),
    sql`select action from identity.security_events where account_id = ${account_id} order by id`,
  )
  return rows.map(({ action }) => action)
}

describe('a new person', () => {
  test('gets a proven account without a password and comes back to the same one', async () => {
    const tenant = await world.tenant()
    const { sub, email } = someone()
    const first = await redeem((await come(sub, { tenant })).ticket)
    expect(first.status).toBe(201)
    expect(first.body.tenant_id).toBe(tenant.id)
    const mine = await me(first.body.access_token)
    expect(mine).toMatchObject({ email, status: 'active', display_name: 'Ada Lovelace' })
    expect(mine.verified_at).not.toBeNull()
    expect(mine.session.amr).toEqual(['oidc'])
    const again = await redeem((await come(sub, { tenant, name: 'plain' })).ticket)
    expect(again.body.account_id).toBe(first.body.account_id)
    expect(await actionsOf(mine.id)).toEqual([
      'account.verified',
      'external_identity.linked',
      'session.created',
      'session.created',
    ])
  })

  test('is one account, however many tabs finish at once', async () => {
    const tenant = await world.tenant()
    const { sub } = someone()
    const browser = browse()
    const callbacks: string[] = []
    for (let tab = 0; tab < 4; tab++) {
      const { body } = await begin(browser, { tenant })
      const stop = (next: string) => next.startsWith(home)
      callbacks.push((await logInThere(browser, body.authorization_url, sub, stop)).url)
    }
    const pages = await Promise.all(callbacks.map(url => browser.follow(url)))
    const logins = await Promise.all(pages.map(page => redeem(answered(page, 'ticket'))))
    expect(logins.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(logins.map(({ body }) => body.account_id)).size).toBe(1)
  })

  test('is refused where people are invited, without revealing whether the address is known', async () => {
    const tenant = await world.tenant()
    await world.platform.kernel.db.run(
      sql`update identity.tenants set signup = 'invite' where id = ${tenant.id}`,
    )
    const stranger = await come(someone().sub, { tenant })
    const member = await world.member()
    const known = await come(someone({ email: member.email, email_verified: false }).sub, {
      tenant: member.tenant,
    })
    expect(stranger).toEqual({ ticket: null, error: 'account_link_required', state: null })
    expect(known).toEqual(stranger)
  })

  test('without an address gets no account', async () => {
    const sub = newId()
    provider.people.set(sub, { name: 'No Address' })
    expect((await come(sub)).error).toBe('account_link_required')
  })

  test('of an unproven address gets an unproven account that its mailbox can still claim', async () => {
    const tenant = await world.tenant()
    const { sub, email } = someone({ email_verified: false })
    const first = await redeem((await come(sub, { tenant })).ticket)
    expect((await me(first.body.access_token)).verified_at).toBeNull()
    const password = 'another correct horse battery'
    const registered = await world.call('POST', '/v1/accounts', {
      body: { email, password, tenant: tenant.slug },
    })
    const token = (await world.mails(email)).at(-1)?.token
    const proven = await world.call('POST', '/v1/email-verifications', {
      body: { token, registration_id: registered.body.id },
    })
    expect(proven.status).toBe(201)
    expect((await world.call('GET', '/v1/me', { token: first.body.access_token })).status).toBe(401)
    expect((await come(sub, { tenant })).error).toBe('account_link_required')
  })
})

describe('an address that is known', () => {
  test('is linked where both sides have proven it', async () => {
    const member = await world.member()
    await prove(member)
    const { sub } = someone({ email: member.email })
    const login = await redeem((await come(sub, { tenant: member.tenant })).ticket)
    expect(login.body.account_id).toBe(member.id)
  })

  test.each([
    ['neither side has proven it', { proven: false, name: 'trusted', email_verified: false }],
    ['the provider has not proven it', { proven: true, name: 'trusted', email_verified: false }],
    ['the provider is not trusted with it', { proven: true, name: 'plain', email_verified: true }],
  ])('is not linked where %s', async (_, { proven, name, email_verified }) => {
    const member = await world.member()
    if (proven) await prove(member)
    const { sub } = someone({ email: member.email, email_verified })
    const returned = await come(sub, { tenant: member.tenant, name })
    expect(returned).toEqual({ ticket: null, error: 'account_link_required', state: null })
  })
})

describe('a ticket', () => {
  test('counts once, also of ten at once', async () => {
    const { ticket } = await come(someone().sub)
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(ticket)))
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 401)])
    const late = await redeem(ticket)
    expect([late.status, late.body.code]).toEqual([401, 'invalid_credentials'])
  })

  test('is of no use once the account is disabled, nor is the identity', async () => {
    const tenant = await world.tenant()
    const { sub, email } = someone()
    const { ticket } = await come(sub, { tenant })
    await world.platform.kernel.db.run(
      sql`update identity.accounts set status = 'disabled' where email = ${email}`,
    )
    expect((await redeem(ticket)).body.code).toBe('invalid_credentials')
    expect((await come(sub, { tenant })).error).toBe('access_denied')
  })

  test('does not outlive its minute', async () => {
    const { ticket } = await come(someone().sub)
    await world.platform.kernel.db.run(sql`
      update identity.one_time_challenges set expires_at = kernel.now()
      where purpose = 'oidc_ticket' and consumed_at is null`)
    expect((await redeem(ticket)).status).toBe(401)
  })

  test('comes back beside what the application gave along', async () => {
    const returned = await come(someone().sub, { more: { state: 'the app’s own & more' } })
    expect(returned.state).toBe('the app’s own & more')
    const browser = browse()
    const { body } = await begin(browser, { more: { redirect_uri: `${application}?from=oidc` } })
    const page = await logInThere(browser, body.authorization_url, someone().sub)
    expect(answered(page, 'from')).toBe('oidc')
    expect(answered(page, 'ticket')).not.toBeNull()
  })
})

describe('refusals before the redirect to the provider', () => {
  test.each([
    ['an unknown provider', { name: 'nobody' }, 404, 'oidc_provider_not_found'],
    [
      'a foreign address',
      { more: { redirect_uri: 'https://evil.test/' } },
      422,
      'redirect_uri_not_allowed',
    ],
    [
      'a longer address',
      { more: { redirect_uri: `${application}/more` } },
      422,
      'redirect_uri_not_allowed',
    ],
    ['an unknown tenant', { more: { tenant: 'no-such-tenant' } }, 404, 'tenant_not_found'],
  ])('%s', async (_, how, status, code) => {
    const { page, body } = await begin(browse(), how)
    expect([page.status, body.code]).toEqual([status, code])
  })

  test('the way there has PKCE, a nonce and a state, and its cookie is the callback’s alone', async () => {
    const { page, body } = await begin(browse(), {})
    expect(page.status).toBe(201)
    expect(body.expires_in).toBe(600)
    const { searchParams } = new URL(body.authorization_url)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${home}/v1/oidc/trusted/callback`,
      scope: 'openid email profile',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(searchParams.get(name)?.length).toBeGreaterThanOrEqual(43)
    }
    expect(page.headers.get('set-cookie')).toMatch(
      /^oidc_[0-9a-f]{16}=[\w-]{43}; Path=\/v1\/oidc\/trusted\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
  })
})

test('a provider that refuses the platform’s secret causes no login', async () => {
  expect((await come(someone().sub, { name: 'strange' })).error).toBe('provider_error')
})

test('no row holds what a browser or a mail would have to show', async () => {
  const browser = browse()
  const { page, body } = await begin(browser, {})
  const secret = /=([\w-]{43});/.exec(page.headers.get('set-cookie') ?? '')?.[1] ?? ''
  const { searchParams } = new URL(body.authorization_url)
  const { ticket } = await come(someone().sub)
  const rows = await world.platform.kernel.db.many(
    Type.Object({ row: Type.String() }),
    sql`select c::text as row from identity.one_time_challenges c`,
  )
  const all = rows.map(({ row }) => row).join('\n')
  for (const value of [secret, searchParams.get('state'), searchParams.get('nonce'), ticket]) {
    expect(value?.length).toBeGreaterThanOrEqual(43)
    expect(all).not.toContain(value)
  }
})
