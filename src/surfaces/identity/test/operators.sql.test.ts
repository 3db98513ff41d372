/** The platform keeps an operator, whichever way the last one would go. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { sql } from '#dodeca/kernel'

const world = await openProductWorld({})
afterAll(() => world.close())

async function operator(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'platform_operator', 'tenant_admin')
  return member
}

const disable = ({ token }: Member, { id }: Member) =>
  world.call('PATCH', `/v1/accounts/${id}`, { token, body: { status: 'disabled' } })
const erase = ({ token }: Member, { id }: Member) =>
  world.call('DELETE', `/v1/accounts/${id}`, { token })
const take = ({ token }: Member, { id }: Member) =>
  world.call('DELETE', `/v1/accounts/${id}/roles/platform_operator`, { token })

test('the last operator stays, and any but the last may go', async () => {
  await world.platform.kernel.db.run(
    sql`delete from identity.role_assignments where role_id = 'platform_operator'`,
  )
  const last = await operator()
  for (const end of [disable, erase, take]) {
    const refused = await end(last, last)
    expect([refused.status, refused.body.code]).toEqual([409, 'last_operator'])
  }
  expect((await world.call('GET', '/v1/tenants', { token: last.token })).status).toBe(200)
  for (const [end, status] of [
    [disable, 200],
    [erase, 204],
    [take, 204],
  ] as const) {
    const other = await world.member(last.tenant)
    await world.give(other, 'platform_operator')
    expect((await end(last, other)).status).toBe(status)
  }
  expect((await disable(last, last)).body.code).toBe('last_operator')

  // Of two who end each other at once, one stays.
  const other = await world.member(last.tenant)
  await world.give(other, 'platform_operator', 'tenant_admin')
  const both = await Promise.all([disable(last, other), disable(other, last)])
  expect(both.filter(one => one.status === 200)).toHaveLength(1)
  const left = both[0].status === 200 ? last : other
  expect((await world.call('GET', '/v1/tenants', { token: left.token })).status).toBe(200)
})

test('who may not take the role of an operator may not end its holder', async () => {
  const [holder, admin] = [await operator(), await world.member()]
  const beside = await world.member(holder.tenant)
  await world.give(beside, 'tenant_admin')
  for (const end of [disable, erase, take]) {
    const refused = await end(beside, holder)
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
    expect((await end(admin, holder)).status).not.toBeLessThan(400)
  }
  expect((await world.call('GET', '/v1/tenants', { token: holder.token })).status).toBe(200)
})

test('the tenant of the last operator stays, wherever the role is', async () => {
  await world.platform.kernel.db.run(
    sql`delete from identity.role_assignments where role_id = 'platform_operator'`,
  )
  const [home, elsewhere] = [await world.member(), await world.tenant()]
  await world.give(home, 'platform_operator')
  const close = (id: string) =>
    world.call('PATCH', `/v1/tenants/${id}`, { token: home.token, body: { state: 'disabled' } })
  const refused = await close(home.tenant.id)
  expect([refused.status, refused.body.code]).toEqual([409, 'last_operator'])
  expect((await close(elsewhere.id)).status).toBe(200)
  const other = await world.member()
  await world.give(other, 'platform_operator')
  expect((await close(home.tenant.id)).status).toBe(200)
})

test('a tenant keeps an administrator, unless it has no other account', async () => {
  const admin = await world.member()
  await world.give(admin, 'tenant_admin')
  const member = await world.member(admin.tenant)
  const take_role = ({ token }: Member, { id }: Member) =>
    world.call('DELETE', `/v1/accounts/${id}/roles/tenant_admin`, { token })
  for (const end of [disable, erase, take_role]) {
    const refused = await end(admin, admin)
    expect([refused.status, refused.body.code]).toEqual([409, 'last_administrator'])
    expect(refused.body.detail).toContain('`tenant_admin`')
  }

  // Of two who remove each other at once, one stays.
  await world.give(member, 'tenant_admin')
  const both = await Promise.all([take_role(admin, member), take_role(member, admin)])
  expect(both.filter(one => one.status === 204)).toHaveLength(1)
  const [left, other] = both[0].status === 204 ? [admin, member] : [member, admin]
  expect((await disable(left, left)).body.code).toBe('last_administrator')

  // An own role that may assign roles is enough.
  await world.allow(other, 'identity.roles.assign', 'identity.accounts.disable')
  expect((await take_role(left, left)).status).toBe(204)
  expect((await disable(other, other)).body.code).toBe('last_administrator')

  // An operator can appoint another one.
  const above = await world.member(admin.tenant)
  await world.give(above, 'platform_operator', 'tenant_admin')
  expect((await disable(above, other)).status).toBe(200)

  const alone = await world.member()
  await world.give(alone, 'tenant_admin')
  expect((await erase(alone, alone)).status).toBe(204)
})
