/** An administrator resets the second factors of a person: late, announced, and stopped by the owner. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import {
  guarded,
  halfway,
  moveClock,
  nextCode,
  openMfaWorld,
  securityActions,
  verify,
  type Guarded,
} from './second-factor.ts'

const world = await openMfaWorld()
afterAll(() => world.close())
const { db } = world.platform.kernel
const day = 86_400

let admin: Member
beforeAll(async () => {
  admin = await world.member()
  await world.give(admin, 'tenant_admin')
})

const path = (who: Guarded) => `/v1/accounts/${who.member.id}/factor-resets`
const lost = async () => await guarded(world, await world.member(admin.tenant))
const body = { reason: 'She lost her phone, known by her voice.' }

/** The administrator logs in again, because a reset requires a recent log-in. */
async function ask(who: Guarded, by: Member = admin) {
  const { access_token: token } = (await world.login(by)).body
  return await world.call('POST', path(who), { token, body })
}

async function states(who: Guarded): Promise<string[]> {
  const { access_token: token } = (await world.login(admin)).body
  const { data } = (await world.call('GET', path(who), { token })).body
  return data.map((one: { state: string }) => one.state)
}

const settled = (who: Guarded, state: string) =>
  eventually(`the reset is ${state}`, async () => (await states(who))[0] === state)

async function stopToken({ member }: Guarded): Promise<string> {
  const mails = await world.mails(member.email)
  const [mail] = mails.filter(one => one.template === 'factor_reset_requested').slice(-1)
  return mail?.token ?? ''
}

test('after a day the factors are gone, the sessions have ended, and the owner was told', async () => {
  const who = await lost()
  const asked = await ask(who)
  expect([asked.status, asked.body.state]).toEqual([202, 'waiting'])
  expect(asked.headers.get('location')).toBe(`/v1/factor-resets/${asked.body.id}`)
  const waits = Date.parse(asked.body.effective_at) - Date.parse(asked.body.created_at)
  expect(waits).toBe(day * 1000)
  // Nothing changes before.
  await halfway(world, who.member)
  await moveClock(world, day + 1)
  await settled(who, 'done')
  expect((await world.login(who.member)).status).toBe(201)
  const me = await world.call('GET', '/v1/me', { token: who.member.token })
  expect(me.status).toBe(401)
  const mails = await world.mails(who.member.email)
  expect(mails.map(one => one.template).slice(-1)).toEqual(['factor_removed'])
  expect(await securityActions(world, who.member)).toEqual(
    expect.arrayContaining(['mfa.reset_requested', 'mfa.reset_done']),
  )
})

test('the link of the mail stops it, once', async () => {
  const who = await lost()
  await ask(who)
  const token = await stopToken(who)
  const stop = () => world.call('POST', '/v1/factor-resets/stop', { body: { token } })
  expect((await stop()).status).toBe(204)
  expect((await stop()).body.code).toBe('one_time_token_invalid')
  await moveClock(world, day + 1)
  expect(await states(who)).toEqual(['stopped'])
  await halfway(world, who.member)
})

test('who logs in with a factor has stopped it', async () => {
  const who = await lost()
  await ask(who)
  const { id, login_token } = await halfway(world, who.member)
  const code = await nextCode(world, who.app)
  expect((await verify(world, id, login_token, { code })).status).toBe(201)
  expect(await states(who)).toEqual(['stopped'])
  const token = await stopToken(who)
  expect(token).toBe('')
})

test('a wrong code stops nothing', async () => {
  const who = await lost()
  await ask(who)
  const { id, login_token } = await halfway(world, who.member)
  await verify(world, id, login_token, { recovery_code: '00000-00000' })
  expect(await states(who)).toEqual(['waiting'])
})

test('an administrator withdraws it; one that has ended cannot be withdrawn', async () => {
  const who = await lost()
  const { id } = (await ask(who)).body
  const withdraw = async () => {
    const { access_token: token } = (await world.login(admin)).body
    return await world.call('DELETE', `/v1/factor-resets/${id}`, { token })
  }
  expect((await withdraw()).status).toBe(204)
  expect((await withdraw()).status).toBe(204)
  expect(await states(who)).toEqual(['withdrawn'])
  await ask(who)
  await moveClock(world, day + 1)
  await settled(who, 'done')
  const { access_token: token } = (await world.login(admin)).body
  const { data } = (await world.call('GET', path(who), { token })).body
  const late = await world.call('DELETE', `/v1/factor-resets/${data[0].id}`, { token })
  expect([late.status, late.body.code]).toEqual([409, 'invalid_transition'])
})

test('it lapses when who requested it lost the right meanwhile', async () => {
  const other = await world.member(admin.tenant)
  await world.give(other, 'tenant_admin')
  const who = await lost()
  expect((await ask(who, other)).status).toBe(202)
  await db.run(sql`
    delete from identity.role_assignments
    where tenant_id = ${other.tenant.id} and account_id = ${other.id}`)
  await moveClock(world, day + 1)
  await settled(who, 'lapsed')
  await halfway(world, who.member)
})

test('twenty requests at once make one reset', async () => {
  const who = await lost()
  const { access_token: token } = (await world.login(admin)).body
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => world.call('POST', path(who), { token, body })),
  )
  expect(answers.filter(one => one.status === 202)).toHaveLength(1)
  expect(new Set(answers.map(one => one.body.code))).toEqual(new Set([undefined, 'already_exists']))
})

test('it is refused without the right, without a factor, in another tenant, above one’s rank', async () => {
  const who = await lost()
  expect((await ask(who, who.member)).status).not.toBe(202)
  const plain = await world.member(admin.tenant)
  expect((await ask(who, plain)).body.code).toBe('permission_denied')
  const stranger = await world.member()
  await world.give(stranger, 'tenant_admin')
  expect((await ask(who, stranger)).body.code).toBe('account_not_found')
  const { access_token: token } = (await world.login(admin)).body
  const none = `/v1/accounts/${plain.id}/factor-resets`
  const without = await world.call('POST', none, { token, body })
  expect([without.status, without.body.code]).toEqual([409, 'invalid_transition'])
  await world.give(who.member, 'platform_operator')
  expect((await ask(who)).body.code).toBe('permission_denied')
})

test('an erased person keeps no reset', async () => {
  const who = await lost()
  await ask(who)
  const { access_token: token } = (await world.login(admin)).body
  expect((await world.call('DELETE', `/v1/accounts/${who.member.id}`, { token })).status).toBe(204)
  const left = await db.run(sql`
    update identity.factor_resets set reason = reason where account_id = ${who.member.id}`)
  expect(left).toBe(0)
})
