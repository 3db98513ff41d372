/** API keys of an organization: they stay when their maker leaves, and have only what was given. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import { sql } from '#dodeca/kernel'
import { announced } from './announced.ts'
import { organizationsOf } from './organization-world.ts'
import { guarded } from './second-factor.ts'

const world = await openProductWorld({
  IDENTITY_ORGANIZATIONS: 'members',
  IDENTITY_API_KEYS_PER_ORGANIZATION: '3',
})
afterAll(() => world.close())
const { ask, proven, make, join } = organizationsOf(world)
const { db } = world.platform.kernel

const read = 'identity.accounts.read'

const makeKey = (token: string, permissions = [read]) =>
  ask(token, 'POST', '/v1/api-keys', { name: 'sync', owner: 'organization', permissions })
const grantsOf = async (tenant_id: string, principal_id: string) =>
  (await world.identity.grantsOf(db, [{ tenant_id, principal_id }])).map(one => [...one])[0]

test.concurrent(
  'a key of the organization works after its maker has left and is erased',
  async () => {
    const owner = await proven()
    const org = await make(owner)
    const maker = await proven()
    const made = await makeKey(await join(org, maker, 'tenant_admin'))
    expect(made.status, made.text).toBe(201)
    const { key, id } = made.body
    expect(made.body).toMatchObject({ account_id: null, made_by: maker.id })
    expect(await announced(world, 'api_key.created', id)).toEqual([
      { api_key_id: id, account_id: null },
    ])
    const left = await ask(org.token, 'DELETE', `/v1/organization/members/${maker.id}`)
    expect(left.status, left.text).toBe(204)
    expect((await ask(key, 'GET', '/v1/accounts')).status).toBe(200)
    const { body: own } = await world.login(maker)
    const erased = await ask(own.access_token, 'DELETE', `/v1/accounts/${maker.id}`)
    expect(erased.status, erased.text).toBe(204)
    expect((await ask(key, 'GET', '/v1/accounts')).status).toBe(200)
    const me = await ask(key, 'GET', '/v1/me')
    expect(me.body).toMatchObject({
      id,
      email: null,
      principal_type: 'service',
      permissions: [read],
    })
    expect(me.body.tenants).toEqual([{ id: org.id, slug: org.slug }])
    // Work that runs later asks without the key.
    expect(await grantsOf(org.id, id)).toEqual([read])
    const service = { id, tenant_id: org.id, kind: 'service', session_id: null } as const
    expect(await world.identity.rolesOf(db, service)).toEqual([])
    expect(await world.identity.recipients(db, [{ tenant_id: org.id, principal_id: id }])).toEqual(
      [],
    )
  },
)

test.concurrent(
  'every administrator of the tenant sees and revokes it, and nobody else',
  async () => {
    const org = await make(await proven())
    const { id, key } = (await makeKey(org.token)).body
    const guest = await join(org, await proven())
    const foreign = await make(await proven())
    const others = await Promise.all(
      [guest, foreign.token].map(token => ask(token, 'DELETE', `/v1/api-keys/${id}`)),
    )
    expect(others.map(one => one.body.code)).toEqual(['api_key_not_found', 'api_key_not_found'])
    const list = '/v1/api-keys?scope=tenant&owner=organization'
    expect((await ask(guest, 'GET', list)).body.code).toBe('permission_denied')
    expect((await ask(foreign.token, 'GET', list)).body.data).toEqual([])
    const admin = await join(org, await proven(), 'tenant_admin')
    expect((await ask(admin, 'GET', list)).body.data).toMatchObject([{ id, account_id: null }])
    expect((await ask(admin, 'DELETE', `/v1/api-keys/${id}`)).status).toBe(204)
    expect((await ask(key, 'GET', '/v1/accounts')).status).toBe(401)
    expect(await grantsOf(org.id, id)).toEqual([])
    const service = { id, tenant_id: org.id, kind: 'service', session_id: null } as const
    expect(await world.identity.rolesOf(db, service)).toBeNull()
  },
)

test.concurrent(
  'making one needs the permission, a recent authentication, and what it gets',
  async () => {
    const org = await make(await proven())
    const person = await proven()
    const token = await join(org, person, 'auditor')
    const without = await makeKey(token)
    expect([without.status, without.body.permission]).toEqual([403, 'identity.api_keys.manage_any'])
    const more = await makeKey(org.token, ['identity.sessions.revoke_any'])
    expect([more.status, more.body.permission]).toEqual([403, 'identity.sessions.revoke_any'])
    await db.run(sql`
    insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
    values (${person.id}, ${org.id}, 'tenant_admin', 'system'),
      (${person.id}, ${org.id}, 'refund_operator', 'system'),
      (${person.id}, ${org.id}, 'platform_operator', 'system')`)
    // Of an operator in an organization that no operator trusts.
    for (const permission of ['payments.refunds.create', 'identity.tenants.manage']) {
      const beyond = await makeKey(token, [permission])
      expect([beyond.status, beyond.body.code]).toEqual([403, 'permission_denied'])
      expect(beyond.body.detail).toContain(`cannot hold \`${permission}\``)
    }
    await db.run(sql`update identity.tenants set trusted = true where id = ${org.id}`)
    const { id } = (await makeKey(token, ['payments.refunds.create', read])).body
    expect(await grantsOf(org.id, id)).toEqual(['payments.refunds.create', read])
    await db.run(sql`update identity.tenants set trusted = false where id = ${org.id}`)
    expect(await grantsOf(org.id, id)).toEqual([read])
    await db.run(sql`update identity.tenants set trusted = true where id = ${org.id}`)
    const support = ['payments.refunds.create', 'identity.support.view']
    await db.run(sql`
      insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
      values (${person.id}, ${org.id}, 'support_viewer', 'system')`)
    expect((await makeKey(token, support)).body.code).toBe('duty_conflict')
  },
)

test.concurrent('a login that is not recent makes none; a key makes none', async () => {
  const maker = await proven()
  const org = await make(maker)
  const { key } = (await makeKey(org.token)).body
  expect((await makeKey(key)).body.code).toBe('permission_denied')
  // With these its maker could become an administrator again.
  for (const one of ['identity.roles.assign', 'identity.api_keys.manage_any']) {
    const refused = await makeKey(org.token, [read, one])
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  }
  const unproven = await world.member()
  const own = await make(unproven)
  expect((await makeKey(own.token)).body.detail).toContain('Verify your address first')
  await guarded(world, maker)
  expect((await makeKey(org.token)).body.code).toBe('step_up_required')
})

test.concurrent('keys made at once stay within the limit, and end with the tenant', async () => {
  const org = await make(await proven())
  const made = await Promise.all(Array.from({ length: 6 }, () => makeKey(org.token)))
  expect(made.filter(one => one.status === 201)).toHaveLength(3)
  expect(made.filter(one => one.body.code === 'quota_exceeded')).toHaveLength(3)
  const { key, id } = made.filter(one => one.status === 201).map(one => one.body)[0]
  await db.run(sql`update identity.tenants set state = 'disabled' where id = ${org.id}`)
  expect((await ask(key, 'GET', '/v1/accounts')).status).toBe(401)
  expect(await grantsOf(org.id, id)).toEqual([])
})
