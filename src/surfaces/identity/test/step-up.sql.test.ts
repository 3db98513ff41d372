/**
 * Step-up: dangerous acts require a recent authentication, and a second factor from accounts that
 * have one.
 */
import { afterAll, expect, test } from 'vitest'
import {
  activate,
  claimsOf,
  enrolKey,
  enrolTotp,
  guarded,
  keyed,
  moveClock,
  nextCode,
  openMfaWorld,
  securityActions,
  stepUp,
  strongToken,
  verify,
} from './second-factor.ts'

const world = await openMfaWorld()
afterAll(() => world.close())

test('a session grows stronger where it is, and stays so over a refresh', async () => {
  const who = await guarded(world)
  const { member } = who
  expect(claimsOf(member.token)).toMatchObject({ aal: 'aal1' })
  const stronger = await stepUp(world, who, member.token)
  expect(stronger.status).toBe(200)
  expect(stronger.body).toMatchObject({ aal: 'aal2', expires_in: 3600 })
  const claims = claimsOf(stronger.body.access_token)
  expect(claims).toMatchObject({ sid: member.session_id, aal: 'aal2', amr: ['pwd', 'otp'] })
  const me = await world.call('GET', '/v1/me', { token: stronger.body.access_token })
  expect(me.body.session).toMatchObject({ id: member.session_id, aal: 'aal2' })
  // The account has the same version, but not the same session.
  const tag = (await world.call('GET', '/v1/me', { token: member.token })).headers.get('etag') ?? ''
  const seen = await world.call('GET', '/v1/me', {
    token: stronger.body.access_token,
    headers: { 'if-none-match': tag },
  })
  expect([seen.status, seen.body.session.aal]).toEqual([200, 'aal2'])
  const named = await world.call('PATCH', '/v1/me', {
    token: stronger.body.access_token,
    headers: { 'if-match': tag },
    body: { display_name: 'Ada' },
  })
  expect([named.status, named.headers.get('etag') === tag]).toEqual([200, false])
  const refreshed = await world.call('POST', `/v1/sessions/${member.session_id}/refresh`, {
    body: { refresh_token: member.refresh_token },
  })
  expect(claimsOf(refreshed.body.access_token)).toMatchObject({
    aal: 'aal2',
    auth_time: claims['auth_time'],
  })
  expect(await securityActions(world, member)).toContain('session.stepped_up')
})

test('a browser that was left open cannot swap the factor', async () => {
  const who = await guarded(world)
  const { token } = who.member
  const pending = await world.member(who.member.tenant)
  const tries = [
    world.call('POST', '/v1/mfa/methods', { token, body: { type: 'totp', label: 'Mine' } }),
    world.call('DELETE', `/v1/mfa/methods/${who.method_id}`, { token }),
    world.call('POST', '/v1/mfa/recovery-codes', { token }),
  ]
  for (const refused of await Promise.all(tries)) {
    expect(refused.status).toBe(403)
    expect(refused.body.code).toBe('step_up_required')
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", max_age=600',
    )
  }
  // A person without a factor begins with what the session has.
  expect((await enrolTotp(world, pending.token)).enrolled.status).toBe(201)
})

test('a factor that was begun before another became active needs step-up too', async () => {
  const member = await world.member()
  const planted = await enrolTotp(world, member.token)
  await guarded(world, member)
  const code = await nextCode(world, planted.app)
  const refused = await activate(world, member.token, planted.method_id, { code })
  expect(refused.body.code).toBe('step_up_required')
})

test('a strong session is strong for ten minutes', async () => {
  const who = await guarded(world)
  const token = await strongToken(world, who)
  const path = '/v1/mfa/recovery-codes'
  expect((await world.call('POST', path, { token })).status).toBe(201)
  await moveClock(world, 601)
  expect((await world.call('POST', path, { token })).body.code).toBe('step_up_required')
  const again = await stepUp(world, who, token)
  expect((await world.call('POST', path, { token: again.body.access_token })).status).toBe(201)
})

test('a challenge belongs to its session', async () => {
  const who = await guarded(world)
  const asked = await world.call('POST', '/v1/mfa/challenges', {
    token: who.member.token,
    body: { method_id: who.method_id, purpose: 'step_up' },
  })
  expect(asked.body).toMatchObject({ purpose: 'step_up', challenge_id: asked.body.id })
  const second = await otherSession(who)
  const code = await nextCode(world, who.app)
  const crossed = await verify(world, asked.body.id, second, { code })
  expect(crossed.body.code).toBe('mfa_challenge_invalid')
  expect((await verify(world, asked.body.id, who.member.token, { code })).status).toBe(200)
})

test('a key steps up as well, once per challenge', async () => {
  const { member, method_id, key } = await keyed(world)
  const asked = await world.call('POST', '/v1/mfa/challenges', {
    token: member.token,
    body: { method_id, purpose: 'step_up' },
  })
  const assertion = key.get(asked.body.public_key)
  const done = await verify(world, asked.body.id, member.token, { assertion })
  expect(claimsOf(done.body.access_token)).toMatchObject({ aal: 'aal2', amr: ['pwd', 'hwk'] })
  const again = await verify(world, asked.body.id, member.token, { assertion })
  expect(again.body.code).toBe('mfa_challenge_invalid')
  const another = await enrolKey(world, done.body.access_token)
  expect(another.body.public_key.excludeCredentials).toHaveLength(1)
})

test('a session that ended cannot step up', async () => {
  const who = await guarded(world)
  const asked = await world.call('POST', '/v1/mfa/challenges', {
    token: who.member.token,
    body: { method_id: who.method_id, purpose: 'step_up' },
  })
  const ended = await world.call('DELETE', `/v1/sessions/${who.member.session_id}`, {
    token: who.member.token,
  })
  expect(ended.status).toBe(204)
  const code = await nextCode(world, who.app)
  const refused = await verify(world, asked.body.id, who.member.token, { code })
  expect(refused.body.code).toBe('invalid_token')
})

test('cookies get the new access token alone', async () => {
  const who = await guarded(world)
  const asked = await world.call('POST', '/v1/mfa/challenges', {
    token: who.member.token,
    body: { method_id: who.method_id, purpose: 'step_up' },
  })
  const code = await nextCode(world, who.app)
  const body = { code, delivery: 'cookie' }
  const done = await verify(world, asked.body.id, who.member.token, body)
  expect(done.status).toBe(200)
  expect(done.body.access_token).toBeUndefined()
  const [cookie, ofPages, ...others] = done.headers.getSetCookie()
  expect(others).toEqual([])
  expect(cookie).toMatch(/^at=[^;]+; Path=\/v1;/)
  expect(ofPages).toMatch(/^account-at=[^;]+; Path=\/account;/)
})

/** One more session of the same account. */
async function otherSession(who: Awaited<ReturnType<typeof guarded>>): Promise<string> {
  const login = await world.login(who.member)
  const { id, login_token } = login.body
  const done = await verify(world, id, login_token, { recovery_code: who.recovery_codes[0] })
  expect(done.status).toBe(201)
  return done.body.access_token
}
