/** An organization that requires its own provider, with a real one: who comes in, and who is refused. */
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { claimsOf, guarded, strongToken } from '../../test/second-factor.ts'
import { openSignInWorld } from '../../test/sign-in-world.ts'

const world = await openSignInWorld()
const { call } = world
afterAll(() => world.close())

test('with `require_sso` and `require_mfa` people of the provider work, and others do not', async () => {
  const admin = await world.admin()
  const { tenant } = admin
  const domain = `d${newId().slice(-12)}.test`
  await world.own(tenant, domain)
  const id = await world.connect(admin, 'google', { jit: true })
  const ann = await world.member(tenant)
  const token = await strongToken(world, await guarded(world, admin))
  const body = { login: { require_sso: true, require_mfa: true, password: false } }
  const decided = await call('PATCH', '/v1/organization', { token, body })
  expect(decided.status, decided.text).toBe(200)

  const password = await world.login(ann)
  expect([password.status, password.body.code]).toEqual([403, 'sso_required'])
  const { ticket } = await world.come(id, { email: `bea@${domain}` })
  const login = await world.redeem(ticket)
  expect(login.status, login.text).toBe(201)
  // The provider of the organization answers for the second factor of its people.
  expect([login.body.aal, login.body.scope]).toEqual(['aal1', undefined])
  const { session_id, refresh_token } = login.body
  const refreshed = await call('POST', `/v1/sessions/${session_id}/refresh`, {
    body: { refresh_token },
  })
  expect(refreshed.status, refreshed.text).toBe(200)
  expect(claimsOf(refreshed.body.access_token)['scope']).toBeUndefined()
  const me = await call('GET', '/v1/me', { token: refreshed.body.access_token })
  expect(me.body.session.bound_tenant_id).toBe(tenant.id)
  // A provider that everybody may use is not the organization's.
  await world.platform.kernel.db.run(sql`
    update identity.tenants set login = '{"providers": false}' where id = ${tenant.id}`)
  const again = await call('POST', `/v1/sessions/${session_id}/refresh`, {
    body: { refresh_token: refreshed.body.refresh_token },
  })
  expect([again.status, again.body.code]).toEqual([403, 'login_method_not_allowed'])
})
