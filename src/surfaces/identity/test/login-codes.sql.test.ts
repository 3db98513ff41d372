/**
 * Mailed login codes: the code with the id of its request proves the mailbox, once. A scanner of
 * mails, another browser and a guesser get nothing, and no reply shows whether there is an account.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import {
  openProductWorld,
  password,
  type Member,
  type ProductWorld,
  type Tenant,
} from '../../../../test/product-world.ts'
import type { Answer } from '../../../../test/world.ts'
import { ownDomain } from './organization-world.ts'
import { guarded, moveClock, nextCode, openMfaWorld, statuses, verify } from './second-factor.ts'
import { everyRow, givenAway } from './written.ts'

const world = await openMfaWorld()
const strict = await openProductWorld({
  IDENTITY_REQUIRE_VERIFIED_EMAIL: 'true',
  IDENTITY_EMAIL_SCOPE: 'global',
  KERNEL_RATE_FACTOR: '1',
})
const none = await openProductWorld({ IDENTITY_LOGIN_CODES: 'false' })
afterAll(() => Promise.all([world.close(), strict.close(), none.close()]))

type Who = { readonly email: string; readonly tenant: Pick<Tenant, 'slug'> }
type Asked = { readonly id: string; readonly code: string; readonly token: string }

const newEmail = () => `l-${newId()}@example.test`

const request = ({ email, tenant }: Who, more: object = {}, at = world) =>
  at.call('POST', '/v1/login-codes', { body: { email, tenant: tenant.slug, ...more } })

/** The id from the reply, the code and the token from the mail. */
async function mailed(who: Who, more: object = {}, at = world): Promise<Asked> {
  const asked = await request(who, more, at)
  expect([asked.status, asked.text]).toEqual([202, expect.any(String)])
  const mail = (await at.mails(who.email)).at(-1)
  expect(mail).toMatchObject({ template: 'login_code', code: expect.stringMatching(/^\d{8}$/) })
  return { id: asked.body.id, code: mail?.code ?? '', token: mail?.token ?? '' }
}

const enter = (login_code: object, more: object = {}, at = world) =>
  at.call('POST', '/v1/sessions', { body: { login_code, ...more } })

async function expectRefused(answer: Promise<Answer>) {
  const { status, body } = await answer
  expect([status, body.code]).toEqual([401, 'invalid_credentials'])
}

const wrongFor = (code: string) => (code === '00000000' ? '00000001' : '00000000')

async function proven(at = world): Promise<Member> {
  const member = await at.member()
  const token = (await at.mails(member.email)).at(-1)?.token
  const body = { token, password: member.password }
  expect((await at.call('POST', '/v1/email-verifications', { body })).status).toBe(201)
  return member
}

test('a code logs in once, and its request shows only its state', async () => {
  const member = await proven()
  const { id, code } = await mailed(member)
  const path = `/v1/login-codes/${id}`
  expect((await world.call('GET', path)).body).toMatchObject({ id, status: 'accepted' })
  const { status, body } = await enter({ id, code })
  expect([status, body.account_id, body.aal]).toEqual([201, member.id, 'aal1'])
  const me = await world.call('GET', '/v1/me', { token: body.access_token })
  expect(me.body.session.amr).toEqual(['mail'])
  expect(Object.keys((await world.call('GET', path)).body).sort()).toEqual(
    ['created_at', 'expires_at', 'id', 'status'].sort(),
  )
  expect((await world.call('GET', path)).body.status).toBe('completed')
  await expectRefused(enter({ id, code }))
})

test('the token of the link logs in too, with the id of its request alone', async () => {
  const member = await proven()
  const { id, token } = await mailed(member)
  const other = await mailed(member)
  await expectRefused(enter({ id: other.id, token }))
  await expectRefused(enter({ id, token }, { tenant: 'default' }))
  await expectRefused(enter({ id: newId(), token }))
  expect((await enter({ id, token })).body.account_id).toBe(member.id)
  await expectRefused(enter({ id, token }))
})

test('of 20 right codes at once one gets a session', async () => {
  const member = await proven()
  const { id, code } = await mailed(member)
  const all = await Promise.all(Array.from({ length: 20 }, () => enter({ id, code })))
  expect(statuses(all)).toEqual([201, ...Array.from({ length: 19 }, () => 401)])
})

test('of 20 right codes of a new address at once one makes the account', async () => {
  const who = { email: newEmail(), tenant: await world.tenant() }
  const { id, code } = await mailed(who)
  const all = await Promise.all(Array.from({ length: 20 }, () => enter({ id, code })))
  expect(statuses(all)).toEqual([201, ...Array.from({ length: 19 }, () => 401)])
})

test('the fifth guess may be right, a sixth is refused', async () => {
  const member = await proven()
  const [first, second] = [await mailed(member), await mailed(member)]
  const guess = ({ id, code }: Asked) => expectRefused(enter({ id, code: wrongFor(code) }))
  for (let n = 0; n < 4; n++) await guess(first)
  expect((await enter({ id: first.id, code: first.code })).status).toBe(201)
  await Promise.all(Array.from({ length: 20 }, () => guess(second)))
  await expectRefused(enter({ id: second.id, code: second.code }))
  await expectRefused(enter({ id: second.id, token: second.token }))
})

test('a code is valid for ten minutes', async () => {
  const { id, code } = await mailed(await proven())
  await moveClock(world, 601)
  await expectRefused(enter({ id, code }))
  const { body } = await world.call('GET', `/v1/login-codes/${id}`)
  expect(body.status).toBe('expired')
})

test('an account with a second factor gets its challenge', async () => {
  const who = await guarded(world, await proven())
  const { id, code } = await mailed(who.member)
  const { status, body } = await enter({ id, code })
  expect([status, body.status]).toEqual([202, 'mfa_required'])
  const answer = { code: await nextCode(world, who.app) }
  const done = await verify(world, body.id, body.login_token, answer)
  expect([done.status, done.body.aal]).toEqual([201, 'aal2'])
})

describe('the code proves the mailbox:', () => {
  test('a new address gets an account where the tenant is open, in the language of the page', async () => {
    const who = { email: `L-${newId()}@example.test`, tenant: await strict.tenant() }
    const normalized = who.email.toLowerCase()
    const asked = await request(who, { locale: 'de' }, strict)
    const mail = (await strict.mails(normalized)).at(-1)
    expect(mail?.subject).toBe('Ihr Code zum Anmelden')
    const { status, body } = await enter({ id: asked.body.id, code: mail?.code }, {}, strict)
    expect(status).toBe(201)
    const me = await strict.call('GET', '/v1/me', { token: body.access_token })
    expect(me.body).toMatchObject({
      email: who.email,
      email_normalized: normalized,
      locale: 'de',
      verified_at: expect.any(String),
    })
    await expectRefused(strict.login({ email: who.email, password, tenant: who.tenant }))
  })

  test('an account whose mailbox was never verified loses what another person set up', async () => {
    const squatter = await guarded(world)
    const { member } = squatter
    const { id, code } = await mailed(member)
    const { status, body } = await enter({ id, code })
    expect([status, body.account_id]).toEqual([201, member.id])
    expect((await world.login(member)).status).toBe(401)
    expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(401)
    const me = await world.call('GET', '/v1/me', { token: body.access_token })
    expect([me.body.mfa.enabled, me.body.verified_at]).toEqual([false, expect.any(String)])
  })

  test('an invited person accepts, also where the tenant is closed', async () => {
    const admin = await world.member()
    await world.give(admin, 'tenant_admin')
    await close(admin.tenant)
    const email = `c-${newId()}@${await ownDomain(world, admin)}`
    const who = { email, tenant: admin.tenant }
    const body = { email: who.email, role_ids: ['auditor'] }
    const invited = await world.call('POST', '/v1/invitations', { token: admin.token, body })
    expect(invited.status).toBe(201)
    const { id, code } = await mailed(who)
    const session = await enter({ id, code })
    expect(session.body.account_id).toBe(invited.body.id)
    const me = await world.call('GET', '/v1/me', { token: session.body.access_token })
    expect([me.body.status, me.body.roles]).toEqual(['active', ['auditor']])
  })
})

async function close({ slug }: Pick<Tenant, 'slug'>, at: ProductWorld = world): Promise<void> {
  await at.platform.kernel.db.run(sql`
    update identity.tenants set signup = 'invite' where slug = ${slug}`)
}

describe('no mail goes to', () => {
  async function expectNoMail(who: Who, at = world) {
    const before = (await at.mails(who.email)).length
    expect((await request(who, {}, at)).status).toBe(202)
    expect(await at.mails(who.email)).toHaveLength(before)
  }

  test('an unknown address where the tenant is closed', async () => {
    const tenant = await world.tenant()
    await close(tenant)
    await expectNoMail({ email: newEmail(), tenant })
  })

  test('a disabled account', async () => {
    const member = await proven()
    await world.platform.kernel.db.run(sql`
      update identity.accounts set status = 'disabled' where id = ${member.id}`)
    await expectNoMail(member)
  })

  test('an account of another tenant that is no member of the named one', async () => {
    const { email } = await registered()
    const tenant = await strict.tenant()
    await expectNoMail({ email, tenant }, strict)
  })
})

/** An account in a deployment where one address is one account. */
async function registered(): Promise<Who> {
  const who = { email: newEmail(), tenant: await strict.tenant() }
  const { id, code } = await mailed(who, {}, strict)
  expect((await enter({ id, code }, {}, strict)).status).toBe(201)
  return who
}

test.each(['disabled', 'closed'])('a code counts for nothing once its way is %s', async how => {
  const who = { email: newEmail(), tenant: await world.tenant() }
  const member = how === 'disabled' ? await proven() : undefined
  const { id, code } = await mailed(member ?? who)
  if (member) {
    await world.platform.kernel.db.run(sql`
      update identity.accounts set status = 'disabled' where id = ${member.id}`)
  } else await close(who.tenant)
  await expectRefused(enter({ id, code }))
})

test('a code is for the mailbox, whoever has the address by then', async () => {
  const member = await proven()
  const { id, code } = await mailed(member)
  await world.platform.kernel.db.run(sql`
    update identity.accounts set email = 'moved@example.test',
      email_normalized = ${`moved-${member.id}@example.test`} where id = ${member.id}`)
  const { status, body } = await enter({ id, code })
  expect(status).toBe(201)
  expect(body.account_id).not.toBe(member.id)
})

test('five mails go to an address in an hour, whoever has it', async () => {
  const fresh = { email: newEmail(), tenant: await strict.tenant() }
  for (const [who, used] of [[await registered(), 1] as const, [fresh, 0] as const]) {
    const answers: Answer[] = []
    for (let n = used; n < 6; n++) answers.push(await request(who, {}, strict))
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 - used }, () => 202),
      429,
    ])
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})

test('where codes are off, none is mailed and none counts', async () => {
  const member = await none.member()
  const refused = await request(member, {}, none)
  expect([refused.status, refused.body.code]).toEqual([403, 'login_codes_off'])
  await expectRefused(enter({ id: newId(), code: '12345678' }, {}, none))
})

test('a dump of the database holds neither the code nor the token', async () => {
  const { code, token } = await mailed(await proven())
  const rows = (await everyRow(world.database_url)).map(({ text }) => text)
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter(row => givenAway(row, [token]).length > 0)).toEqual([])
  const whole = new RegExp(`(^|[^0-9a-f])${code}([^0-9a-f]|$)`)
  expect(rows.filter(row => whole.test(row))).toEqual([])
})

test('an erased person leaves no code, used or open, and no mail of one', async () => {
  const who = { email: newEmail(), tenant: await world.tenant() }
  await mailed(who)
  const { id, code } = await mailed(who)
  const { access_token: token, account_id } = (await enter({ id, code })).body
  await mailed(who)
  const erased = await world.call('DELETE', `/v1/accounts/${account_id}`, { token })
  expect(erased.status).toBe(204)
  const rows = await everyRow(world.database_url)
  const left = rows.filter(({ text }) => text.includes(who.email))
  expect(left.map(({ table }) => table)).toEqual([])
  const Row = Type.Object({ n: Type.Integer() })
  const { n } = await world.platform.kernel.db.one(
    Row,
    sql`
      select count(*)::int as n from identity.one_time_challenges
      where details ->> 'email_normalized' = ${who.email}`,
  )
  expect(n).toBe(0)
})
