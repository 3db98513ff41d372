/** Challenges: five attempts, five minutes, one session; and a login token that opens nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import type { ProductWorld } from '../../../../test/product-world.ts'
import { sql } from '#dodeca/kernel'
import {
  activate,
  enrolKey,
  guarded,
  halfway,
  moveClock,
  nextCode,
  openMfaWorld,
  origin,
  securityActions,
  strongToken,
  statuses,
  verify,
  wrongCode,
} from './second-factor.ts'
import { makeAuthenticator } from './authenticator.ts'

const world = await openMfaWorld()
afterAll(() => world.close())

const statusOf = (id: string, token: string) =>
  world.call('GET', `/v1/mfa/challenges/${id}`, { token })

test('five wrong codes exhaust a challenge; the right one comes too late', async () => {
  const { member, app } = await guarded(world)
  const { id, login_token } = await halfway(world, member)
  const open = await statusOf(id, login_token)
  expect(open.body).toMatchObject({ id, status: 'open', type: 'totp', purpose: 'login' })
  for (let attempt = 0; attempt < 5; attempt++) {
    const wrong = await verify(world, id, login_token, { code: wrongCode(world, app) })
    expect(wrong.status).toBe(401)
    expect(wrong.body.code).toBe('mfa_verification_failed')
  }
  const late = await verify(world, id, login_token, { code: await nextCode(world, app) })
  expect(late.body.code).toBe('mfa_challenge_invalid')
  expect((await statusOf(id, login_token)).body.status).toBe('exhausted')
  const failed = (await securityActions(world, member)).filter(one => one === 'mfa.failed')
  expect(failed).toHaveLength(5)
})

test('the fifth attempt may still be the right one', async () => {
  const { member, app } = await guarded(world)
  const { id, login_token } = await halfway(world, member)
  for (let attempt = 0; attempt < 4; attempt++) {
    await verify(world, id, login_token, { code: wrongCode(world, app) })
  }
  const done = await verify(world, id, login_token, { code: await nextCode(world, app) })
  expect(done.status).toBe(201)
  expect((await statusOf(id, login_token)).body.status).toBe('consumed')
})

test('twelve guesses at once are five', async () => {
  const { member, app } = await guarded(world)
  const { id, login_token } = await halfway(world, member)
  const code = wrongCode(world, app)
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => verify(world, id, login_token, { code })),
  )
  const judged = answers.filter(({ body }) => body.code === 'mfa_verification_failed')
  expect(judged).toHaveLength(5)
  const rest = answers.filter(({ body }) => body.code === 'mfa_challenge_invalid')
  expect(rest).toHaveLength(7)
})

test('a challenge is over after five minutes', async () => {
  const { member, method_id, app } = await guarded(world)
  const { id, login_token } = await halfway(world, member)
  await moveClock(world, 301)
  const late = await verify(world, id, login_token, { code: await nextCode(world, app) })
  expect(late.body.code).toBe('mfa_challenge_invalid')
  expect((await statusOf(id, login_token)).body.status).toBe('expired')
  const another = await world.call('POST', '/v1/mfa/challenges', {
    token: login_token,
    body: { method_id },
  })
  expect(another.body.code).toBe('mfa_challenge_invalid')
})

test('one right answer shown twice at once opens one session', async () => {
  const { member, app } = await guarded(world)
  const { id, login_token } = await halfway(world, member)
  const code = await nextCode(world, app)
  const answers = await Promise.all([
    verify(world, id, login_token, { code }),
    verify(world, id, login_token, { code }),
  ])
  expect(statuses(answers)).toEqual([201, 401])
})

describe('a login with two factors', () => {
  test('may answer with the other one, and is one session all the same', async () => {
    const who = await guarded(world)
    const token = await strongToken(world, who)
    const key = makeAuthenticator(origin)
    const enrolled = await enrolKey(world, token)
    const attestation = key.create(enrolled.body.public_key)
    const second = await activate(world, token, enrolled.body.id, { attestation })
    expect(second.status).toBe(200)
    expect(second.body.recovery_codes).toBeUndefined()

    const { id, login_token, methods, challenge } = await halfway(world, who.member)
    expect(methods).toHaveLength(2)
    // The factor that was used last is asked for.
    expect(challenge.type).toBe('webauthn')
    const asked = await world.call('POST', '/v1/mfa/challenges', {
      token: login_token,
      body: { method_id: who.method_id },
    })
    expect(asked.status).toBe(201)
    expect(asked.headers.get('location')).toBe(`/v1/mfa/challenges/${asked.body.id}`)
    expect(asked.body).toMatchObject({ status: 'open', type: 'totp', purpose: 'login' })
    const answers = await Promise.all([
      verify(world, asked.body.id, login_token, { code: await nextCode(world, who.app) }),
      verify(world, id, login_token, { assertion: key.get(challenge.public_key) }),
    ])
    expect(statuses(answers)).toEqual([201, 401])
    const late = await world.call('POST', '/v1/mfa/challenges', {
      token: login_token,
      body: { method_id: who.method_id },
    })
    expect(late.body.code).toBe('mfa_challenge_invalid')
  })

  test('asks for factors of its own account only', async () => {
    const { member } = await guarded(world)
    const other = await guarded(world)
    const { login_token } = await halfway(world, member)
    const asked = await world.call('POST', '/v1/mfa/challenges', {
      token: login_token,
      body: { method_id: other.method_id },
    })
    expect(asked.status).toBe(404)
    expect(asked.body.code).toBe('mfa_method_not_found')
  })
})

test('a login token is a Bearer for its own challenges only', async () => {
  const who = await guarded(world)
  const { login_token } = await halfway(world, who.member)
  for (const path of ['/v1/me', '/v1/sessions', '/v1/mfa/methods']) {
    expect((await world.call('GET', path, { token: login_token })).status).toBe(401)
  }
  const other = await guarded(world)
  const foreign = await halfway(world, other.member)
  const code = await nextCode(world, other.app)
  const crossed = await verify(world, foreign.id, login_token, { code })
  expect(crossed.body.code).toBe('mfa_challenge_invalid')
  expect((await statusOf(foreign.id, login_token)).body.code).toBe('mfa_challenge_not_found')
  // The session of the very account may not answer for its login either.
  const answered = await verify(world, foreign.id, other.member.token, { code })
  expect(answered.body.code).toBe('mfa_challenge_invalid')
  expect((await verify(world, foreign.id, foreign.login_token, { code })).status).toBe(201)
})

test('anonymous callers, invalid and unknown ids get their own errors', async () => {
  const { member } = await guarded(world)
  const { id, login_token } = await halfway(world, member)
  const body = { code: '000000' }
  const path = `/v1/mfa/challenges/${id}/verify`
  expect((await world.call('POST', path, { body })).body.code).toBe('authentication_required')
  expect((await verify(world, id, 'a.b.c', body)).body.code).toBe('invalid_token')
  expect((await verify(world, id, `ot_${'A'.repeat(43)}`, body)).body.code).toBe(
    'mfa_challenge_invalid',
  )
  expect((await verify(world, 'no-id', login_token, body)).body.code).toBe('mfa_challenge_invalid')
  expect((await verify(world, id, login_token, {})).status).toBe(422)
})

test('a password that changed in between, or a disabled account, ends the login', async () => {
  const { kernel } = world.platform
  const one = await guarded(world)
  const waiting = await halfway(world, one.member)
  await kernel.db.run(sql`
    update identity.credentials set password_changed_at = kernel.now()
    where account_id = ${one.member.id}`)
  const code = await nextCode(world, one.app)
  const changed = await verify(world, waiting.id, waiting.login_token, { code })
  expect(changed.body.code).toBe('mfa_challenge_invalid')

  const two = await guarded(world)
  const halted = await halfway(world, two.member)
  await kernel.db.run(sql`
    update identity.accounts set status = 'disabled' where id = ${two.member.id}`)
  const disabled = await verify(world, halted.id, halted.login_token, {
    code: await nextCode(world, two.app),
  })
  expect(disabled.body.code).toBe('mfa_challenge_invalid')
})

test('a login in a browser ends with cookies', async () => {
  const { member, app } = await guarded(world)
  const { id, login_token } = await halfway(world, member)
  const code = await nextCode(world, app)
  const done = await verify(world, id, login_token, { code, delivery: 'cookie' })
  expect(done.status).toBe(201)
  expect(done.body.access_token).toBeUndefined()
  expect(done.body.csrf_token).toBeDefined()
  expect(done.headers.getSetCookie()).toHaveLength(5)
})

test('a waiting login’s row holds no bearer value', async () => {
  const { member } = await guarded(world)
  const { login_token } = await halfway(world, member)
  const found = await world.platform.kernel.db.one(
    Type.Object({ rows: Type.Integer() }),
    sql`
      select count(*)::int as rows from identity.one_time_challenges c
      where account_id = ${member.id} and c::text like ${`%${login_token.slice(3)}%`}`,
  )
  expect(found.rows).toBe(0)
})

describe('guesses of one account', () => {
  let strict: ProductWorld
  beforeAll(async () => {
    strict = await openMfaWorld({ IDENTITY_MFA_ATTEMPTS_PER_HOUR: '6' })
  })
  afterAll(() => strict.close())

  test('are limited over all its challenges; right answers do not count', async () => {
    const { member, app, recovery_codes } = await guarded(strict)
    for (let time = 0; time < 8; time++) {
      const { id, login_token } = await halfway(strict, member)
      const recovery_code = recovery_codes[time]
      expect((await verify(strict, id, login_token, { recovery_code })).status).toBe(201)
    }
    for (let guess = 0; guess < 6; guess++) {
      const { id, login_token } = await halfway(strict, member)
      const wrong = await verify(strict, id, login_token, { code: wrongCode(strict, app) })
      expect(wrong.status).toBe(401)
    }
    const { id, login_token } = await halfway(strict, member)
    const limited = await verify(strict, id, login_token, { code: await nextCode(strict, app) })
    expect(limited.status).toBe(429)
    expect(limited.body.code).toBe('rate_limited')
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    // Another account is not held back by it.
    const other = await guarded(strict)
    const fine = await halfway(strict, other.member)
    const code = await nextCode(strict, other.app)
    expect((await verify(strict, fine.id, fine.login_token, { code })).status).toBe(201)
  })
})
