/**
 * Every credential that is added or removed has an event and a mail to its owner, also when it is
 * removed together with the account.
 */
import { afterAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { announced } from './announced.ts'
import { openOidcWorld } from './oidc-world.ts'
import { guarded, halfway, strongToken, verify, type Guarded } from './second-factor.ts'

const world = await openOidcWorld()
afterAll(() => world.close())

type Held = Guarded & {
  readonly token: string
  /** At the provider. */
  readonly sub: string
  readonly key: string
  readonly identity_id: string
  readonly api_key_id: string
}

/** A member with a password, a second factor, an identity at a provider and an API key. */
async function rich(): Promise<Held> {
  const who = await guarded(world)
  await world.give(who.member, 'support_viewer')
  const token = await strongToken(world, who)
  const { sub } = world.someone()
  const { ticket } = await world.come(sub, { token, more: { purpose: 'link' } })
  const linked = await ask(token, 'POST', '/v1/me/external-identities', { oidc_ticket: ticket })
  const { id: api_key_id, key } = await ask(token, 'POST', '/v1/api-keys', {
    name: 'key',
    permissions: ['identity.support.view'],
  })
  return { ...who, token, sub, key, identity_id: linked.id, api_key_id }
}

async function ask(token: string, method: string, path: string, body?: unknown) {
  const answer = await world.call(method, path, { token, ...(body ? { body } : {}) })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

async function templates({ email }: Pick<Member, 'email'>): Promise<string[]> {
  return (await world.mails(email)).map(({ template }) => template)
}

test('its owner gets a mail about each change', async () => {
  const who = await rich()
  const { token, member, identity_id, method_id } = who
  await ask(token, 'POST', '/v1/mfa/recovery-codes')
  await ask(token, 'DELETE', `/v1/me/external-identities/${identity_id}`)
  await ask(token, 'DELETE', `/v1/mfa/methods/${method_id}`)
  const expected = [
    'verify_address',
    'factor_added',
    'identity_linked',
    'api_key_created',
    'recovery_codes_renewed',
    'identity_unlinked',
    'factor_removed',
  ]
  expect(await templates(member)).toEqual(expected)
  for (const mail of await world.mails(member.email)) expect(mail.address).toBe(member.email)
  expect(await announced(world, 'external_identity.unlinked', member.id)).toEqual([
    { account_id: member.id, external_identity_id: identity_id },
  ])
  // A repeat changes nothing, so it tells nothing.
  await ask(token, 'DELETE', `/v1/me/external-identities/${identity_id}`)
  await ask(token, 'DELETE', `/v1/mfa/methods/${method_id}`)
  expect(await templates(member)).toEqual(expected)
})

test('an identity that is linked by its address is announced, and one that made the account is not', async () => {
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

const chosen = 'the owner of the mailbox chose it'

async function mailedToken({ email }: Pick<Member, 'email'>): Promise<string | null | undefined> {
  return (await world.mails(email)).at(-1)?.token
}

/** How the owner of a mailbox proves it for the first time. */
const proofs: Record<string, (squatted: Member) => Promise<void>> = {
  'a registration of their own': async ({ email, tenant }) => {
    const password = chosen
    await world.call('POST', '/v1/accounts', { body: { email, password, tenant: tenant.slug } })
    const body = { token: await mailedToken({ email }), password }
    expect((await world.call('POST', '/v1/email-verifications', { body })).status).toBe(201)
  },
  'a reset': async ({ email, tenant }) => {
    const asked = { email, tenant: tenant.slug }
    await world.call('POST', '/v1/password-reset-requests', { body: asked })
    const body = { token: await mailedToken({ email }), new_password: chosen }
    expect((await world.call('POST', '/v1/password-resets', { body })).status).toBe(204)
  },
  'a login with a mailed code': async ({ email, tenant, id }) => {
    const asked = { email, tenant: tenant.slug }
    const { body } = await world.call('POST', '/v1/login-codes', { body: asked })
    const code = (await world.mails(email)).at(-1)?.code
    const login = await world.call('POST', '/v1/sessions', {
      body: { login_code: { id: body.id, code } },
    })
    expect([login.status, login.body.account_id]).toEqual([201, id])
  },
  'a login at a provider': async ({ email, tenant, id }) => {
    const { ticket } = await world.come(world.someone({ email }).sub, { tenant })
    const login = await world.redeem(ticket)
    expect([login.status, login.body.account_id]).toEqual([201, id])
  },
}

test.each(Object.entries(proofs))(
  'the first proof of a mailbox by %s leaves nothing of who was there before',
  async (how, prove) => {
    const who = await rich()
    const { member, token, recovery_codes } = who
    const half = await halfway(world, member)
    const { ticket } = await world.come(who.sub, { tenant: member.tenant })
    const moved = { email: `away-${member.email}`, current_password: member.password }
    const change = await ask(token, 'POST', '/v1/email-changes', moved)
    await prove(member)

    const doors = await Promise.all([
      world.call('GET', '/v1/me', { token }),
      world.call('POST', `/v1/sessions/${member.session_id}/refresh`, {
        body: { refresh_token: member.refresh_token },
      }),
      world.call('GET', '/v1/me', { token: who.key }),
      world.login(member),
      world.redeem(ticket),
      verify(world, half.id, half.login_token, { recovery_code: recovery_codes[0] }),
    ])
    expect(doors.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401])
    const other = await world.come(who.sub, { tenant: member.tenant })
    expect((await world.redeem(other.ticket)).body.account_id).not.toBe(member.id)
    await expectGone(who)
    expect(await announced(world, 'account.verified', member.id)).toHaveLength(1)

    if (how.startsWith('a login')) return
    const owner = await world.login({ ...member, password: chosen })
    expect(owner.status).toBe(201)
    const mine = { token: owner.body.access_token }
    const { status, mfa, permissions } = (await world.call('GET', '/v1/me', mine)).body
    expect([status, mfa.enabled]).toEqual(['active', false])
    expect(permissions).toContain('identity.support.view')
    const left = await world.call('GET', `/v1/email-changes/${change.id}`, mine)
    expect(left.body.status).toBe('superseded')
  },
)

test('a later reset of an owned account keeps what is its owner’s', async () => {
  const who = await rich()
  await world.prove(who.member)
  await proofs['a reset']?.(who.member)
  const login = await world.login({ ...who.member, password: chosen })
  expect([login.status, login.body.status]).toEqual([202, 'mfa_required'])
  expect((await world.call('GET', '/v1/me', { token: who.key })).status).toBe(200)
})
