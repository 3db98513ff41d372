/**
 * Passkeys: one logs in alone and with two factors, its challenge logs in once, and nothing else that
 * looks like one gets a session.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { nil_id, sql } from '#dodeca/kernel'
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import type { Answer } from '../../../../test/world.ts'
import { announced } from './announced.ts'
import { makeAuthenticator, type Authenticator, type Bent } from './authenticator.ts'
import {
  activate,
  claimsOf,
  halfway,
  keyed,
  moveClock,
  openMfaWorld,
  origin,
  securityActions,
  statuses,
  verify,
} from './second-factor.ts'

const world = await openMfaWorld()
const strict = await openProductWorld({
  IDENTITY_LOGIN_CODES: 'false',
  IDENTITY_RP_ID: 'dodeca.test',
  IDENTITY_PASSKEY_ORIGINS: 'https://app.dodeca.test',
})
afterAll(() => Promise.all([world.close(), strict.close()]))

type Holding = { readonly member: Member; readonly method_id: string; readonly key: Authenticator }

async function enrol(token: string, at = world): Promise<Answer> {
  const body = { type: 'passkey', label: 'My laptop' }
  return await at.call('POST', '/v1/mfa/methods', { token, body })
}

async function withPasskey(at: ProductWorld = world, from = origin): Promise<Holding> {
  const member = await at.member()
  const enrolled = await enrol(member.token, at)
  expect(enrolled.status).toBe(201)
  const key = makeAuthenticator(from)
  const attestation = key.create(enrolled.body.public_key)
  const activated = await activate(at, member.token, enrolled.body.id, { attestation })
  expect(activated.status).toBe(200)
  return { member, method_id: enrolled.body.id, key }
}

async function options(at = world) {
  const { status, body } = await at.call('POST', '/v1/passkey-options')
  expect([status, body.expires_in]).toEqual([200, 300])
  return body.public_key
}

const enter = (passkey: object, more: object = {}, at = world) =>
  at.call('POST', '/v1/sessions', { body: { passkey, ...more } })

async function expectRefused(answer: Promise<Answer>) {
  const { status, body } = await answer
  expect([status, body.code]).toEqual([401, 'invalid_credentials'])
}

test('a passkey logs in alone, with two factors, to the account that it names', async () => {
  const { member, method_id, key } = await withPasskey()
  const asked = await options()
  expect(asked).toMatchObject({
    rpId: 'dodeca.test',
    userVerification: 'required',
  })
  const { status, body } = await enter(key.get(asked), { tenant: member.tenant.slug })
  expect([status, body.account_id, body.aal]).toEqual([201, member.id, 'aal2'])
  expect(claimsOf(body.access_token)).toMatchObject({ aal: 'aal2', amr: ['hwk', 'mfa'] })
  const token = body.access_token
  const { data } = (await world.call('GET', '/v1/mfa/methods', { token })).body
  expect(data).toMatchObject([{ id: method_id, type: 'passkey', label: 'My laptop' }])
  expect(data[0].last_used_at).not.toBeNull()
  const removed = await world.call('DELETE', `/v1/mfa/methods/${method_id}`, { token })
  expect(removed.status).toBe(204)
  await expectRefused(enter(key.get(await options())))
  const about = { account_id: member.id, method_id, type: 'passkey' }
  expect(await announced(world, 'mfa_method.activated', method_id)).toEqual([about])
  expect(await announced(world, 'mfa_method.removed', method_id)).toEqual([about])
  const templates = (await world.mails(member.email)).map(({ template }) => template)
  expect(templates).toEqual(['verify_address', 'passkey_added', 'passkey_removed'])
  const actions = await securityActions(world, member)
  expect(actions.filter(one => one.startsWith('mfa_method') || one === 'login.failed')).toEqual([
    'mfa_method.activated',
    'mfa_method.removed',
  ])
})

test('it is made so that the authenticator keeps it and verifies the person', async () => {
  const member = await world.member()
  const { body } = await enrol(member.token)
  expect(body).toMatchObject({
    type: 'passkey',
    public_key: {
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    },
  })
  const unverified = makeAuthenticator(origin).create(body.public_key, { verified: false })
  const refused = await activate(world, member.token, body.id, { attestation: unverified })
  expect(refused.body.code).toBe('mfa_verification_failed')
})

test('it is a second factor after a password', async () => {
  const { member, key } = await withPasskey()
  const { id, login_token, challenge } = await halfway(world, member)
  expect(challenge.type).toBe('passkey')
  const done = await verify(world, id, login_token, { assertion: key.get(challenge.public_key) })
  expect(done.status).toBe(201)
})

describe('no session begins', () => {
  const bents: [string, Bent][] = [
    ['at another origin', { origin: 'http://dodeca.test.evil.example' }],
    ['for another relying party', { rp_id: 'evil.example' }],
    ['without the person verified', { verified: false }],
    [
      'with the handle of another account',
      { user_handle: Buffer.alloc(16, 1).toString('base64url') },
    ],
    ['with a challenge of anybody else', { challenge: Buffer.alloc(38, 1).toString('base64url') }],
  ]
  test.for(bents)('%s', async ([, bent]) => {
    const { key, member } = await withPasskey()
    await expectRefused(enter(key.get(await options(), bent)))
    expect((await securityActions(world, member)).at(-1)).toBe('login.failed')
    expect((await enter(key.get(await options()))).status).toBe(201)
  })

  test('without a handle', async () => {
    const { key } = await withPasskey()
    const asked = await options()
    await expectRefused(enter(key.get({ ...asked, allowCredentials: [{}] })))
  })

  test('with a key that is only a second factor', async () => {
    const { member, key } = await keyed(world)
    const user_handle = Buffer.from(member.id.replaceAll('-', ''), 'hex').toString('base64url')
    await expectRefused(enter(key.get(await options(), { verified: true, user_handle })))
  })

  test('with the challenge of a second factor', async () => {
    const { member, key } = await withPasskey()
    const { challenge } = await halfway(world, member)
    await expectRefused(enter(key.get({ ...(await options()), ...challenge.public_key })))
    const named = { ...(await options()), challenge: challenge.public_key.challenge }
    await expectRefused(enter(key.get(named)))
  })

  test('with the answer to an older challenge', async () => {
    const { key } = await withPasskey()
    const asked = await options()
    await moveClock(world, 301)
    await expectRefused(enter(key.get(asked)))
  })

  test('in a tenant of which the account is no member', async () => {
    const { key, member } = await withPasskey()
    const other = await world.tenant()
    await expectRefused(enter(key.get(await options()), { tenant: other.slug }))
    await world.give({ ...member, tenant: other }, 'support_viewer')
    expect((await enter(key.get(await options()), { tenant: other.slug })).status).toBe(201)
  })

  test.each(['disabled', 'erased'])('to an account that is %s', async how => {
    const { key, member } = await withPasskey()
    const { body } = await enter(key.get(await options()))
    if (how === 'erased') {
      const path = `/v1/accounts/${member.id}`
      await world.call('DELETE', path, { token: body.access_token })
    } else {
      await world.platform.kernel.db.run(sql`
        update identity.accounts set status = 'disabled' where id = ${member.id}`)
    }
    await expectRefused(enter(key.get(await options())))
  })
})

test('of 20 log-ins with one answer at once one gets a session, and later none', async () => {
  const { key, member } = await withPasskey()
  const answer = key.get(await options())
  const all = await Promise.all(Array.from({ length: 20 }, () => enter(answer)))
  expect(statuses(all)).toEqual([201, ...Array.from({ length: 19 }, () => 401)])
  await expectRefused(enter(answer))
  const rows = await world.platform.kernel.db.many(
    Type.Object({ id: Type.String() }),
    sql`select id from identity.sessions where account_id = ${member.id} and aal = 'aal2'`,
  )
  expect(rows).toHaveLength(1)
})

test('a challenge that logged in one person logs in no other', async () => {
  const [one, other] = [await withPasskey(), await withPasskey()]
  const asked = await options()
  expect((await enter(one.key.get(asked))).status).toBe(201)
  await expectRefused(enter(other.key.get(asked)))
})

test('a stolen session that is not recent adds no passkey', async () => {
  const member = await world.member()
  await moveClock(world, 601)
  const refused = await enrol(member.token)
  expect([refused.status, refused.body.code]).toEqual([403, 'step_up_required'])
  const { body } = await world.login(member)
  expect((await enrol(body.access_token)).status).toBe(201)
})

test('where no codes are mailed, the last passkey of an account without a password stays', async () => {
  const { key, member, method_id } = await withPasskey(strict, 'https://app.dodeca.test')
  const enterHere = async () => await enter(key.get(await options(strict)), {}, strict)
  const token = (await enterHere()).body.access_token
  const remove = () => strict.call('DELETE', `/v1/mfa/methods/${method_id}`, { token })
  const { db } = strict.platform.kernel
  const kept = await db.many(
    Type.Object({ password_hash: Type.Unsafe<Buffer>(Type.Any()) }),
    sql`delete from identity.credentials where account_id = ${member.id} returning password_hash`,
  )
  const last = await remove()
  expect([last.status, last.body.code]).toEqual([409, 'last_credential'])
  expect((await enterHere()).status).toBe(201)
  await db.run(sql`
    insert into identity.credentials (tenant_id, account_id, password_hash)
    values (${member.tenant.id}, ${member.id}, ${kept[0]?.password_hash ?? null})`)
  expect((await remove()).status).toBe(204)
})

test('the ways to log in depend on the tenant, not on the address', async () => {
  const { member } = await withPasskey(strict)
  const ask = (body: object, at = strict) => at.call('POST', '/v1/login-options', { body })
  const known = await ask({ email: member.email, tenant: member.tenant.slug })
  const unknown = await ask({ email: 'nobody@example.test', tenant: member.tenant.slug })
  expect(known.body).toMatchObject({ methods: ['password', 'passkey'], sso: null })
  expect([unknown.status, unknown.body]).toEqual([200, known.body])
  expect((await ask({}, world)).body.methods).toEqual(['password', 'passkey', 'code'])
  expect((await ask({ tenant: `t-${nil_id.slice(-12)}` })).body.code).toBe('tenant_not_found')
})
