/** Security keys: an answer counts for our site, our challenge and the key that was enrolled. */
import { afterAll, describe, expect, test } from 'vitest'
import { makeAuthenticator, type Bent } from './authenticator.ts'
import {
  activate,
  claimsOf,
  enrolKey,
  halfway,
  keyed,
  openMfaWorld,
  origin,
  securityActions,
  verify,
} from './second-factor.ts'

const world = await openMfaWorld()
afterAll(() => world.close())

test('a key is enrolled for this site, and logs in', async () => {
  const member = await world.member()
  const enrolled = await enrolKey(world, member.token)
  expect(enrolled.body.public_key).toMatchObject({
    rp: { id: 'dodeca.test' },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'preferred' },
  })
  const key = makeAuthenticator(origin)
  const attestation = key.create(enrolled.body.public_key)
  const activated = await activate(world, member.token, enrolled.body.id, { attestation })
  expect(activated.status).toBe(200)
  expect(activated.body.recovery_codes).toHaveLength(10)

  const { id, login_token, challenge } = await halfway(world, member)
  expect(challenge).toMatchObject({ type: 'webauthn', public_key: { rpId: 'dodeca.test' } })
  expect(challenge.public_key.allowCredentials).toHaveLength(1)
  const done = await verify(world, id, login_token, { assertion: key.get(challenge.public_key) })
  expect(done.status).toBe(201)
  expect(claimsOf(done.body.access_token)).toMatchObject({ aal: 'aal2', amr: ['pwd', 'hwk'] })
})

describe('what does not fit is refused, and the challenge stays open:', () => {
  const bents: [string, Bent][] = [
    ['another origin', { origin: 'http://dodeca.test.evil.example' }],
    ['another port', { origin: 'http://dodeca.test:8443' }],
    ['another scheme', { origin: 'https://dodeca.test' }],
    ['another relying party', { rp_id: 'evil.example' }],
    ['another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
  ]
  test.for(bents)('%s', async ([, bent]) => {
    const { member, key } = await keyed(world)
    const { id, login_token, challenge } = await halfway(world, member)
    const assertion = key.get(challenge.public_key, bent)
    const refused = await verify(world, id, login_token, { assertion })
    expect(refused.body.code).toBe('mfa_verification_failed')
    const right = key.get(challenge.public_key)
    expect((await verify(world, id, login_token, { assertion: right })).status).toBe(201)
  })

  test.for(bents)('%s, at enrolment', async ([, bent]) => {
    const member = await world.member()
    const { body } = await enrolKey(world, member.token)
    const key = makeAuthenticator(origin)
    const attestation = key.create(body.public_key, bent)
    const refused = await activate(world, member.token, body.id, { attestation })
    expect(refused.body.code).toBe('mfa_verification_failed')
    expect((await world.login(member)).status).toBe(201)
  })

  test('the signature of another key under this key’s name', async () => {
    const { member, key } = await keyed(world)
    const { id, login_token, challenge } = await halfway(world, member)
    const forged = makeAuthenticator(origin).get(challenge.public_key)
    const name = challenge.public_key.allowCredentials[0].id
    const assertion = { ...forged, id: name, rawId: name }
    const refused = await verify(world, id, login_token, { assertion })
    expect(refused.body.code).toBe('mfa_verification_failed')
    const right = key.get(challenge.public_key)
    expect((await verify(world, id, login_token, { assertion: right })).status).toBe(201)
  })

  test('the answer to an earlier challenge', async () => {
    const { member, key } = await keyed(world)
    const first = await halfway(world, member)
    const assertion = key.get(first.challenge.public_key)
    expect((await verify(world, first.id, first.login_token, { assertion })).status).toBe(201)
    const second = await halfway(world, member)
    const replayed = await verify(world, second.id, second.login_token, { assertion })
    expect(replayed.body.code).toBe('mfa_verification_failed')
  })

  test('bytes that are not a response at all', async () => {
    const { member } = await keyed(world)
    const { id, login_token, challenge } = await halfway(world, member)
    const name = challenge.public_key.allowCredentials[0].id
    const response = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' }
    const assertion = { id: name, rawId: name, type: 'public-key', response }
    const refused = await verify(world, id, login_token, { assertion })
    expect(refused.body.code).toBe('mfa_verification_failed')
  })
})

test('a decreasing count is reported, and is not a failure', async () => {
  const { member, key } = await keyed(world)
  const logIn = async (counter: number) => {
    const { id, login_token, challenge } = await halfway(world, member)
    const assertion = key.get(challenge.public_key, { counter })
    const done = await verify(world, id, login_token, { assertion })
    expect(done.status).toBe(201)
    const actions = await securityActions(world, member)
    return actions.filter(action => action === 'mfa.sign_count_regressed').length
  }
  expect(await logIn(7)).toBe(0)
  expect(await logIn(8)).toBe(0)
  expect(await logIn(8)).toBe(1)
  expect(await logIn(3)).toBe(2)
  // Both must count for a comparison: many keys always say zero.
  expect(await logIn(0)).toBe(2)
  expect(await logIn(9)).toBe(2)
})

test('a key belongs to one account', async () => {
  const { key } = await keyed(world)
  const other = await world.member()
  const { body } = await enrolKey(world, other.token)
  const attestation = key.create(body.public_key)
  const taken = await activate(world, other.token, body.id, { attestation })
  expect(taken.status).toBe(409)
  expect(taken.body.code).toBe('already_exists')
})
