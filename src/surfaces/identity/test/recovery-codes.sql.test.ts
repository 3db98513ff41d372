/** Recovery codes: each good for one use, and no use to who reads the table. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { Bytes } from '../schemas.ts'
import {
  claimsOf,
  guarded,
  halfway,
  keyed,
  openMfaWorld,
  securityActions,
  strongToken,
  statuses,
  verify,
} from './second-factor.ts'

const world = await openMfaWorld()
afterAll(() => world.close())

test('a code logs in once, instead of the requested factor', async () => {
  const { member, recovery_codes } = await guarded(world)
  const recovery_code = recovery_codes[0]
  const first = await halfway(world, member)
  const done = await verify(world, first.id, first.login_token, { recovery_code })
  expect(done.status).toBe(201)
  expect(claimsOf(done.body.access_token)).toMatchObject({ aal: 'aal2', amr: ['pwd', 'recovery'] })
  const second = await halfway(world, member)
  const again = await verify(world, second.id, second.login_token, { recovery_code })
  expect(again.body.code).toBe('mfa_verification_failed')
  const other = await verify(world, second.id, second.login_token, {
    recovery_code: recovery_codes[1],
  })
  expect(other.status).toBe(201)
})

test('one code in two logins at once opens one session', async () => {
  const { member, recovery_codes } = await guarded(world)
  const [one, two] = [await halfway(world, member), await halfway(world, member)]
  const answers = await Promise.all(
    [one, two].map(({ id, login_token }) =>
      verify(world, id, login_token, { recovery_code: recovery_codes[4] }),
    ),
  )
  expect(statuses(answers)).toEqual([201, 401])
})

test('a code may be typed as people type', async () => {
  const { member, recovery_codes } = await guarded(world)
  expect(
    recovery_codes.every(code => /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/.test(code)),
  ).toBe(true)
  const typed = (recovery_codes[2] ?? '')
    .toLowerCase()
    .replace('-', ' ')
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')
  const { id, login_token } = await halfway(world, member)
  expect((await verify(world, id, login_token, { recovery_code: typed })).status).toBe(201)
})

test('a new set takes the place of the old one', async () => {
  const who = await guarded(world)
  const weak = await world.call('POST', '/v1/mfa/recovery-codes', { token: who.member.token })
  expect(weak.body.code).toBe('step_up_required')
  const token = await strongToken(world, who)
  const renewed = await world.call('POST', '/v1/mfa/recovery-codes', { token })
  expect(renewed.status).toBe(201)
  const fresh: string[] = renewed.body.recovery_codes
  expect(new Set([...fresh, ...who.recovery_codes]).size).toBe(20)
  expect(await securityActions(world, who.member)).toContain('recovery_codes.renewed')
  const { id, login_token } = await halfway(world, who.member)
  const old = await verify(world, id, login_token, { recovery_code: who.recovery_codes[0] })
  expect(old.body.code).toBe('mfa_verification_failed')
  expect((await verify(world, id, login_token, { recovery_code: fresh[9] })).status).toBe(201)
})

test('without a factor there is nothing to recover', async () => {
  const member = await world.member()
  const asked = await world.call('POST', '/v1/mfa/recovery-codes', { token: member.token })
  expect(asked.status).toBe(404)
  expect(asked.body.code).toBe('mfa_method_not_found')
})

test('another account’s code is refused', async () => {
  const { recovery_codes } = await guarded(world)
  const { member } = await keyed(world)
  const { id, login_token } = await halfway(world, member)
  const answer = await verify(world, id, login_token, { recovery_code: recovery_codes[0] })
  expect(answer.body.code).toBe('mfa_verification_failed')
})

test('the table holds hashes that need the pepper, and no code', async () => {
  const { member, recovery_codes } = await guarded(world)
  const rows = await world.platform.kernel.db.many(
    Type.Object({ code_hash: Bytes }),
    sql`select code_hash from identity.recovery_codes where account_id = ${member.id}`,
  )
  expect(rows).toHaveLength(10)
  const { keys } = world.platform.kernel
  const expected = recovery_codes.map(code =>
    keys
      .fingerprint('identity.recovery_code', `${member.id}\n${code.replace('-', '')}`)
      .toString('hex'),
  )
  expect(rows.map(({ code_hash }) => code_hash.toString('hex')).toSorted()).toEqual(
    expected.toSorted(),
  )
})
