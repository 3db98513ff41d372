/**
 * An operation that a role allows and only the second factor forbids says so, on every surface: the
 * refusals of handlers are explained like those of the pipeline.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import { guarded, stepUp } from './second-factor.ts'

const world = await openProductWorld({ IDENTITY_ADMIN_REQUIRES_MFA: 'true' })
afterAll(() => world.close())

let admin: Member
let member: Member
beforeAll(async () => {
  admin = await world.member()
  member = await world.member(admin.tenant)
  const roles = ['tenant_admin', 'platform_operator', 'session_administrator', 'shop_manager']
  await world.give(admin, ...roles)
  await world.allow(admin, 'payments.ledger.read', 'inference.usage.read')
})

const day = { from: '2026-01-01', to: '2026-01-02' }
const requests = [
  ['GET', '/v1/roles', undefined, 'identity.roles.read'],
  [
    'POST',
    '/v1/api-keys',
    { name: 'prometheus', permissions: ['kernel.metrics.read'] },
    'kernel.metrics.read',
  ],
  [
    'POST',
    '/v1/api-keys',
    { name: 'worker', permissions: ['jobs.jobs.submit:demo.count'] },
    'jobs.jobs.submit:demo.count',
  ],
  ['GET', `/v1/api-keys?account_id=${newId()}`, undefined, 'identity.api_keys.manage_any'],
  ['GET', `/v1/security-events?account_id=${newId()}`, undefined, 'identity.security_events.read'],
  ['GET', `/v1/accounts/${newId()}/sessions`, undefined, 'identity.sessions.read_any'],
  ['DELETE', `/v1/accounts/${newId()}/sessions`, undefined, 'identity.sessions.revoke_any'],
  ['DELETE', `/v1/accounts/${newId()}`, undefined, 'identity.accounts.delete'],
  [
    'GET',
    `/v1/usage?scope=tenant&from=${day.from}&to=${day.to}`,
    undefined,
    'inference.usage.read',
  ],
  ['GET', '/v1/products?state=draft', undefined, 'commerce.products.write'],
  ['GET', '/v1/ledger/accounts?owner=platform', undefined, 'payments.ledger.read'],
] as const

test.concurrent.for(requests)('%s %s', async ([method, path, body, permission]) => {
  const asked = (token: string) => world.call(method, path, { token, body })
  const weak = await asked(admin.token)
  expect([weak.status, weak.body.code]).toEqual([403, 'mfa_enrollment_required'])
  expect(weak.body.permission).toBe(permission)
  expect(weak.body.detail).toContain('/account/')
  const without = await asked(member.token)
  expect([without.status, without.body.code]).toEqual([403, 'permission_denied'])
  expect(without.body.permission).toBe(permission)
})

test('with a factor that the session did not use it is step_up_required, and after it the key is made', async () => {
  const who = await guarded(world)
  await world.give(who.member, 'platform_operator')
  const body = { name: 'prometheus', permissions: ['kernel.metrics.read'] }
  const make = (token: string) => world.call('POST', '/v1/api-keys', { token, body })
  const weak = await make(who.member.token)
  expect([weak.status, weak.body.code]).toEqual([403, 'step_up_required'])
  const meOf = async (token: string) => (await world.call('GET', '/v1/me', { token })).body
  const before = await meOf(who.member.token)
  expect(before.permissions).not.toContain('kernel.metrics.read')
  expect(before.withheld_permissions).toContain('kernel.metrics.read')
  const { access_token } = (await stepUp(world, who, who.member.token)).body
  const after = await meOf(access_token)
  expect(after.permissions).toContain('kernel.metrics.read')
  expect(after.withheld_permissions).toEqual([])
  expect((await make(access_token)).status).toBe(201)
})

test('a key does not create another key, and learns why', async () => {
  const body = { name: 'reader', permissions: ['links.links.read'] }
  const made = await world.call('POST', '/v1/api-keys', { token: member.token, body })
  const again = await world.call('POST', '/v1/api-keys', { token: made.body.key, body })
  expect([again.status, again.body.code]).toEqual([403, 'permission_denied'])
  expect(again.body.detail).toContain('session')
})
