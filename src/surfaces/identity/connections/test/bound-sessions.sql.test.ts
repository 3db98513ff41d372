/** What a session that began at the provider of an organization may not do with the person's account. */
import { afterAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openSignInWorld } from '../../test/sign-in-world.ts'

const world = await openSignInWorld()
const { call } = world
afterAll(() => world.close())

test('a session of an organization’s provider adds no way in, joins no organization, and works in no other', async () => {
  const admin = await world.admin()
  const domain = `d${newId().slice(-12)}.test`
  await world.own(admin.tenant, domain)
  const id = await world.connect(admin, 'google', { jit: true })
  const { ticket } = await world.come(id, { email: `ann@${domain}` })
  const login = await world.redeem(ticket)
  const { access_token: token, account_id, session_id, refresh_token } = login.body
  const other = await world.tenant()
  await world.give({ ...login.body, id: account_id, tenant: other }, 'auditor')
  const tries: [string, string, object?][] = [
    ['POST', '/v1/mfa/methods', { type: 'passkey', label: 'Mine' }],
    ['POST', '/v1/mfa/methods', { type: 'totp', label: 'Mine' }],
    ['POST', '/v1/mfa/recovery-codes', {}],
    ['GET', '/v1/me/invitations'],
    ['POST', `/v1/me/invitations/${newId()}/accept`, {}],
    ['POST', '/v1/organizations', { slug: `o-${newId().slice(-12)}`, name: 'Mine' }],
    ['POST', '/v1/me/external-identities', { oidc_ticket: `ot_${'x'.repeat(43)}` }],
    ['DELETE', `/v1/me/external-identities/${newId()}`],
    ['GET', '/v1/me/export'],
    ['DELETE', `/v1/accounts/${account_id}`],
    ['POST', '/v1/sessions/current/access-tokens', { tenant_id: other.id }],
    ['POST', `/v1/sessions/${session_id}/refresh`, { refresh_token, tenant_id: other.id }],
  ]
  for (const [method, path, body] of tries) {
    const answer = await call(method, path, { token, ...(body ? { body } : {}) })
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'session_bound'])
  }
  expect((await call('GET', '/v1/me', { token })).body.id).toBe(account_id)
})
