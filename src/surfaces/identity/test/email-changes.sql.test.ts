/**
 * A change of address ends with the proof of the new mailbox, also if another account registered
 * the address before and never proved it. That account stays, without the address.
 */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, password, type Member } from '../../../../test/product-world.ts'
import { newKey } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { ownDomain } from './organization-world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

async function ask(member: Member, email: string): Promise<string> {
  const { token } = member
  const body = { email, current_password: password }
  const asked = await world.call('POST', '/v1/email-changes', { token, body })
  expect(asked.status, asked.text).toBe(202)
  return asked.body.id
}

async function prove({ token }: Member, email: string) {
  const mails = (await world.mails(email)).filter(
    ({ template }) => template === 'confirm_new_address',
  )
  return world.call('POST', '/v1/email-verifications', {
    token,
    body: { token: mails.at(-1)?.token },
  })
}

async function statusOf({ token }: Member, id: string): Promise<string> {
  return (await world.call('GET', `/v1/email-changes/${id}`, { token })).body.status
}

async function squat(tenant: Member['tenant'], email: string) {
  const body = { email, password, tenant: tenant.slug }
  expect((await world.call('POST', '/v1/accounts', { body })).status).toBe(202)
  return (await world.login({ email, password, tenant })).body
}

test.each(['before the request', 'between request and proof'])(
  'a change takes the address from an account that registered it %s and never proved it',
  async when => {
    const member = await world.member()
    const email = `wanted-${newId()}@example.test`
    const early = when === 'before the request' ? await squat(member.tenant, email) : undefined
    const id = await ask(member, email)
    const { access_token } = early ?? (await squat(member.tenant, email))
    const proven = await prove(member, email)
    expect(proven.status, proven.text).toBe(201)
    expect(proven.body.account_id).toBe(member.id)
    expect(await statusOf(member, id)).toBe('completed')
    const login = await world.login({ ...member, email })
    expect([login.status, login.body.account_id]).toEqual([201, member.id])
    const loser = await world.call('GET', '/v1/me', { token: access_token })
    expect([loser.status, loser.body.status, loser.body.email]).toEqual([200, 'active', null])
  },
)

test('an account that lost its address keeps its data and its session, and proves another', async () => {
  const member = await world.member()
  const email = `mistyped-${newId()}@example.test`
  const { access_token: token } = await squat(member.tenant, email)
  const post = { body: 'mine', visibility: 'public' }
  const made = await world.call('POST', '/v1/posts', { token, key: newKey(), body: post })
  expect(made.status, made.text).toBe(201)
  const reset = { email, tenant: member.tenant.slug }
  await world.call('POST', '/v1/password-reset-requests', { body: reset })
  const mailed = (await world.mails(email)).find(({ template }) => template === 'reset_password')
  await ask(member, email)
  expect((await prove(member, email)).status).toBe(201)

  const read = await world.call('GET', `/v1/posts/${made.body.id}`, { token })
  expect([read.status, read.body.body]).toEqual([200, 'mine'])
  // The reader of the mailbox gets no way into the account.
  const body = { token: mailed?.token, new_password: `${password} more` }
  const refused = await world.call('POST', '/v1/password-resets', { body })
  expect([refused.status, refused.body.code]).toEqual([422, 'one_time_token_invalid'])
  const own = `own-${newId()}@example.test`
  const loser = { ...member, token } as Member
  await ask(loser, own)
  expect((await prove(loser, own)).status).toBe(201)
  expect((await world.login({ ...member, email: own })).status).toBe(201)
})

test('two accounts that move to each other’s unproven address never fail with 500', async () => {
  const one = await world.member()
  const other = await world.member(one.tenant)
  await ask(one, other.email)
  await ask(other, one.email)
  const answers = await Promise.all([prove(one, other.email), prove(other, one.email)])
  const statuses = answers.map(({ status }) => status)
  expect(statuses).toContain(201)
  expect(statuses.filter(status => status !== 201)).not.toContain(500)
})

test('a change to an address whose mailbox another account proved meanwhile says so and ends', async () => {
  const one = await world.member()
  const other = await world.member(one.tenant)
  const email = `shared-${newId()}@example.test`
  const mine = await ask(one, email)
  const theirs = await ask(other, email)
  const mails = await world.mails(email)
  const send = ({ token }: Member, at: number) =>
    world.call('POST', '/v1/email-verifications', { token, body: { token: mails[at]?.token } })
  expect((await send(one, 0)).status).toBe(201)
  const refused = await send(other, 1)
  expect([refused.status, refused.body.code]).toEqual([409, 'email_taken'])
  expect(await statusOf(one, mine)).toBe('completed')
  expect(await statusOf(other, theirs)).toBe('superseded')
})

test('an account that an administrator invited or disabled keeps its address', async () => {
  const member = await world.member()
  const admin = await world.member(member.tenant)
  await world.allow(admin, 'identity.accounts.invite', 'identity.organization.write')
  const email = `invited-${newId()}@${await ownDomain(world, admin)}`
  const id = await ask(member, email)
  const invited = await world.call('POST', '/v1/invitations', {
    token: admin.token,
    body: { email },
  })
  expect(invited.status, invited.text).toBe(201)
  const refused = await prove(member, email)
  expect([refused.status, refused.body.code]).toEqual([409, 'email_taken'])
  expect(await statusOf(member, id)).toBe('superseded')
})

test('the last administrator of a tenant keeps the role without the address', async () => {
  const member = await world.member()
  const admin = await world.member(member.tenant)
  await world.give(admin, 'tenant_admin')
  await ask(member, admin.email)
  expect((await prove(member, admin.email)).status).toBe(201)
  const { body } = await world.call('GET', '/v1/me', { token: admin.token })
  expect([body.email, body.roles]).toEqual([null, expect.arrayContaining(['tenant_admin'])])
})
