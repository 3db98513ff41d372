/**
 * Whatever opens an account is announced and told to its owner when it comes and when it goes, also when
 * it goes because the account goes.
 */
import { afterAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { announced } from './announced.ts'
import { openOidcWorld } from './oidc-world.ts'
import { guarded, strongToken, type Guarded } from './second-factor.ts'

const world = await openOidcWorld()
afterAll(() => world.close())

type Held = Guarded & {
  readonly token: string
  readonly identity_id: string
  readonly api_key_id: string
}

/** Somebody with a password, a second factor, an identity at a provider and an API key. */
async function rich(): Promise<Held> {
  const who = await guarded(world)
  await world.give(who.member, 'support_viewer')
  const token = await strongToken(world, who)
  const { ticket } = await world.come(world.someone().sub, { token, more: { purpose: 'link' } })
  const linked = await ask(token, 'POST', '/v1/me/external-identities', { oidc_ticket: ticket })
  const key = await ask(token, 'POST', '/v1/api-keys', {
    name: 'key',
    permissions: ['identity.support.view'],
  })
  return { ...who, token, identity_id: linked.id, api_key_id: key.id }
}

async function ask(token: string, method: string, path: string, body?: unknown) {
  const answer = await world.call(method, path, { token, ...(body ? { body } : {}) })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

async function templates({ email }: Pick<Member, 'email'>): Promise<string[]> {
  return (await world.mails(email)).map(({ template }) => template)
}

test('its owner is told of each change', async () => {
  const who = await rich()
  const { token, member, identity_id, method_id } = who
  await ask(token, 'POST', '/v1/mfa/recovery-codes')
  await ask(token, 'DELETE', `/v1/me/external-identities/${identity_id}`)
  await ask(token, 'DELETE', `/v1/mfa/methods/${method_id}`)
  const told = [
    'verify_address',
    'factor_added',
    'identity_linked',
    'api_key_created',
    'recovery_codes_renewed',
    'identity_unlinked',
    'factor_removed',
  ]
  expect(await templates(member)).toEqual(told)
  for (const mail of await world.mails(member.email)) expect(mail.address).toBe(member.email)
  expect(await announced(world, 'external_identity.unlinked', member.id)).toEqual([
    { account_id: member.id, external_identity_id: identity_id },
  ])
  // A repeat changes nothing, so it tells nothing.
  await ask(token, 'DELETE', `/v1/me/external-identities/${identity_id}`)
  await ask(token, 'DELETE', `/v1/mfa/methods/${method_id}`)
  expect(await templates(member)).toEqual(told)
})

test('an identity that is linked by its address is told, and one that made the account is not', async () => {
  const tenant = await world.tenant()
  const member = await world.member(tenant)
  await world.prove(member)
  const { sub } = world.someone({ email: member.email })
  expect((await world.redeem((await world.come(sub, { tenant })).ticket)).status).toBe(201)
  expect((await templates(member)).at(-1)).toBe('identity_linked')
  const fresh = world.someone()
  expect((await world.redeem((await world.come(fresh.sub, { tenant })).ticket)).status).toBe(201)
  expect(await templates(fresh)).toEqual([])
})

/** What each way in is announced as when it is gone, once. */
async function expectGone({ member, identity_id, api_key_id, method_id }: Held) {
  const account_id = member.id
  expect(await announced(world, 'external_identity.unlinked', account_id)).toEqual([
    { account_id, external_identity_id: identity_id },
  ])
  expect(await announced(world, 'api_key.revoked', api_key_id)).toEqual([
    { account_id, api_key_id },
  ])
  expect(await announced(world, 'mfa_method.removed', method_id)).toEqual([
    { account_id, method_id, type: 'totp' },
  ])
}

test('with an erased account goes each of them', async () => {
  const who = await rich()
  await ask(who.token, 'DELETE', `/v1/accounts/${who.member.id}`)
  await expectGone(who)
})

test('with an account that goes to whoever proves its address goes each of them', async () => {
  const who = await rich()
  const { email, tenant } = who.member
  const password = 'the owner of the mailbox chose it'
  await world.call('POST', '/v1/accounts', { body: { email, password, tenant: tenant.slug } })
  const token = (await world.mails(email)).at(-1)?.token
  const proven = await world.call('POST', '/v1/email-verifications', { body: { token, password } })
  expect([proven.status, proven.body.account_id]).toEqual([201, who.member.id])
  await expectGone(who)
  expect((await world.login({ email, password, tenant })).status).toBe(201)
})
