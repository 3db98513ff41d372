/**
 * A tenant's provider says any address. One outside the tenant's domains counts only together with the
 * code that is mailed to it, and then the person is let in to this tenant alone.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import type { Answer } from '../../../../../test/world.ts'
import type { Member } from '../../../../../test/product-world.ts'
import { announced } from '../../test/announced.ts'
import { home, openSignInWorld, type Who } from '../../test/sign-in-world.ts'

const world = await openSignInWorld({ IDENTITY_EMAIL_SCOPE: 'global' })
const { browse, call, come } = world
const { db } = world.platform.kernel
afterAll(() => world.close())

const newEmail = () => `p-${newId()}@example.test`

/** A closed tenant whose administrator connects a provider of its own, which says what it wants. */
async function organization({ jit = true, signup = 'invite' } = {}) {
  const admin = await world.admin()
  const { tenant } = admin
  await db.run(sql`update identity.tenants set signup = ${signup} where id = ${tenant.id}`)
  const own = { preset: undefined, kind: 'oidc', jit }
  const body = world.played('google', own)
  const made = await call('POST', '/v1/connections', { token: admin.token, body })
  expect(made.status, made.text).toBe(201)
  return { admin, tenant, id: made.body.id as string }
}

async function proven(): Promise<Member> {
  const member = await world.member({ id: '01900000-0000-7000-8000-000000000001', slug: 'default' })
  await db.run(sql`
    update identity.accounts set verified_at = kernel.now() where id = ${member.id}`)
  return member
}

async function mailed(email: string, more: object = {}) {
  const asked = await call('POST', '/v1/login-codes', { body: { email, ...more } })
  expect(asked.status, asked.text).toBe(202)
  const code = (await world.mails(email)).at(-1)?.code
  return { id: asked.body.id as string, code }
}

async function proofOf(id: string, who: Who): Promise<string | null> {
  const { ticket } = await come(id, who)
  const alone = await world.redeem(ticket)
  expect([alone.status, alone.body.code]).toEqual([401, 'address_proof_required'])
  return ticket
}

const join = (oidc_ticket: string | null, login_code: object): Promise<Answer> =>
  call('POST', '/v1/sessions', { body: { oidc_ticket, login_code } })

describe('the ticket and the code together', () => {
  test('let an account of another tenant in as a guest, and again without a code', async () => {
    const { tenant, id } = await organization()
    const member = await proven()
    const who = { email: member.email, subject: newId() }
    const login = await join(await proofOf(id, who), await mailed(member.email))
    expect(login.status, login.text).toBe(201)
    expect([login.body.account_id, login.body.tenant_id]).toEqual([member.id, tenant.id])
    const { access_token: token } = login.body
    const me = (await call('GET', '/v1/me', { token })).body
    expect(me).toMatchObject({ active_tenant_id: tenant.id, roles: ['member'] })
    expect(me.session).toMatchObject({ amr: ['oidc'], bound_tenant_id: tenant.id })
    expect(await announced(world, 'external_identity.linked', member.id)).toHaveLength(1)
    expect((await world.mails(member.email)).at(-1)?.template).toBe('identity_linked')
    // The organization runs the provider, so its session reaches nothing else of the person.
    for (const [method, path] of [
      ['GET', '/v1/me/export'],
      ['GET', '/v1/sessions'],
      ['DELETE', `/v1/accounts/${member.id}`],
    ] as const) {
      expect([path, (await call(method, path, { token })).status]).toEqual([path, 403])
    }
    const again = await world.redeem((await come(id, who)).ticket)
    expect([again.body.account_id, again.body.tenant_id]).toEqual([member.id, tenant.id])
    await db.run(sql`delete from identity.role_assignments
      where tenant_id = ${tenant.id} and account_id = ${member.id}`)
    expect((await come(id, who)).error).toBe('account_link_required')
  })

  test('make an account: at home in the tenant if that is open, otherwise a guest', async () => {
    const closed = await organization()
    const open = await organization({ signup: 'open' })
    const email = newEmail()
    const guest = await join(await proofOf(closed.id, { email }), await mailed(email))
    expect(guest.body.tenant_id).toBe(closed.tenant.id)
    const me = await call('GET', '/v1/me', { token: guest.body.access_token })
    expect(me.body).toMatchObject({ email, roles: ['member'] })
    expect(me.body.tenant_id).not.toBe(closed.tenant.id)
    const other = newEmail()
    const named = { tenant: open.tenant.slug }
    const native = await join(await proofOf(open.id, { email: other }), await mailed(other, named))
    const mine = await call('GET', '/v1/me', { token: native.body.access_token })
    expect(mine.body).toMatchObject({ email: other, tenant_id: open.tenant.id })
  })

  test('are one login, also twenty times at once', async () => {
    const { id } = await organization()
    const email = newEmail()
    const [ticket, code] = [await proofOf(id, { email }), await mailed(email)]
    const all = await Promise.all(Array.from({ length: 20 }, () => join(ticket, code)))
    expect(all.filter(one => one.status === 201)).toHaveLength(1)
    expect((await join(ticket, await mailed(email))).body.code).toBe('invalid_credentials')
  })
})

describe('is refused, and changes nothing', () => {
  const untouched = async (account_id: string) =>
    expect(await announced(world, 'external_identity.linked', account_id)).toEqual([])

  test('a code for another address, a wrong one, or none', async () => {
    const { id } = await organization()
    const victim = await proven()
    const mine = await proven()
    const ticket = await proofOf(id, { email: victim.email })
    const other = await join(ticket, await mailed(mine.email))
    const { id: request, code } = await mailed(victim.email)
    const wrong = await join(ticket, {
      id: request,
      code: code === '00000000' ? '1'.repeat(8) : '00000000',
    })
    for (const { status, body } of [other, wrong]) {
      expect([status, body.code]).toEqual([401, 'invalid_credentials'])
    }
    await untouched(victim.id)
    await untouched(mine.id)
  })

  test('a stranger where the connection lets in no new people, and an operator', async () => {
    const { id } = await organization({ jit: false })
    const member = await proven()
    const ticket = await proofOf(id, { email: member.email })
    const refused = await join(ticket, await mailed(member.email))
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
    await untouched(member.id)
    const operator = await proven()
    await world.give(operator, 'platform_operator')
    const theirs = await organization()
    const held = await proofOf(theirs.id, { email: operator.email })
    expect((await join(held, await mailed(operator.email))).body.code).toBe('permission_denied')
    await untouched(operator.id)
  })

  test('a ticket of before the connection was changed or disabled', async () => {
    for (const change of [{ name: 'Other' }, { state: 'disabled' }]) {
      const { admin, id } = await organization()
      const email = newEmail()
      const ticket = await proofOf(id, { email })
      const { token } = admin
      const changed = await call('PATCH', `/v1/connections/${id}`, { token, body: change })
      expect(changed.status, changed.text).toBe(200)
      expect((await join(ticket, await mailed(email))).body.code).toBe('invalid_credentials')
    }
  })

  test('a person at home elsewhere with an address in a proven domain, without a code', async () => {
    const { tenant, id } = await organization()
    const domain = `d${newId().slice(-12)}.test`
    await world.own(tenant, domain)
    const member = await proven()
    const email = `ann@${domain}`
    await db.run(sql`
      update identity.accounts set email = ${email}, email_normalized = ${email}
      where id = ${member.id}`)
    const ticket = await proofOf(id, { email })
    await untouched(member.id)
    expect((await join(ticket, await mailed(email))).body.account_id).toBe(member.id)
  })
})

test('the account pages mail the code and go on', async () => {
  const { tenant, id } = await organization()
  const email = newEmail()
  const browser = browse()
  const login = await browser.open(`${home}/account/login?tenant=${tenant.slug}&next=%2Fdocs%2Fx`)
  expect(login.text).toContain(`provider=${id}`)
  const asked = await world.atProvider(
    browser,
    `${home}/account/provider?provider=${id}&next=%2Fdocs%2Fx`,
    { email },
  )
  const page = await browser.follow(asked.url)
  expect([page.status, page.url]).toEqual([200, `${home}/account/code`])
  expect(page.text).toContain('has not proven that it owns the domain')
  const code = (await world.mails(email)).at(-1)?.code ?? ''
  const headers = { 'sec-fetch-site': 'same-origin' }
  const thief = await browse().open(`${home}/account/code`, { form: { code }, headers })
  expect(thief.headers.get('location')).toBeNull()
  const entered = await browser.open(`${home}/account/code`, { form: { code }, headers })
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/docs/x'])
  const here = await browser.open(`${home}/account/`)
  expect(here.headers.get('location')).toContain('done=narrow')
})
