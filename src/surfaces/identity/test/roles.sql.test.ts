/** Roles are given and taken within a tenant, count at once, and never reach beyond who gives them. */
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import { announced, audited } from './announced.ts'

const world = await openProductWorld()
afterAll(() => world.close())

async function administrator(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}

describe.concurrent('roles', () => {
  test('the list joins built-in roles and own ones, page by page', async () => {
    const admin = await administrator()
    for (const role_id of ['aa_first', 'zz_last']) {
      const body = { role_id, name: 'Mine', permissions: ['identity.accounts.read'] }
      const made = await world.call('POST', '/v1/roles', { token: admin.token, body })
      expect(made.status).toBe(201)
      expect(made.body).toMatchObject({ role_id, built_in: false, permissions: body.permissions })
    }
    const whole = await world.call('GET', '/v1/roles?limit=100', { token: admin.token })
    const ids: string[] = whole.body.data.map((role: { role_id: string }) => role.role_id)
    expect(ids).toEqual([...ids].sort())
    expect(ids).toEqual(expect.arrayContaining(['aa_first', 'auditor', 'tenant_admin', 'zz_last']))
    expect(ids).not.toContain('member')
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor ? `&cursor=${cursor}` : ''
      const { body } = await world.call('GET', `/v1/roles?limit=2${query}`, { token: admin.token })
      expect(body.data.length).toBeLessThanOrEqual(2)
      paged.push(...body.data.map((role: { role_id: string }) => role.role_id))
      cursor = body.next_cursor
    }
    expect(paged).toEqual(ids)
  })

  test('a cursor of another tenant is refused, and its roles are not there', async () => {
    const [one, other] = [await administrator(), await administrator()]
    const body = { role_id: 'only_here', name: 'Mine', permissions: ['identity.accounts.read'] }
    await world.call('POST', '/v1/roles', { token: one.token, body })
    const page = await world.call('GET', '/v1/roles?limit=1', { token: one.token })
    const path = `/v1/roles?limit=1&cursor=${page.body.next_cursor}`
    const borrowed = await world.call('GET', path, { token: other.token })
    expect(borrowed.body.code).toBe('invalid_cursor')
    const { text } = await world.call('GET', '/v1/roles?limit=100', { token: other.token })
    expect(text).not.toContain('only_here')
    const give = `/v1/accounts/${other.id}/roles/only_here`
    const foreign = await world.call('PUT', give, { token: other.token })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'role_not_found'])
  })

  test('members of a tenant are at home in it, or have a role in it', async () => {
    const host = await administrator()
    const [guest, stranger] = [await world.member(), await world.member()]
    const { identity, platform } = world
    const members = () =>
      identity.membersOf(platform.kernel.db, host.tenant.id, [
        host.id,
        guest.id,
        stranger.id,
        newId(),
      ])
    expect(await members()).toEqual(new Set([host.id]))
    await world.give({ ...guest, tenant: host.tenant }, 'auditor')
    expect(await members()).toEqual(new Set([host.id, guest.id]))
  })

  test('built-in and known ids, unknown and mistyped permissions are refused', async () => {
    const { token } = await administrator()
    const define = async (role_id: string, ...permissions: string[]) => {
      const body = { role_id, name: 'x', permissions }
      const { status, body: said } = await world.call('POST', '/v1/roles', { token, body })
      return [status, said.code]
    }
    const fine = 'identity.accounts.read'
    expect(await define('tenant_admin', fine)).toEqual([409, 'already_exists'])
    expect(await define('member', fine)).toEqual([409, 'already_exists'])
    expect(await define('mine_a', fine)).toEqual([201, undefined])
    expect(await define('mine_a', fine)).toEqual([409, 'already_exists'])
    expect(await define('mine_b', 'identity.nothing.read')).toEqual([422, 'unknown_permission'])
    expect(await define('mine_b', `${fine}:x`)).toEqual([422, 'unknown_permission'])
    expect(await define('mine_b', fine, fine)).toEqual([422, 'validation_failed'])
    expect(await define('Mine', fine)).toEqual([422, 'validation_failed'])
    const changed = await world.call('PUT', '/v1/roles/tenant_admin', { token, body: {} })
    expect(changed.status).toBe(404)
  })

  test('callers without the permission are refused', async () => {
    const member = await world.member()
    const { token, id } = member
    const body = { role_id: 'mine', name: 'x', permissions: ['identity.accounts.read'] }
    const answers = await Promise.all([
      world.call('GET', '/v1/roles', { token }),
      world.call('POST', '/v1/roles', { token, body }),
      world.call('PUT', `/v1/accounts/${id}/roles/tenant_admin`, { token }),
      world.call('DELETE', `/v1/accounts/${id}/roles/tenant_admin`, { token }),
    ])
    expect(answers.map(one => one.status)).toEqual([403, 403, 403, 403])
  })

  test('a role counts with the next request, and no more once it is taken', async () => {
    const admin = await administrator()
    const member = await world.member(admin.tenant)
    const role = `/v1/accounts/${member.id}/roles/auditor`
    const read = async () => (await world.call('GET', '/v1/roles', { token: member.token })).status
    expect(await read()).toBe(403)
    const change = async (method: string) =>
      (await world.call(method, role, { token: admin.token })).status
    expect([await change('PUT'), await change('PUT')]).toEqual([204, 204])
    expect(await read()).toBe(200)
    expect([await change('DELETE'), await change('DELETE')]).toEqual([204, 204])
    expect(await read()).toBe(403)
    const { id: account_id, tenant } = member
    const data = { account_id, tenant_id: tenant.id, role_id: 'auditor', actor: admin.id }
    expect(await announced(world, 'role.assigned', member.id)).toEqual([data])
    expect(await announced(world, 'role.revoked', member.id)).toEqual([data])
    const acts = ['identity.roles.assign', 'identity.roles.revoke']
    expect(await audited(world, `${member.id}/auditor`)).toEqual(acts)
  })

  test('of grants at once one is announced', async () => {
    const admin = await administrator()
    const member = await world.member(admin.tenant)
    const give = (role: string) =>
      world.call('PUT', `/v1/accounts/${member.id}/roles/${role}`, { token: admin.token })
    const roles = ['auditor', 'auditor', 'auditor', 'tenant_admin', 'support_viewer', 'auditor']
    const answers = await Promise.all(roles.map(give))
    expect(answers.map(one => one.status)).toEqual(roles.map(() => 204))
    expect(await announced(world, 'role.assigned', member.id)).toHaveLength(3)
    const take = () =>
      world.call('DELETE', `/v1/accounts/${member.id}/roles/auditor`, { token: admin.token })
    const taken = await Promise.all([take(), take(), take()])
    expect(taken.map(one => one.status)).toEqual([204, 204, 204])
    expect(await announced(world, 'role.revoked', member.id)).toHaveLength(1)
  })

  test('accounts of another tenant are not there', async () => {
    const [admin, stranger] = [await administrator(), await world.member()]
    for (const id of [stranger.id, newId(), 'no-id'])
      for (const method of ['PUT', 'DELETE']) {
        const path = `/v1/accounts/${id}/roles/auditor`
        const { status, body } = await world.call(method, path, { token: admin.token })
        expect([status, body.code]).toEqual([404, 'account_not_found'])
      }
  })
})

describe.concurrent('what reaches beyond a tenant', () => {
  test('is given by platform operators only, by itself or within a role', async () => {
    const admin = await administrator()
    const member = await world.member(admin.tenant)
    const { token } = admin
    for (const role of ['platform_operator', 'key_administrator'])
      for (const method of ['PUT', 'DELETE']) {
        const path = `/v1/accounts/${member.id}/roles/${role}`
        expect((await world.call(method, path, { token })).body.code).toBe('permission_denied')
      }
    const body = { role_id: 'sly', name: 'Sly', permissions: ['identity.tenants.manage'] }
    const refused = await world.call('POST', '/v1/roles', { token, body })
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
    await world.give(admin, 'platform_operator')
    expect((await world.call('POST', '/v1/roles', { token, body })).status).toBe(201)
    const path = `/v1/accounts/${member.id}/roles/sly`
    expect((await world.call('PUT', path, { token })).status).toBe(204)
    const other = await administrator()
    await world.give(member, 'tenant_admin')
    const far = { token: member.token, body: { tenant_id: other.tenant.id } }
    const away = await world.call('PUT', `/v1/accounts/${other.id}/roles/auditor`, far)
    expect(away.status).toBe(204)
  })

  test('a role in another tenant counts there and nowhere else', async () => {
    const [admin, host] = [await administrator(), await administrator()]
    const path = `/v1/accounts/${admin.id}/roles/auditor`
    const body = { tenant_id: host.tenant.id }
    const refused = await world.call('PUT', path, { token: admin.token, body })
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
    await world.give(host, 'platform_operator')
    expect((await world.call('PUT', path, { token: host.token, body })).status).toBe(204)
    const nowhere = { token: host.token, body: { tenant_id: newId() } }
    expect((await world.call('PUT', path, nowhere)).body.code).toBe('tenant_not_found')
    const { status, body: tokens } = await world.call(
      'POST',
      `/v1/sessions/${admin.session_id}/refresh`,
      { body: { refresh_token: admin.refresh_token, tenant_id: host.tenant.id } },
    )
    expect([status, tokens.tenant_id]).toEqual([200, host.tenant.id])
    const there = { token: tokens.access_token }
    expect((await world.call('GET', '/v1/roles', there)).status).toBe(200)
    const give = `/v1/accounts/${host.id}/roles/auditor`
    expect((await world.call('PUT', give, there)).status).toBe(403)
  })
})
