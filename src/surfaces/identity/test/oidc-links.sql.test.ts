/** Adding an identity at a provider to one's account, taking it away, and accounts without a password. */
import { Secret, TOTP } from 'otpauth'
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import { openOidcWorld } from './oidc-world.ts'

// Otherwise a mailed code is a way to log in to each account with an address.
const world = await openOidcWorld({ IDENTITY_LOGIN_CODES: 'false' })
const { begin, browse, come, provider, redeem, someone } = world
afterAll(() => world.close())

describe('linking', () => {
  test('adds an identity to the account that began it, and to no other', async () => {
    const member = await world.member()
    const other = await world.member()
    const { sub } = someone()
    const more = { purpose: 'link' }
    const { ticket } = await come(sub, { token: member.token, more })
    expect((await redeem(ticket)).status).toBe(401)
    const link = (token: string) =>
      world.call('POST', '/v1/me/external-identities', { token, body: { oidc_ticket: ticket } })
    expect((await link(other.token)).body.code).toBe('oidc_ticket_invalid')
    const linked = await link(member.token)
    expect(linked.status).toBe(201)
    expect(linked.body).toMatchObject({
      provider: 'trusted',
      issuer: provider.issuer,
      subject: sub,
    })
    expect((await link(member.token)).body.code).toBe('oidc_ticket_invalid')
    const { ticket: login } = await come(sub, { tenant: member.tenant })
    expect((await redeem(login)).body.account_id).toBe(member.id)
    const second = await come(sub, { token: other.token, more })
    const taken = await world.call('POST', '/v1/me/external-identities', {
      token: other.token,
      body: { oidc_ticket: second.ticket },
    })
    expect([taken.status, taken.body.code]).toEqual([409, 'external_identity_taken'])
  })

  test('by address stores nothing in an account that is erased meanwhile', async () => {
    const member = await world.member()
    await world.prove(member)
    const { sub } = someone({ email: member.email })
    const { db } = world.platform.kernel
    let way: ReturnType<typeof come> | undefined
    await db.tx(async tx => {
      await tx.run(sql`
        update identity.accounts
        set status = 'deleted', email = null, email_normalized = ${`erased:${sub}`}
        where id = ${member.id}`)
      way = come(sub, { tenant: member.tenant })
      await eventually('the callback waits', async () => {
        const { count } = await db.one(
          Type.Object({ count: Type.Integer() }),
          sql`
            select count(*)::int as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return count > 0
      })
    })
    expect((await way)?.error).toBe('account_link_required')
    const { count } = await db.one(
      Type.Object({ count: Type.Integer() }),
      sql`
        select count(*)::int as count from identity.external_identities
        where account_id = ${member.id}`,
    )
    expect(count).toBe(0)
  })

  test('requires a logged-in account', async () => {
    const { page, body } = await begin(browse(), { more: { purpose: 'link' } })
    expect([page.status, body.code]).toEqual([401, 'authentication_required'])
  })

  test('takes no login’s ticket', async () => {
    const member = await world.member()
    const { ticket } = await come(someone().sub, { tenant: member.tenant })
    const answer = await world.call('POST', '/v1/me/external-identities', {
      token: member.token,
      body: { oidc_ticket: ticket },
    })
    expect([answer.status, answer.body.code]).toEqual([422, 'oidc_ticket_invalid'])
  })
})

test('a login by ticket still needs the second factor that the account has', async () => {
  const tenant = await world.tenant()
  const { sub } = someone()
  const first = await redeem((await come(sub, { tenant })).ticket)
  const token: string = first.body.access_token
  const method = await world.call('POST', '/v1/mfa/methods', {
    token,
    body: { type: 'totp', label: 'phone' },
  })
  const code = new TOTP({ secret: Secret.fromBase32(method.body.secret) }).generate()
  const path = `/v1/mfa/methods/${method.body.id}/activate`
  expect((await world.call('POST', path, { token, body: { code } })).status).toBe(200)
  const { ticket } = await come(sub, { tenant })
  const waiting = await redeem(ticket)
  expect([waiting.status, waiting.body.status]).toEqual([202, 'mfa_required'])
  expect(waiting.body.access_token).toBeUndefined()
  expect((await redeem(ticket)).status).toBe(401)
  const link = await begin(browse(), { token, more: { purpose: 'link' } })
  expect([link.page.status, link.body.code]).toEqual([403, 'step_up_required'])
})

describe('unlinking', () => {
  const mineOf = async (token: string) =>
    (await world.call('GET', '/v1/me/external-identities', { token })).body.data as { id: string }[]
  const unlink = (token: string, id: string | undefined) =>
    world.call('DELETE', `/v1/me/external-identities/${id}`, { token })

  test('leaves a way to log in, until there is a password', async () => {
    const tenant = await world.tenant()
    const { sub, email } = someone()
    const { body } = await redeem((await come(sub, { tenant })).ticket)
    const [one] = await mineOf(body.access_token)
    const last = await unlink(body.access_token, one?.id)
    expect([last.status, last.body.code]).toEqual([409, 'last_credential'])
    const guess = await world.login({ email, password: 'whatever it is', tenant })
    expect(guess.body.code).toBe('invalid_credentials')

    await world.call('POST', '/v1/password-reset-requests', {
      body: { email, tenant: tenant.slug },
    })
    const token = (await world.mails(email)).at(-1)?.token
    const password = 'another correct horse battery'
    const reset = await world.call('POST', '/v1/password-resets', {
      body: { token, new_password: password },
    })
    expect(reset.status).toBe(204)
    const login = await world.login({ email, password, tenant })
    expect(login.body.account_id).toBe(body.account_id)
    const { ticket } = await come(sub, { tenant })
    expect((await unlink(login.body.access_token, one?.id)).status).toBe(204)
    expect((await redeem(ticket)).status).toBe(401)
    expect(await mineOf(login.body.access_token)).toEqual([])
    expect((await unlink(login.body.access_token, one?.id)).status).toBe(204)
    expect(
      await world.platform.kernel.db.one(
        Type.Object({ subject: Type.Null() }),
        sql`select subject from identity.external_identities where id = ${one?.id ?? ''}`,
      ),
    ).toEqual({ subject: null })
    // The same identity may be linked again.
    const again = await come(sub, { token: login.body.access_token, more: { purpose: 'link' } })
    const linked = await world.call('POST', '/v1/me/external-identities', {
      token: login.body.access_token,
      body: { oidc_ticket: again.ticket },
    })
    expect([linked.status, linked.body.subject]).toEqual([201, sub])
  })

  test('of two at once leaves one', async () => {
    const tenant = await world.tenant()
    const { body } = await redeem((await come(someone().sub, { tenant })).ticket)
    const token: string = body.access_token
    const { ticket } = await come(someone().sub, { token, more: { purpose: 'link' } })
    await world.call('POST', '/v1/me/external-identities', { token, body: { oidc_ticket: ticket } })
    const ids = (await mineOf(token)).map(({ id }) => id)
    expect(ids).toHaveLength(2)
    const answers = await Promise.all(ids.map(id => unlink(token, id)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 409])
    expect(await mineOf(token)).toHaveLength(1)
  })

  test("of another account's identity finds none", async () => {
    const { body } = await redeem((await come(someone().sub)).ticket)
    const [one] = await mineOf(body.access_token)
    const other = await world.member()
    expect((await unlink(other.token, one?.id)).body.code).toBe('external_identity_not_found')
    expect(await mineOf(body.access_token)).toHaveLength(1)
  })
})
