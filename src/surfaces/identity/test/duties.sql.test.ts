/** No role contains separated duties, for any caller and any way into the table. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import { violates } from '../../../kernel/database/failures.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { composition } from '../../../platform.ts'
import { gather } from '../../../runtime/gather.ts'
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

test('no built-in role mixes duties', () => {
  const duties = new Map<string, Set<string>>()
  for (const { roles, duty } of Object.values(permissions))
    for (const role of duty ? roles : [])
      duties.set(role, (duties.get(role) ?? new Set()).add(duty as string))
  expect(duties.size).toBeGreaterThan(1)
  for (const [role, held] of duties) expect([role, held.size]).toEqual([role, 1])
})
