/** Where a tenant requires a second factor: the session in which a person adds the first one. */
import { afterAll, expect, test } from 'vitest'
import type { Tenant } from '../../../../../test/product-world.ts'
import type { Answer } from '../../../../../test/world.ts'
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import { makeAuthenticator } from '../../test/authenticator.ts'
import {
  activate,
  claimsOf,
  enrolTotp,
  guarded,
  nextCode,
  openMfaWorld,
  origin,
  stepUp,
} from '../../test/second-factor.ts'

const world = await openMfaWorld()
const { call } = world
afterAll(() => world.close())

async function decided(tenant: Tenant, login: object): Promise<void> {
  await world.platform.kernel.db.run(sql`
    update identity.tenants set login = ${sql.json(login)}::jsonb where id = ${tenant.id}`)
}

type Tokens = { session_id: string; refresh_token: string }
const refresh = ({ session_id, refresh_token }: Tokens) =>
  call('POST', `/v1/sessions/${session_id}/refresh`, { body: { refresh_token } })
const codeOf = ({ status, body }: Answer) => [status, body.code]

test('without a factor a session can only add one, and the proof begins a full session', async () => {
  const ann = await world.member()
  await decided(ann.tenant, { require_mfa: true })
  expect(codeOf(await refresh(ann))).toEqual([403, 'second_factor_required'])
  const { status, body } = await world.login(ann)
  expect([status, body.scope, body.aal]).toEqual([201, ['enrolment'], 'aal1'])
  const { access_token: token, session_id } = body
  expect(claimsOf(token)['scope']).toBe('enrolment')
  const closed: [string, string, object?][] = [
    ['GET', '/v1/me'],
    ['PATCH', '/v1/me', { display_name: 'x' }],
    ['GET', '/v1/sessions'],
    ['POST', '/v1/api-keys', { name: 'x', permissions: [] }],
    ['GET', '/v1/jobs'],
    ['POST', '/v1/sessions/current/access-tokens', { tenant_id: ann.tenant.id }],
    ['POST', '/v1/password-changes', { current_password: 'x', new_password: 'y' }],
  ]
  for (const [method, path, sent] of closed) {
    const answer = await call(method, path, { token, ...(sent ? { body: sent } : {}) })
    expect([path, ...codeOf(answer)]).toEqual([path, 403, 'insufficient_scope'])
  }
  // Refreshed it stays what it is.
  const again = await refresh(body)
  expect(claimsOf(again.body.access_token)['scope']).toBe('enrolment')
  const { method_id, app } = await enrolTotp(world, token)
  const wrong = await activate(world, token, method_id, { code: '000000' })
  expect(codeOf(wrong)).toEqual([401, 'mfa_verification_failed'])
  const code = await nextCode(world, app)
  const done = await activate(world, token, method_id, { code })
  expect(done.status, done.text).toBe(200)
  expect(done.body.recovery_codes).toHaveLength(10)
  const { session } = done.body
  expect(session).toMatchObject({ aal: 'aal2', account_id: ann.id, tenant_id: ann.tenant.id })
  expect(session.session_id).not.toBe(session_id)
  expect(session.scope).toBeUndefined()
  const me = await call('GET', '/v1/me', { token: session.access_token })
  expect(me.body.session).toMatchObject({ scope: null, client_id: null, amr: ['pwd', 'otp'] })
  expect((await refresh(session)).status).toBe(200)
  // The session with the scope is over.
  expect((await call('GET', '/v1/mfa/methods', { token })).status).toBe(401)
  expect((await refresh(again.body)).status).toBe(401)
  const login = await world.login(ann)
  expect(login.status).toBe(202)
})

test('a passkey is a factor that may be added first', async () => {
  const ann = await world.member()
  await decided(ann.tenant, { require_mfa: true })
  const { body } = await world.login(ann)
  const token = body.access_token
  const key = makeAuthenticator(origin)
  const enrolled = await call('POST', '/v1/mfa/methods', {
    token,
    body: { type: 'passkey', label: 'Key' },
  })
  expect(enrolled.status, enrolled.text).toBe(201)
  const attestation = key.create(enrolled.body.public_key)
  const done = await activate(world, token, enrolled.body.id, { attestation, delivery: 'cookie' })
  expect(done.body.session).toMatchObject({ aal: 'aal2', account_id: ann.id })
  expect(done.body.session.access_token).toBeUndefined()
  expect(done.headers.getSetCookie().join()).toContain('at=')
})

test('of 20 proofs at once one begins the full session', async () => {
  const ann = await world.member()
  await decided(ann.tenant, { require_mfa: true })
  const { body } = await world.login(ann)
  const { method_id, app } = await enrolTotp(world, body.access_token)
  const code = await nextCode(world, app)
  const all = await Promise.all(
    Array.from({ length: 20 }, () => activate(world, body.access_token, method_id, { code })),
  )
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
  const [found] = await world.platform.kernel.db.many(
    Type.Object({ full: Type.Integer() }),
    sql`
      select count(*)::int as full from identity.sessions
      where account_id = ${ann.id} and aal = 'aal2' and revoked_at is null`,
  )
  expect(found).toEqual({ full: 1 })
})

test('a factor that was added elsewhere is proven by a challenge', async () => {
  const ann = await world.member()
  const who = { ...ann }
  await decided(ann.tenant, { require_mfa: true })
  const { body } = await world.login(ann)
  // The older session has not been refreshed yet.
  const { method_id, app } = await guarded(world, who)
  const full = await stepUp(
    world,
    { member: ann, method_id, app, recovery_codes: [] },
    body.access_token,
  )
  expect([full.status, full.body.aal, full.body.scope]).toEqual([201, 'aal2', undefined])
  expect((await call('GET', '/v1/me', { token: full.body.access_token })).status).toBe(200)
  expect((await call('GET', '/v1/mfa/methods', { token: body.access_token })).status).toBe(401)
})
