/**
 * Who may not take the role of a platform operator may not end an operator's access in another way.
 * The routes come from the product's list: a new one that names a person or a credential fails here
 * until it refuses, or says below why it need not.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { composition } from '../../../platform.ts'
import { gather } from '../../../runtime/gather-declarations.ts'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { newId, type Route } from '#dodeca/kernel'
import { newKey } from '../../../../test/world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

const manage = 'identity.tenants.manage'
const names_a_person =
  /\{(account|user|session|api_key|device|method|external_identity|target|follower)_id\}/

/** Routes that end no access of the person whom they name. */
const besides: Readonly<Record<string, string>> = {
  assignRole: 'gives a role, and takes none away',
  refreshSession: 'needs the refresh token of the session',
  activateMfaMethod: 'finds only methods of the caller',
  removeMfaMethod: 'finds only methods of the caller',
  unlinkExternalIdentity: 'finds only identities of the caller',
  putDevice: 'finds only devices of the caller',
  removeDevice: 'finds only devices of the caller',
  verifyDestination: 'only the person who owns the destination can read its code',
  changeProfile: 'only the person may change it',
  blockUser: 'changes what the caller sees',
  unblockUser: 'changes what the caller sees',
  muteUser: 'changes what the caller sees',
  unmuteUser: 'changes what the caller sees',
  followUser: 'changes what the caller sees',
  unfollowUser: 'changes what the caller sees',
  acceptFollowRequest: 'decides on the followers of the caller',
  rejectFollowRequest: 'decides on the followers of the caller',
  removeFollower: 'decides on the followers of the caller',
  changeConversationMember: 'the roles of a conversation decide, and not those of the platform',
  removeConversationMember: 'the roles of a conversation decide, and not those of the platform',
}

const bodies: Readonly<Record<string, object>> = {
  updateAccount: { status: 'disabled' },
  requestFactorReset: { reason: 'A test.' },
  createDestination: { channel: 'email', address: `x-${newId()}@example.test` },
  putNotificationPreferences: { timezone: 'Europe/Berlin', preferences: [] },
}

const naming = world.platform.routes.filter(
  ({ method, path }) => method !== 'GET' && names_a_person.test(path),
)
const ending = naming.filter(({ name = '' }) => !besides[name])
const built_in = [...gather(composition.surfaces).permissions.values()].flatMap(one => one.roles)
const lower = new Set(built_in.filter(role => role !== 'member' && role !== 'platform_operator'))

let operator: Member
let beside: Member
let ids: Readonly<Record<string, string>>

beforeAll(async () => {
  operator = await world.member()
  await world.give(operator, 'platform_operator')
  beside = await world.member(operator.tenant)
  await world.give(beside, ...lower)
  const { token } = operator
  const key = await world.call('POST', '/v1/api-keys', {
    token,
    body: { name: 'k', permissions: [manage] },
  })
  const made = await world.call('POST', `/v1/users/me/destinations`, {
    token,
    key: newKey(),
    body: { channel: 'email', address: `d-${newId()}@example.test` },
  })
  if (!key.body.id || !made.body.id) throw new Error(`${key.text} ${made.text}`)
  ids = {
    account_id: operator.id,
    user_id: operator.id,
    session_id: operator.session_id,
    api_key_id: key.body.id,
    role_id: 'platform_operator',
    id: made.body.id,
  }
})

function ask({ method, path, name = '' }: Route, token: string, more: typeof ids = {}) {
  const named: typeof ids = { ...ids, ...more }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, of: string) => named[of] ?? newId())
  const writes = method !== 'DELETE' && { body: bodies[name] ?? {}, key: newKey() }
  return world.call(method, filled, { token, ...writes })
}

test('every exception is a route', () => {
  const names = naming.map(({ name }) => name)
  expect(Object.keys(besides).filter(name => !names.includes(name))).toEqual([])
})

test.each(ending.map(one => [one.name, one] as const))(
  '%s is refused for an operator, to all lower roles together',
  async (_, route) => {
    const { status, body } = await ask(route, beside.token)
    expect([status, body.code, body.permission]).toEqual([403, 'permission_denied', manage])
  },
)

test('a role beside that of an operator is not taken away either', async () => {
  await world.give(operator, 'auditor')
  const remove = naming.find(one => one.name === 'removeRole')
  if (!remove) throw new Error('the route has another name')
  const { status, body } = await ask(remove, beside.token, { role_id: 'auditor' })
  expect([status, body.permission]).toEqual([403, manage])
})

test('an API key with the one permission, and a holder by a role of its own', async () => {
  const { token } = beside
  const permissions = ['identity.sessions.revoke_any', 'identity.api_keys.manage_any']
  const { body: made } = await world.call('POST', '/v1/api-keys', {
    token,
    body: { name: 'k', permissions },
  })
  const holder = await world.member(operator.tenant)
  await world.allow(holder, manage)
  for (const { id, session_id } of [operator, holder]) {
    for (const path of [`/v1/accounts/${id}/sessions`, `/v1/sessions/${session_id}`]) {
      const { status, body } = await world.call('DELETE', path, { token: made.key })
      expect([status, body.permission]).toEqual([403, manage])
    }
  }
})

test('the operator still works, and may end others and itself', async () => {
  const { token, id } = operator
  expect((await world.call('GET', '/v1/tenants', { token })).status).toBe(200)
  await world.give(operator, 'session_administrator')
  const other = await world.member(operator.tenant)
  await world.give(other, 'platform_operator')
  const ended = [
    `/v1/sessions/${other.session_id}`,
    `/v1/accounts/${other.id}/sessions`,
    `/v1/api-keys/${ids['api_key_id']}`,
    `/v1/accounts/${id}/roles/auditor`,
    `/v1/accounts/${id}/sessions`,
  ]
  await world.give(operator, 'tenant_admin')
  for (const path of ended) expect((await world.call('DELETE', path, { token })).status).toBe(204)
})
