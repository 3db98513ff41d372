/**
 * Logging in at GitHub, Facebook, Discord, Apple and Google, as the sandbox plays them, and what
 * becomes of a login at a provider that fails or lies.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { home, openSignInWorld } from './sign-in-world.ts'

const world = await openSignInWorld()
const { browse, come, fault, redeem } = world
afterAll(() => world.close())

const all = ['apple', 'discord', 'facebook', 'github', 'google']
const trusted = all.filter(name => name !== 'facebook')
const oauth2 = ['discord', 'facebook', 'github']
const someone = () => ({ email: `${newId()}@example.test`, name: 'Ada Lovelace' })
const me = async (token: string) => (await world.call('GET', '/v1/me', { token })).body

async function lastReason(provider: string): Promise<unknown> {
  const { reason } = await world.platform.kernel.db.one(
    Type.Object({ reason: Type.String() }),
    sql`
      select safe_context ->> 'reason' as reason from identity.security_events
      where action = 'oidc.failed' and safe_context ->> 'method' = ${provider}
      order by id desc limit 1`,
  )
  return reason
}

describe('a new person', () => {
  test.each(trusted)('of %s gets a proven account and comes back to it', async name => {
    const tenant = await world.tenant()
    const who = someone()
    const first = await redeem((await come(name, who, { tenant: tenant.slug })).ticket)
    expect(first.status).toBe(201)
    const mine = await me(first.body.access_token)
    expect(mine).toMatchObject({ email: who.email, display_name: who.name, status: 'active' })
    expect(mine.verified_at).not.toBeNull()
    const again = await redeem((await come(name, who, { tenant: tenant.slug })).ticket)
    expect(again.body.account_id).toBe(first.body.account_id)
    const listed = await world.call('GET', '/v1/me/external-identities', {
      token: first.body.access_token,
    })
    expect(listed.body.data).toMatchObject([{ provider: name, connection_name: null }])
  })

  test('of Facebook gets an account whose address nobody has proven', async () => {
    const tenant = await world.tenant()
    const { ticket } = await come('facebook', someone(), { tenant: tenant.slug })
    const mine = await me((await redeem(ticket)).body.access_token)
    expect(mine.verified_at).toBeNull()
  })

  test.each(all)('of %s without an address gets none', async name => {
    const subject = name === 'github' ? '31337' : newId()
    expect((await come(name, { subject })).error).toBe('account_link_required')
  })

  test.each(['google', ...oauth2])('of %s who cancels comes back without one', async name => {
    const browser = browse()
    const begun = await browser.open(`${home}/account/provider?provider=${name}`)
    const there = begun.headers.get('location') ?? ''
    const page = await browser.follow(there, next => next.startsWith(home), {
      form: { refuse: 'yes' },
    })
    expect((await browser.follow(page.url)).text).toContain('did not lead to an account')
  })
})

test('Apple says the name once, beside the first code, and it changes nothing later', async () => {
  const tenant = (await world.tenant()).slug
  const who = someone()
  const first = await redeem((await come('apple', who, { tenant })).ticket)
  await redeem((await come('apple', { ...who, name: 'Mallory' }, { tenant })).ticket)
  expect((await me(first.body.access_token)).display_name).toBe(who.name)
})

describe('an address that an account has', () => {
  test.each(trusted)('leads %s to the account, if the mailbox is proven', async name => {
    const member = await world.member()
    await world.platform.kernel.db.run(
      sql`update identity.accounts set verified_at = kernel.now() where id = ${member.id}`,
    )
    const tenant = member.tenant.slug
    const { ticket } = await come(name, { email: member.email }, { tenant })
    expect((await redeem(ticket)).body.account_id).toBe(member.id)
  })

  test.each(all)('leads %s nowhere, if the provider has not verified it', async name => {
    const { email, tenant } = await world.member()
    const returned = await come(name, { email, verified: false }, { tenant: tenant.slug })
    expect(returned).toEqual({ ticket: null, error: 'account_link_required' })
  })

  test('leads Facebook nowhere, whatever it says', async () => {
    const { email, tenant } = await world.member()
    const claims = { email_verified: true, verified: true }
    const returned = await come('facebook', { email, claims }, { tenant: tenant.slug })
    expect(returned).toEqual({ ticket: null, error: 'account_link_required' })
  })
})

describe('a login fails', () => {
  test.each(all)('at %s whose token endpoint answers 500', async name => {
    await fault({ provider: name, mode: 'token_500' })
    expect((await come(name, someone())).error).toBe('provider_error')
  })

  test.each(all)('at %s that answers a megabyte', async name => {
    await fault({ provider: name, mode: 'oversize' })
    expect((await come(name, someone())).error).toBe('provider_unavailable')
    expect(await lastReason(name)).toBe('call_too_large')
  })

  test.each(['apple', 'google'])('at %s that signs for another issuer', async name => {
    await fault({ provider: name, mode: 'wrong_issuer' })
    expect((await come(name, someone())).error).toBe('provider_error')
    expect(await lastReason(name)).toBe('oauth_jwt_claim_comparison_failed')
  })

  test.concurrent.each(['github', 'google'])('at %s that says nothing', async name => {
    await fault({ provider: name, mode: 'silent' })
    expect((await come(name, someone())).error).toBe('provider_unavailable')
  })

  test.each(oauth2)('at %s with a code that was used', async name => {
    const browser = browse()
    const { url } = await world.away(browser, name, someone())
    const other = browse()
    const theirs = new URL((await world.away(other, name, someone())).url)
    const stolen = new URL(url).searchParams.get('code') ?? ''
    expect((await browser.follow(url)).url).toContain('ticket=')
    theirs.searchParams.set('code', stolen)
    expect((await other.follow(theirs.href)).url).toContain('error=provider_error')
  })

  test.each(['discord', 'github'])('at %s with the code of another login (PKCE)', async name => {
    const [mine, theirs] = [browse(), browse()]
    const [a, b] = [
      new URL((await world.away(mine, name, someone())).url),
      new URL((await world.away(theirs, name, someone())).url),
    ]
    a.searchParams.set('code', b.searchParams.get('code') ?? '')
    expect((await mine.follow(a.href)).url).toContain('error=provider_error')
  })

  test('at GitHub whose number was rounded', async () => {
    const claims = { id: Number.MAX_SAFE_INTEGER + 1 }
    const github = await world.connect(await world.admin(), 'github', {
      fields: { subject: 'big' },
    })
    const { error } = await come(github, { ...someone(), claims: { ...claims, big: 2 ** 60 } })
    expect(error).toBe('provider_error')
  })
})

test('a changed subject is another person, and does not get the account of the first', async () => {
  const tenant = (await world.tenant()).slug
  const who = someone()
  const first = await redeem((await come('discord', who, { tenant })).ticket)
  await fault({ provider: 'discord', mode: 'changed_subject', value: newId() })
  const second = await come('discord', { ...who, email: `${newId()}@example.test` }, { tenant })
  expect((await redeem(second.ticket)).body.account_id).not.toBe(first.body.account_id)
})

test('the way to each provider has a state, and PKCE where it checks that', async () => {
  for (const name of all) {
    const { body } = await world.call('POST', `/v1/oidc/${name}/authorizations`, {
      body: { redirect_uri: 'http://localhost:4999/login' },
    })
    const { searchParams } = new URL(body.authorization_url)
    expect(searchParams.get('state')?.length).toBeGreaterThanOrEqual(43)
    expect(searchParams.get('redirect_uri')).toBe(`${home}/v1/oidc/${name}/callback`)
    expect(searchParams.has('code_challenge')).toBe(name !== 'facebook')
  }
})

test('the log-in page offers them, in both languages', async () => {
  const browser = browse()
  const { text } = await browser.open(`${home}/account/login`)
  for (const title of ['Apple', 'Discord', 'Facebook', 'GitHub', 'Google']) {
    expect(text).toContain(`Continue with ${title}`)
  }
  expect((await browser.open(`${home}/account/login?lang=de`)).text).toContain('Weiter mit GitHub')
})
