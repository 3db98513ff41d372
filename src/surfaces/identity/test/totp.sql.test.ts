/** Codes of an app: enrolled, proven, and each good for one use. */
import { randomBytes } from 'node:crypto'
import { HOTP, Secret } from 'otpauth'
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openKeyring } from '../../../kernel/keys.ts'
import { resealColumn } from '../../../kernel/work/reseal.ts'
import {
  newestStep,
  openTotpSecret,
  sealedTotpSecrets,
  sealTotpSecret,
} from '../mfa/methods/totp.ts'
import { Bytes } from '../schemas.ts'
import {
  activate,
  claimsOf,
  enrolTotp,
  guarded,
  halfway,
  moveClock,
  nextCode,
  openMfaWorld,
  securityActions,
  strongToken,
  statuses,
  verify,
  wrongCode,
} from './second-factor.ts'

const old_key = randomBytes(32).toString('base64')
const pepper = randomBytes(32).toString('base64')
const world = await openMfaWorld({ KERNEL_KEYRING: `old:${old_key}`, KERNEL_PEPPER: pepper })
afterAll(() => world.close())

const codeOf = (secret: Buffer, counter: number) =>
  HOTP.generate({
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    algorithm: 'SHA1',
    digits: 6,
    counter,
  })

/** A secret, and a step whose code is the next step's too; one step in a million is like that. */
const colliding = { secret: Buffer.from('one code, two steps.'), step: 67_223_198 }

describe('the step of a code', () => {
  test('is found one step before and after now, and nowhere else', () => {
    const secrets = fc.uint8Array({ minLength: 20, maxLength: 20 })
    const steps = fc.integer({ min: 10, max: 2 ** 31 })
    fc.assert(
      fc.property(secrets, steps, fc.integer({ min: -3, max: 3 }), (bytes, now, off) => {
        const secret = Buffer.from(bytes)
        const code = codeOf(secret, now + off)
        const fitting = [-1, 0, 1].filter(near => codeOf(secret, now + near) === code)
        const newest = fitting.at(-1)
        expect(newestStep(secret, code, now * 30)).toBe(
          newest === undefined ? undefined : now + newest,
        )
        expect(newest !== undefined || Math.abs(off) > 1).toBe(true)
      }),
    )
  })
})

test('a factor counts once its code was shown; then a login asks for it', async () => {
  const member = await world.member()
  const { enrolled, method_id, app } = await enrolTotp(world, member.token)
  expect(enrolled.body).toMatchObject({ status: 'pending', type: 'totp', label: 'App' })
  expect(enrolled.body.secret).toBe(app.totp.secret.base32)
  expect(enrolled.body.otpauth_uri).toContain('issuer=dodeca.test')
  expect(enrolled.headers.get('cache-control')).toBe('no-store')
  expect((await world.login(member)).status).toBe(201)

  const refused = await activate(world, member.token, method_id, { code: wrongCode(world, app) })
  expect(refused.body.code).toBe('mfa_verification_failed')
  const code = await nextCode(world, app)
  const activated = await activate(world, member.token, method_id, { code })
  expect(activated.status).toBe(200)
  expect(activated.body).toMatchObject({ id: method_id, status: 'active' })
  expect(new Set(activated.body.recovery_codes).size).toBe(10)
  const me = await world.call('GET', '/v1/me', { token: member.token })
  expect(me.body.mfa).toEqual({ enabled: true, types: ['totp'] })

  const login = await world.login(member)
  expect(login.status).toBe(202)
  expect(login.headers.get('location')).toBe(`/v1/mfa/challenges/${login.body.id}`)
  expect(login.body).toMatchObject({
    status: 'mfa_required',
    expires_in: 300,
    challenge: { challenge_id: login.body.id, type: 'totp' },
    methods: [{ id: method_id, type: 'totp', label: 'App' }],
  })
  const { id, login_token } = login.body
  const done = await verify(world, id, login_token, { code: await nextCode(world, app) })
  expect(done.status).toBe(201)
  expect(done.headers.get('location')).toBe(`/v1/sessions/${done.body.session_id}`)
  expect(claimsOf(done.body.access_token)).toMatchObject({ aal: 'aal2', amr: ['pwd', 'otp'] })
  expect(await securityActions(world, member)).toEqual(
    expect.arrayContaining(['mfa.failed', 'mfa_method.activated']),
  )
})

test('the code that activated a factor does not log in', async () => {
  const { member, app } = await guarded(world)
  const { id, login_token } = await halfway(world, member)
  const code = app.totp.generate({ timestamp: app.last * 30_000 })
  const again = await verify(world, id, login_token, { code })
  expect(again.status).toBe(401)
  expect(again.body.code).toBe('mfa_verification_failed')
})

test('one code in two challenges at once opens one session', async () => {
  const { member, app } = await guarded(world)
  const [one, two] = [await halfway(world, member), await halfway(world, member)]
  const code = await nextCode(world, app)
  const answers = await Promise.all(
    [one, two].map(({ id, login_token }) => verify(world, id, login_token, { code })),
  )
  expect(statuses(answers)).toEqual([201, 401])
})

test('a factor that is not activated in time is deleted', async () => {
  const member = await world.member()
  const { method_id, app } = await enrolTotp(world, member.token)
  await moveClock(world, 601)
  const listed = await world.call('GET', '/v1/mfa/methods', { token: member.token })
  expect(listed.body.data).toEqual([])
  const late = await activate(world, member.token, method_id, { code: await nextCode(world, app) })
  expect(late.body.code).toBe('mfa_method_not_found')
})

test('another account’s factor does not exist', async () => {
  const { member, method_id } = await guarded(world)
  const other = await world.member(member.tenant)
  const path = `/v1/mfa/methods/${method_id}`
  const removed = await world.call('DELETE', path, { token: other.token })
  expect(removed.body.code).toBe('mfa_method_not_found')
  const taken = await activate(world, other.token, method_id, { code: '000000' })
  expect(taken.body.code).toBe('mfa_method_not_found')
  expect((await world.login(member)).status).toBe(202)
})

test('a factor is activated once', async () => {
  const who = await guarded(world)
  const token = await strongToken(world, who)
  const again = await activate(world, token, who.method_id, { code: '000000' })
  expect(again.status).toBe(409)
  expect(again.body).toMatchObject({ code: 'invalid_transition', current_state: 'active' })
})

test('two first factors at once: the second needs the first', async () => {
  const member = await world.member()
  const [one, two] = [await enrolTotp(world, member.token), await enrolTotp(world, member.token)]
  const codes = [await nextCode(world, one.app), await nextCode(world, two.app)]
  const answers = await Promise.all(
    [one, two].map(({ method_id }, index) =>
      activate(world, member.token, method_id, { code: codes[index] }),
    ),
  )
  expect(statuses(answers)).toEqual([200, 403])
})

test('the secret is sealed, and sealed again by each use', async () => {
  const { member, method_id, app } = await guarded(world)
  const { kernel } = world.platform
  const row = () =>
    kernel.db.one(
      Type.Object({ sealed: Bytes }),
      sql`
        select encrypted_secret_or_public_key as sealed from identity.mfa_methods
        where id = ${method_id}`,
    )
  const before = await row()
  const secret = Buffer.from(app.totp.secret.bytes)
  expect(before.sealed.toString('hex')).not.toContain(secret.toString('hex'))
  expect(before.sealed.toString('latin1')).not.toContain(app.totp.secret.base32)
  const { id, login_token } = await halfway(world, member)
  await verify(world, id, login_token, { code: await nextCode(world, app) })
  expect((await row()).sealed.equals(before.sealed)).toBe(false)
})

test('the factors of an account are limited', async () => {
  const member = await world.member()
  for (let held = 0; held < 10; held++) await enrolTotp(world, member.token)
  const more = await world.call('POST', '/v1/mfa/methods', {
    token: member.token,
    body: { type: 'totp', label: 'One more' },
  })
  expect(more.status).toBe(429)
  expect(more.body.code).toBe('quota_exceeded')
})

test('a factor is removed by a strong session, and a repeat answers alike', async () => {
  const who = await guarded(world)
  const token = await strongToken(world, who)
  const path = `/v1/mfa/methods/${who.method_id}`
  for (let time = 0; time < 2; time++) {
    expect((await world.call('DELETE', path, { token })).status).toBe(204)
  }
  expect((await world.login(who.member)).status).toBe(201)
  const gone = await world.platform.kernel.db.one(
    Type.Object({ codes: Type.Integer(), secrets: Type.Integer() }),
    sql`
      select (select count(*)::int from identity.recovery_codes
          where account_id = ${who.member.id}) as codes,
        (select count(encrypted_secret_or_public_key)::int from identity.mfa_methods
          where account_id = ${who.member.id}) as secrets`,
  )
  expect(gone).toEqual({ codes: 0, secrets: 0 })
  const announced = await eventually('both events are in the log', async () => {
    const rows = await world.platform.kernel.db.many(
      Type.Object({
        type: Type.String(),
        aggregate_version: Type.Integer(),
        payload: Type.Unknown(),
      }),
      sql`
        select type, aggregate_version, payload from kernel.events
        where aggregate_id = ${who.method_id} order by position`,
    )
    return rows.length === 2 && rows
  })
  const payload = { account_id: who.member.id, method_id: who.method_id, type: 'totp' }
  expect(announced).toEqual([
    { type: 'mfa_method.activated', aggregate_version: 2, payload },
    { type: 'mfa_method.removed', aggregate_version: 3, payload },
  ])
})

test('after a rotation every secret is sealed under the new key, and the old one can go', async () => {
  const { method_id, app } = await guarded(world)
  const { db } = world.platform.kernel
  const new_key = randomBytes(32).toString('base64')
  const ring = (keyring: string) => openKeyring({ keyring, pepper, file: '', may_create: false })
  await resealColumn({ db, keys: await ring(`new:${new_key},old:${old_key}`) }, sealedTotpSecrets)
  const { sealed } = await db.one(
    Type.Object({ sealed: Bytes }),
    sql`
      select encrypted_secret_or_public_key as sealed from identity.mfa_methods
      where id = ${method_id}`,
  )
  const opened = openTotpSecret(await ring(`new:${new_key}`), method_id, sealed)
  expect(opened.toString('hex')).toBe(app.totp.secret.hex.toLowerCase())
})

// Last, because a second world that starts makes the first one late.
test('a code that two neighbouring steps share is still good once', async () => {
  const { secret, step } = colliding
  const code = codeOf(secret, step)
  expect(codeOf(secret, step + 1)).toBe(code)
  const then = await openMfaWorld()
  onTestFinished(() => then.close())
  await moveClock(then, step * 30 - then.platform.kernel.clock.nowSeconds())
  const { member, method_id } = await guarded(then)
  const { kernel } = then.platform
  await kernel.db.run(sql`
    update identity.mfa_methods
    set encrypted_secret_or_public_key = ${sealTotpSecret(kernel.keys, method_id, secret)},
      last_used_step = null
    where id = ${method_id}`)
  const first = await halfway(then, member)
  const done = await verify(then, first.id, first.login_token, { code })
  expect(done.status).toBe(201)
  const used = await kernel.db.one(
    Type.Object({ last_used_step: Type.Integer() }),
    sql`select last_used_step from identity.mfa_methods where id = ${method_id}`,
  )
  expect(used.last_used_step).toBe(step + 1)
  await moveClock(then, 30)
  const second = await halfway(then, member)
  const again = await verify(then, second.id, second.login_token, { code })
  expect(again.body.code).toBe('mfa_verification_failed')
})
