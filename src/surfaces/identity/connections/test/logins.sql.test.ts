/**
 * Logins at the connection of a tenant: it speaks for the tenant's own people in the tenant's own
 * domains, gives the roles that its editor may give, and is mistaken for no other provider.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import type { Answer } from '../../../../../test/world.ts'
import { default_tenant_id } from '../../schemas.ts'
import { openSignInWorld, type Who } from '../../test/sign-in-world.ts'

const world = await openSignInWorld()
const { browse, call, come, connect, redeem } = world
const { db } = world.platform.kernel
afterAll(() => world.close())

const newDomain = () => `d${newId().slice(-12)}.test`
const me = async (token: string) => (await call('GET', '/v1/me', { token })).body

const with_jit = { jit: true }

/** A tenant with a domain and a connection to the provider that the sandbox plays. */
async function organization(more: object = with_jit, preset: 'google' | 'github' = 'google') {
  const admin = await world.admin()
  const domain = newDomain()
  await world.own(admin.tenant, domain)
  return { admin, domain, tenant: admin.tenant, id: await connect(admin, preset, more) }
}

/** The reply of the login, or the error with which the browser comes back. */
async function logIn(id: string, who: Who): Promise<Pick<Answer, 'status' | 'body'>> {
  const { ticket, error } = await come(id, who)
  return error === null ? await redeem(ticket) : { status: 303, body: { code: error } }
}

describe('an address in a domain of the tenant', () => {
  test('makes an account that is at home there, and comes back to it', async () => {
    const { domain, tenant, id } = await organization()
    const who = { email: `ann@${domain}`, name: 'Ann' }
    const first = await logIn(id, who)
    expect(first.status).toBe(201)
    const mine = await me(first.body.access_token)
    expect(mine).toMatchObject({ email: who.email, tenant_id: tenant.id, display_name: 'Ann' })
    expect(mine.verified_at).not.toBeNull()
    expect((await logIn(id, who)).body.account_id).toBe(mine.id)
    const { token } = { token: first.body.access_token }
    const { body } = await call('GET', '/v1/me/external-identities', { token })
    expect(body.data).toMatchObject([
      { provider: id, issuer: `connection:${id}`, connection_name: 'Google' },
    ])
  })

  test('makes none without `jit`, but leads to an account that is there', async () => {
    const { domain, tenant, id } = await organization({})
    const email = `bob@${domain}`
    expect((await logIn(id, { email })).body.code).toBe('account_link_required')
    const member = await world.member(tenant)
    await db.run(sql`
      update identity.accounts set email = ${email}, email_normalized = ${email}
      where id = ${member.id}`)
    const linked = await logIn(id, { email })
    expect(linked.body.account_id).toBe(member.id)
    // Nobody had proven the mailbox: who had registered with it is out.
    expect((await call('GET', '/v1/me', { token: member.token })).status).toBe(401)
  })

  test('leads an invited person in', async () => {
    const { admin, domain, id } = await organization({})
    const email = `new@${domain}`
    const { token } = admin
    const invited = await call('POST', '/v1/invitations', { token, body: { email } })
    expect((await logIn(id, { email })).body.account_id).toBe(invited.body.id)
  })

  test('is not believed, if the provider has not verified it', async () => {
    const { domain, id } = await organization()
    const refused = await logIn(id, { email: `eve@${domain}`, verified: false })
    expect(refused.body.code).toBe('address_proof_required')
  })

  test('is believed of a provider that says nothing about it, if the connection trusts it', async () => {
    const own = { fields: { subject: 'id', email: 'email', name: 'global_name' } }
    const plain = { ...world.played('discord', own), preset: undefined, kind: 'oauth2', jit: true }
    const admin = await world.admin()
    const domain = newDomain()
    await world.own(admin.tenant, domain)
    for (const trust_email of [false, true]) {
      const body = { ...plain, trust_email }
      const made = await call('POST', '/v1/connections', { token: admin.token, body })
      const login = await logIn(made.body.id, { email: `a@${domain}`, verified: false })
      expect([login.status, login.body.code]).toEqual(
        trust_email ? [201, undefined] : [401, 'address_proof_required'],
      )
      const elsewhere = await logIn(made.body.id, { email: `a@${newDomain()}`, verified: false })
      expect(elsewhere.body.code).toBe('address_proof_required')
    }
  })
})

describe('an address elsewhere', () => {
  test('of another tenant, of a domain below or above, or of a lost one needs a proof', async () => {
    const { domain, tenant, id } = await organization()
    const other = await organization()
    const member = await world.member(other.tenant)
    const lost = newDomain()
    await world.own(tenant, lost)
    await db.run(sql`
      update identity.organization_domains set state = 'lost' where domain = ${lost}`)
    const foreign = [
      `victim@${other.domain}`,
      member.email,
      `x@sub.${domain}`,
      `x@${domain.split('.')[1]}.test`,
      `x@${lost}`,
      `x@${domain}@evil.test`,
    ]
    for (const email of foreign) {
      const { status, body } = await logIn(id, { email })
      expect([email, status]).toEqual([email, body.code === 'account_link_required' ? 303 : 401])
      expect(['address_proof_required', 'account_link_required']).toContain(body.code)
    }
  })

  test('is answered alike, whether or not an account has it', async () => {
    const { tenant, id } = await organization()
    const member = await world.member(tenant)
    const known = await come(id, { email: member.email })
    const unknown = await come(id, { email: `${newId()}@example.test` })
    for (const { ticket } of [known, unknown]) {
      for (let times = 0; times < 2; times++) {
        const refused = await redeem(ticket)
        expect([refused.status, refused.body.code]).toEqual([401, 'address_proof_required'])
      }
    }
    const browser = browse()
    const page = await browser.open(`http://dodeca.test/account/login?tenant=${tenant.slug}`)
    expect(page.text).toContain(`provider=${id}`)
  })
})

describe('a person who is an operator', () => {
  test('does not come in by what the administrator of a tenant has connected', async () => {
    const { domain, tenant, id } = await organization()
    const email = `op@${domain}`
    const first = await logIn(id, { email })
    const operator = { id: first.body.account_id, tenant } as never
    await world.give(operator, 'platform_operator')
    expect((await logIn(id, { email })).body.code).toBe('account_link_required')
    const again = await logIn(id, { email, subject: newId() })
    expect(again.body.code).toBe('account_link_required')
  })
})

describe('a person of another tenant', () => {
  test('links nothing to it, and does not come in by it', async () => {
    const { id } = await organization()
    const stranger = await world.member()
    const body = { redirect_uri: 'http://localhost:4999/login', purpose: 'link' }
    const begun = await call('POST', `/v1/oidc/${id}/authorizations`, {
      token: stranger.token,
      body,
    })
    expect(begun.body.code).toBe('oidc_provider_not_found')
  })
})

describe('a provider is not mistaken for another', () => {
  test('a way back of one is refused at the other, as its code is', async () => {
    const { admin, domain, id } = await organization()
    const other = await connect(admin, 'google', { jit: true })
    const browser = browse()
    const { url } = await world.away(browser, id, { email: `a@${domain}` })
    const swapped = await browser.open(url.replace(id, other))
    expect([swapped.status, JSON.parse(swapped.text).code]).toEqual([422, 'oidc_state_invalid'])
    const theirs = await world.away(browser, other, { email: `b@${domain}` })
    const injected = new URL(theirs.url)
    injected.searchParams.set('code', new URL(url).searchParams.get('code') ?? '')
    expect((await browser.follow(injected.href)).url).toContain('error=provider_error')
  })

  test('a response that names another issuer is refused', async () => {
    const { domain, id } = await organization(
      { jit: true, issuer: 'https://github.test' },
      'github',
    )
    const browser = browse()
    const { url } = await world.away(browser, id, { email: `a@${domain}` })
    expect((await browser.follow(`${url}&iss=https://evil.test`)).url).toContain('provider_error')
    const second = await world.away(browser, id, { email: `a@${domain}` })
    const fine = await browser.follow(`${second.url}&iss=https://github.test`)
    expect(fine.url).toContain('ticket=')
  })

  test('one subject at two connections is two people', async () => {
    const { admin, domain, id } = await organization()
    const other = await connect(admin, 'google', { jit: true })
    const subject = newId()
    const first = await logIn(id, { email: `one@${domain}`, subject })
    const second = await logIn(other, { email: `two@${domain}`, subject })
    expect(second.body.account_id).not.toBe(first.body.account_id)
  })

  test('a provider of the operators asserts no account of the connection', async () => {
    const { domain, tenant, id } = await organization()
    const subject = newId()
    const first = await logIn(id, { email: `one@${domain}`, subject })
    const { ticket } = await come(
      'google',
      { email: `${newId()}@example.test`, subject },
      { tenant: tenant.slug },
    )
    expect((await redeem(ticket)).body.account_id).not.toBe(first.body.account_id)
  })
})

describe('roles and second factors', () => {
  const groups = { claim: 'groups', value: 'staff', role_id: 'auditor' }
  const rolesOf = async (token: string) => (await me(token)).roles
  const staff = { claims: { groups: ['all', 'staff'] } }

  test('a claim gives its role, and the person keeps it', async () => {
    const { domain, id } = await organization({ jit: true, role_map: [groups] })
    const email = `a@${domain}`
    const plain = await logIn(id, { email, claims: { groups: ['all', 'staffs'] } })
    expect(await rolesOf(plain.body.access_token)).toEqual([])
    const login = await logIn(id, { email, ...staff })
    expect(await rolesOf(login.body.access_token)).toEqual(['auditor'])
    expect(await rolesOf((await logIn(id, { email })).body.access_token)).toEqual(['auditor'])
  })

  test('gives nothing once its editor may not, or was disabled', async () => {
    for (const act of ['demote', 'disable']) {
      const { admin, domain, id } = await organization({ jit: true, role_map: [groups] })
      await db.run(
        act === 'demote'
          ? sql`delete from identity.role_assignments where account_id = ${admin.id}`
          : sql`update identity.accounts set status = 'disabled' where id = ${admin.id}`,
      )
      const login = await logIn(id, { email: `a@${domain}`, ...staff })
      expect(await rolesOf(login.body.access_token)).toEqual([])
    }
  })

  test('gives nothing that was taken out of the map since', async () => {
    const { admin, domain, id } = await organization({ jit: true, role_map: [groups] })
    const { ticket } = await come(id, { email: `a@${domain}`, ...staff })
    const { token } = admin
    await call('PATCH', `/v1/connections/${id}`, { token, body: { role_map: [] } })
    const login = await redeem(ticket)
    expect(await rolesOf(login.body.access_token)).toEqual([])
  })

  test('gives no role of the platform, even if an operator edits it', async () => {
    const { admin, domain, id } = await organization()
    await db.run(sql`
      update identity.connections
      set role_map = '[{"claim": "groups", "value": "staff", "role_id": "platform_operator"}]'
      where id = ${id}`)
    await world.give(admin, 'platform_operator')
    const login = await logIn(id, { email: `a@${domain}`, ...staff })
    expect(await rolesOf(login.body.access_token)).toEqual([])
  })

  test('a second factor of the provider counts, if the connection says how it is named', async () => {
    const { domain, id } = await organization({ jit: true, mfa_values: ['mfa'] })
    const weak = await logIn(id, { email: `a@${domain}`, claims: { amr: ['pwd'] } })
    expect(weak.body.aal).toBe('aal1')
    const strong = await logIn(id, { email: `a@${domain}`, claims: { amr: ['pwd', 'mfa'] } })
    expect(strong.body.aal).toBe('aal2')
    expect((await me(strong.body.access_token)).session.amr).toEqual(['oidc', 'mfa'])
    const silent = await organization()
    const email = `a@${silent.domain}`
    const login = await logIn(silent.id, { email, claims: { amr: ['mfa'] } })
    expect(login.body.aal).toBe('aal1')
  })
})

test('a connection of `default` is trusted as the operators say', async () => {
  const tenant = { id: default_tenant_id, slug: 'default' }
  const admin = await world.admin(tenant)
  await world.give(admin, 'platform_operator')
  const member = await world.member(tenant)
  await db.run(sql`
    update identity.accounts set verified_at = kernel.now() where id = ${member.id}`)
  const trusted = await connect(admin, 'discord', { trust_email: true })
  const plain = await connect(admin, 'discord')
  expect((await logIn(plain, { email: member.email })).body.code).toBe('account_link_required')
  expect((await logIn(trusted, { email: member.email })).body.account_id).toBe(member.id)
  for (const id of [trusted, plain]) {
    await call('DELETE', `/v1/connections/${id}`, { token: admin.token })
  }
})
