/** No role contains separated duties, for any caller and any way into the table. */
import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import { sql, violates } from '#dodeca/kernel'
import { composition } from '../../../platform.ts'
import { gather } from '../../../runtime/gather-declarations.ts'
import { permissions } from '../permissions.ts'

const world = await openProductWorld()
afterAll(() => world.close())

const support = 'identity.support.view'
const keys = 'identity.signing_keys.rotate'

test('a role of two duties cannot be defined, and nothing of it stays', async () => {
  const operator = await world.member()
  await world.give(operator, 'tenant_admin', 'platform_operator')
  const { token } = operator
  const define = (role_id: string, ...held: string[]) =>
    world.call('POST', '/v1/roles', { token, body: { role_id, name: 'x', permissions: held } })
  const mixed = await define('mixed', support, 'identity.accounts.read', keys)
  expect([mixed.status, mixed.body.code]).toEqual([422, 'duty_conflict'])
  const { text } = await world.call('GET', '/v1/roles?limit=100', { token })
  expect(text).not.toContain('mixed')
  expect((await define('mixed', support, 'identity.accounts.read')).status).toBe(201)
  expect((await define('keeper', keys)).status).toBe(201)
})

test('no statement can add a second duty to a role', async () => {
  const { id } = await world.tenant()
  const { db } = world.platform.kernel
  const add = (permission: string) =>
    db.run(sql`
      insert into identity.role_permissions (tenant_id, role_id, permission)
      values (${id}, 'helper', ${permission})`)
  await db.run(sql`
    insert into identity.roles (tenant_id, role_id, name) values (${id}, 'helper', 'Helper')`)
  await add(support)
  await add('identity.accounts.read')
  const refusals = await Promise.allSettled([add(keys), add('payments.refunds.create')])
  for (const one of refusals) {
    if (one.status === 'fulfilled') throw new Error('two duties were stored')
    expect(violates(one.reason, 'role_permissions_one_duty')).toBe(true)
  }
})

test('of two halves added at once one is stored', async () => {
  const { id } = await world.tenant()
  const { db } = world.platform.kernel
  await db.run(sql`
    insert into identity.roles (tenant_id, role_id, name) values (${id}, 'racing', 'Racing')`)
  const add = (permission: string) =>
    db.run(sql`
      insert into identity.role_permissions (tenant_id, role_id, permission)
      values (${id}, 'racing', ${permission})`)
  const ended = await Promise.allSettled([add(support), add(keys)])
  expect(ended.filter(one => one.status === 'fulfilled')).toHaveLength(1)
})

test('no API key has two duties, by request or by statement', async () => {
  const member = await world.member()
  await world.allow(member, support, 'identity.accounts.read')
  await world.give(member, 'refund_operator')
  const make = (...permissions: string[]) =>
    world.call('POST', '/v1/api-keys', { token: member.token, body: { name: 'k', permissions } })
  const mixed = await make(support, 'payments.refunds.create')
  expect([mixed.status, mixed.body.code]).toEqual([422, 'duty_conflict'])
  const one = await make(support, 'identity.accounts.read')
  expect(one.status).toBe(201)
  const widened = world.platform.kernel.db.run(sql`
    update identity.api_keys set permissions = permissions || 'payments.refunds.create'::text
    where id = ${one.body.id}`)
  await expect(widened).rejects.toSatisfy(error => violates(error, 'api_keys_one_duty'))
})

test('an administrator cannot give himself a second duty, also not by a key', async () => {
  const admin = await world.member()
  await world.give(admin, 'tenant_admin')
  const other = await world.member(admin.tenant)
  const give = async (who: { id: string }, role: string, token = admin.token) => {
    const path = `/v1/accounts/${who.id}/roles/${role}`
    const { status, body } = await world.call('PUT', path, { token })
    return [status, body?.code]
  }
  expect(await give(admin, 'refund_operator')).toEqual([204, undefined])
  expect(await give(admin, 'support_viewer')).toEqual([422, 'duty_conflict'])
  expect(await give(admin, 'auditor')).toEqual([204, undefined])
  const key = await world.call('POST', '/v1/api-keys', {
    token: admin.token,
    body: { name: 'k', permissions: ['identity.roles.assign'] },
  })
  expect(await give(admin, 'support_viewer', key.body.key)).toEqual([422, 'duty_conflict'])
  expect(await give(other, 'support_viewer')).toEqual([204, undefined])
  const me = await world.call('GET', '/v1/me', { token: admin.token })
  expect(me.body.permissions).not.toContain(support)
})

test('the database stores the duty of every permission', async () => {
  const declared = [...gather(composition.surfaces).permissions]
  const known = await world.platform.kernel.db.many(
    Type.Object({ permission: Type.String(), duty: Type.Union([Type.String(), Type.Null()]) }),
    sql`
      select permission, identity.duty_of(permission) as duty
      from unnest(${declared.map(([name]) => name)}::text[]) as permission`,
  )
  expect(new Map(known.map(({ permission, duty }) => [permission, duty]))).toEqual(
    new Map(declared.map(([name, { duty }]) => [name, duty ?? null])),
  )
})

test('docs/security.md names the permissions of each duty', async () => {
  const page = await readFile(new URL('../../../../docs/security.md', import.meta.url), 'utf8')
  const [, text = ''] = /^A duty is known by (.+)$/m.exec(page) ?? []
  const named = [...text.matchAll(/`([\w.]+)`/g)].map(([, name]) => name)
  const made = [...gather(composition.surfaces).permissions].filter(([, { duty }]) => duty)
  expect(new Set(named)).toEqual(new Set(made.map(([name]) => name)))
})

test('no built-in role mixes duties', () => {
  const duties = new Map<string, Set<string>>()
  for (const { roles, duty } of Object.values(permissions))
    for (const role of duty ? roles : [])
      duties.set(role, (duties.get(role) ?? new Set()).add(duty as string))
  expect(duties.size).toBeGreaterThan(1)
  for (const [role, held] of duties) expect([role, held.size]).toEqual([role, 1])
})
