/** API keys: shown once, never stronger than their owner, and dead the moment either is. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { announced, audited } from './announced.ts'

const world = await openProductWorld({ IDENTITY_API_KEYS_PER_ACCOUNT: '5' })
afterAll(() => world.close())

const read = 'identity.accounts.read'

async function reader(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'auditor')
  return member
}

function make({ token }: Pick<Member, 'token'>, more: object = {}) {
  const body = { name: 'worker', permissions: [read], ...more }
  return world.call('POST', '/v1/api-keys', { token, body })
}

const seesAccounts = async (token: string) =>
  (await world.call('GET', '/v1/accounts', { token })).status

test.concurrent('a key is shown once and works as a service of its owner', async () => {
  const owner = await reader()
  const made = await make(owner)
  expect(made.status).toBe(201)
  const { key, id, prefix } = made.body
  expect(key).toMatch(/^ak_[0-9a-f]{32}_[\w-]{51}$/)
  expect(key.startsWith(`${prefix}_`)).toBe(true)
  expect(made.body).toMatchObject({ account_id: owner.id, permissions: [read], state: 'active' })
  expect(await seesAccounts(key)).toBe(200)
  const list = await world.call('GET', '/v1/api-keys', { token: owner.token })
  expect(list.text).not.toContain(key.slice(36))
  expect(list.body.data).toMatchObject([{ id, name: 'worker', state: 'active' }])
  expect(list.body.data[0].last_used_at).not.toBeNull()
  expect(await announced(world, 'api_key.created', id)).toEqual([
    { api_key_id: id, account_id: owner.id },
  ])
  expect(await audited(world, id)).toEqual(['identity.api_keys.create'])
})

test.concurrent('a key is no person: it has no password, profile or factor', async () => {
  const { key: token } = (await make(await reader())).body
  const new_password = 'a wholly different phrase 71'
  const refused = await Promise.all([
    world.call('POST', '/v1/password-changes', {
      token,
      body: { current_password: 'x', new_password },
    }),
    world.call('POST', '/v1/email-changes', {
      token,
      body: { current_password: 'x', email: `k-${newId()}@example.test` },
    }),
    world.call('PATCH', '/v1/me', { token, body: { display_name: 'Key' } }),
    world.call('GET', '/v1/mfa/methods', { token }),
    world.call('GET', '/v1/me/export', { token }),
  ])
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([403, 'permission_denied'])
    expect(body.detail).toBe(
      'An API key cannot do this. Use the access token of a person who has logged in.',
    )
  }
})

test.concurrent('no row holds the key', async () => {
  const owner = await reader()
  const { key, id } = (await make(owner)).body
  const { row } = await world.platform.kernel.db.one(
    Type.Object({ row: Type.String() }),
    sql`select k::text as row from identity.api_keys k where id = ${id}`,
  )
  expect(row).not.toContain(key.slice(36))
  expect(row).toContain(id)
})

test.concurrent('a forged, cut or changed key is refused', async () => {
  const owner = await reader()
  const [{ key }, other] = [(await make(owner)).body, (await make(owner)).body.key]
  const flipped = key.slice(0, 40) + (key[40] === 'A' ? 'B' : 'A') + key.slice(41)
  const spliced = key.slice(0, 36) + other.slice(36)
  for (const token of [flipped, spliced, key.slice(0, -1), `${key}0`, 'ak_', `ak_${newId()}_x`]) {
    const { status, body } = await world.call('GET', '/v1/accounts', { token })
    expect([status, body.code]).toEqual([401, 'invalid_token'])
  }
})

test.concurrent('a key holds no more than its owner, now', async () => {
  const owner = await reader()
  const more = await make(owner, { permissions: [read, 'identity.accounts.disable'] })
  expect([more.status, more.body.code]).toEqual([403, 'permission_denied'])
  const unknown = await make(owner, { permissions: ['identity.nothing.read'] })
  expect([unknown.status, unknown.body.code]).toEqual([422, 'unknown_permission'])
  const { key } = (await make(owner)).body
  expect((await world.call('GET', '/v1/roles', { token: key })).status).toBe(403)
  const { db } = world.platform.kernel
  await db.run(sql`delete from identity.role_assignments where account_id = ${owner.id}`)
  expect(await seesAccounts(key)).toBe(403)
  await world.give(owner, 'auditor')
  expect(await seesAccounts(key)).toBe(200)
})

test.concurrent('a key makes no keys and steps up nowhere', async () => {
  const owner = await world.member()
  await world.give(owner, 'tenant_admin')
  const permissions = [read, 'identity.accounts.delete', 'identity.api_keys.manage_any']
  const { key } = (await make(owner, { permissions })).body
  expect((await make({ token: key })).body.code).toBe('permission_denied')
  const erase = await world.call('DELETE', `/v1/accounts/${owner.id}`, { token: key })
  expect([erase.status, erase.body.code]).toEqual([403, 'step_up_required'])
})

test.concurrent('a revoked key is dead at once; revoking again changes nothing', async () => {
  const owner = await reader()
  const { key, id } = (await make(owner)).body
  const stranger = await world.member()
  const path = `/v1/api-keys/${id}`
  const colleague = await world.member(owner.tenant)
  for (const { token } of [stranger, colleague]) {
    const { status, body } = await world.call('DELETE', path, { token })
    expect([status, body.code]).toEqual([404, 'api_key_not_found'])
  }
  await world.give(stranger, 'tenant_admin')
  expect((await world.call('DELETE', path, { token: stranger.token })).status).toBe(404)
  expect(await seesAccounts(key)).toBe(200)
  const answers = await Promise.all(
    [1, 2, 3].map(() => world.call('DELETE', path, { token: owner.token })),
  )
  expect(answers.map(one => one.status)).toEqual([204, 204, 204])
  expect(await seesAccounts(key)).toBe(401)
  expect(await announced(world, 'api_key.revoked', id)).toHaveLength(1)
})

test.concurrent(
  "an administrator of the tenant's keys sees and revokes them; a key can revoke itself",
  async () => {
    const owner = await reader()
    const admin = await world.member(owner.tenant)
    const list = () =>
      world.call('GET', `/v1/api-keys?account_id=${owner.id}`, { token: admin.token })
    expect((await list()).body.code).toBe('permission_denied')
    await world.give(admin, 'tenant_admin')
    const [first, second] = [(await make(owner)).body, (await make(owner)).body]
    expect((await list()).body.data).toHaveLength(2)
    const gone = await world.call('DELETE', `/v1/api-keys/${first.id}`, { token: admin.token })
    const itself = await world.call('DELETE', `/v1/api-keys/${second.id}`, { token: second.key })
    expect([gone.status, itself.status]).toEqual([204, 204])
    expect((await list()).body.data).toMatchObject([{ state: 'revoked' }, { state: 'revoked' }])
  },
)

test.concurrent('keys made at once stay within the limit', async () => {
  const owner = await reader()
  const answers = await Promise.all(Array.from({ length: 9 }, () => make(owner)))
  expect(answers.filter(one => one.status === 201)).toHaveLength(5)
  expect(answers.filter(one => one.body.code === 'quota_exceeded')).toHaveLength(4)
  const paged: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = cursor ? `&cursor=${cursor}` : ''
    const { body } = await world.call('GET', `/v1/api-keys?limit=2${query}`, { token: owner.token })
    paged.push(...body.data.map((one: { id: string }) => one.id))
    cursor = body.next_cursor
  }
  expect(new Set(paged).size).toBe(5)
  expect(paged).toEqual([...paged].sort((a, b) => (a < b ? 1 : -1)))
})

test.concurrent('an expiry lies ahead, and then the key is dead', async () => {
  const owner = await reader()
  const past = await make(owner, { expires_at: '2020-01-01T00:00:00Z' })
  expect([past.status, past.body.errors?.[0]?.pointer]).toEqual([422, '/expires_at'])
  expect(past.body.detail).toContain('Send a later `expires_at`')
  const { id, key } = (await make(owner, { expires_at: '2999-01-01T00:00:00Z' })).body
  expect(await seesAccounts(key)).toBe(200)
  await world.platform.kernel.db.run(sql`
    update identity.api_keys set expires_at = kernel.now() where id = ${id}`)
  expect(await seesAccounts(key)).toBe(401)
  const list = await world.call('GET', '/v1/api-keys', { token: owner.token })
  expect(list.body.data).toMatchObject([{ id, state: 'expired' }])
})

test.concurrent('a disabled owner has no key, an enabled one has it back', async () => {
  const owner = await reader()
  const admin = await world.member(owner.tenant)
  await world.give(admin, 'tenant_admin')
  const { key } = (await make(owner)).body
  const turn = (status: string) =>
    world.call('PATCH', `/v1/accounts/${owner.id}`, { token: admin.token, body: { status } })
  expect((await turn('disabled')).status).toBe(200)
  expect(await seesAccounts(key)).toBe(401)
  expect((await turn('active')).status).toBe(200)
  expect(await seesAccounts(key)).toBe(200)
  expect((await turn('disabled')).status).toBe(200)
  expect((await world.call('GET', '/v1/me', { token: key })).status).toBe(401)
})
