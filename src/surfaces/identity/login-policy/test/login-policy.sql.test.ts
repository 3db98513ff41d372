/** The log-in policy of a tenant: at log-in, at refresh, at a switch, and that nobody is locked out. */
import { afterAll, expect, test } from 'vitest'
import type { Member, Tenant } from '../../../../../test/product-world.ts'
import type { Answer } from '../../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import {
  guarded,
  moveClock,
  nextCode,
  openMfaWorld,
  stepUp,
  strongToken,
  verify,
} from '../../test/second-factor.ts'

const world = await openMfaWorld()
const { call } = world
afterAll(() => world.close())

async function admin(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}

const decide = (token: string, login: object | null): Promise<Answer> =>
  call('PATCH', '/v1/organization', { token, body: { login } })

/** As an operator would, from elsewhere. */
async function decided(tenant: Tenant, login: object): Promise<void> {
  await world.platform.kernel.db.run(sql`
    update identity.tenants set login = ${sql.json(login)}::jsonb where id = ${tenant.id}`)
}

async function connected(tenant: Tenant): Promise<string> {
  const id = newId()
  await world.platform.kernel.db.run(sql`
    insert into identity.connections (tenant_id, id, name, kind, client_id, trust_email, jit,
      mfa_values, role_map, editor_id)
    values (${tenant.id}, ${id}, 'Okta', 'oidc', 'c', false, false, '{}', '[]', ${newId()})`)
  return id
}

type Tokens = { session_id: string; refresh_token: string }
const refresh = ({ session_id, refresh_token }: Tokens, tenant_id?: string) =>
  call('POST', `/v1/sessions/${session_id}/refresh`, {
    body: { refresh_token, ...(tenant_id ? { tenant_id } : {}) },
  })
const codeOf = ({ status, body }: Answer) => [status, body.code]

test('a policy is a merge patch, and what nobody could use is refused', async () => {
  const boss = await admin()
  const first = await decide(boss.token, { code: false, session_max_seconds: 3600 })
  expect(first.status, first.text).toBe(200)
  expect(first.body.login).toEqual({ code: false, session_max_seconds: 3600 })
  const next = await decide(boss.token, { code: null, passkey: false })
  expect(next.body.login).toEqual({ session_max_seconds: 3600, passkey: false })
  expect((await call('GET', '/v1/organization', { token: boss.token })).body.login).toEqual(
    next.body.login,
  )
  const none = { password: false, code: false, passkey: false, providers: false }
  expect((await decide(boss.token, none)).body.errors[0].pointer).toBe('/login')
  const sso = await decide(boss.token, { require_sso: true })
  expect(sso.body.errors[0].pointer).toBe('/login/require_sso')
  expect((await decide(boss.token, { session_max_seconds: 5 })).status).toBe(422)
  const member = await world.member(boss.tenant)
  expect((await decide(member.token, null)).status).toBe(403)
  expect((await decide(boss.token, null)).body.login).toBeNull()
})

test('changing it requires a recent log-in, and never refuses the session that changes it', async () => {
  const boss = await admin()
  await connected(boss.tenant)
  const own = [
    [{ password: false }, 'login_method_not_allowed'],
    [{ require_sso: true }, 'sso_required'],
    [{ require_mfa: true }, 'second_factor_required'],
  ] as const
  for (const [login, code] of own) {
    expect(codeOf(await decide(boss.token, login))).toEqual([403, code])
  }
  const who = await guarded(world, boss)
  const token = await strongToken(world, who)
  for (const [login] of own) expect((await decide(token, login)).status).toBe(200)
  await moveClock(world, 3000)
  expect(codeOf(await decide(token, null))).toEqual([403, 'step_up_required'])
})

test('a way that is not allowed begins no session and continues none, and the token stays unused', async () => {
  const boss = await admin()
  const ann = await world.member(boss.tenant)
  await decided(boss.tenant, { password: false })
  expect(codeOf(await world.login(ann))).toEqual([403, 'login_method_not_allowed'])
  expect(codeOf(await refresh(ann))).toEqual([403, 'login_method_not_allowed'])
  const wrong = await world.login({ ...ann, password: 'wrong horse battery staple' })
  expect(codeOf(wrong)).toEqual([401, 'invalid_credentials'])
  const options = await call('POST', '/v1/login-options', { body: { tenant: boss.tenant.slug } })
  expect(options.body.methods).toEqual(['passkey', 'code'])
  await decided(boss.tenant, {})
  const again = await refresh(ann)
  expect(again.status).toBe(200)
  // Within the grace a used token is refused too, once the policy is.
  await decided(boss.tenant, { password: false })
  expect(codeOf(await refresh(ann))).toEqual([403, 'login_method_not_allowed'])
  await decided(boss.tenant, {})
  expect((await refresh(ann)).body.refresh_token).toBe(again.body.refresh_token)
})

test('where SSO is required only sessions of the tenant’s connection work, and administrators with a factor', async () => {
  const boss = await admin()
  const connection = await connected(boss.tenant)
  const who = await guarded(world, boss)
  const strong = await strongToken(world, who)
  const ann = await world.member(boss.tenant)
  const plain = await guarded(world, await world.member(boss.tenant))
  expect((await decide(strong, { require_sso: true })).status).toBe(200)
  expect(codeOf(await world.login(ann))).toEqual([403, 'sso_required'])
  expect(codeOf(await refresh(ann))).toEqual([403, 'sso_required'])
  // A factor alone is not enough.
  await stepUp(world, plain, plain.member.token)
  expect(codeOf(await refresh(plain.member))).toEqual([403, 'sso_required'])
  expect((await refresh(boss)).status).toBe(200)
  const challenge = await world.login(boss)
  expect(challenge.status).toBe(202)
  const { login_token, challenge: asked } = challenge.body
  const code = await nextCode(world, who.app)
  expect((await verify(world, asked.challenge_id, login_token, { code })).status).toBe(201)

  const other = await connected(ann.tenant)
  const { db } = world.platform.kernel
  const at = (id: string) =>
    db.run(sql`update identity.sessions set connection_id = ${id} where id = ${ann.session_id}`)
  const elsewhere = await connected((await admin()).tenant)
  await at(elsewhere)
  expect(codeOf(await refresh(ann))).toEqual([403, 'sso_required'])
  await at(other)
  const kept = await refresh(ann)
  expect(kept.status).toBe(200)
  const options = await call('POST', '/v1/login-options', { body: { tenant: boss.tenant.slug } })
  expect(options.body.methods).toEqual([])
  const shown = options.body.connections.map(({ provider }: { provider: string }) => provider)
  expect(shown.toSorted()).toEqual([connection, other].toSorted())
})

test('login-options names the provider of a domain, and whether it is required', async () => {
  const boss = await admin()
  const provider = await connected(boss.tenant)
  const domain = `d${newId().slice(-12)}.test`
  await world.platform.kernel.db.run(sql`
    insert into identity.organization_domains (tenant_id, id, domain, state, record_value)
    values (${boss.tenant.id}, ${newId()}, ${domain}, 'verified', '')`)
  const options = async (name: string) =>
    (await call('POST', '/v1/login-options', { body: { email: `${name}@${domain}` } })).body.sso
  const sso = { tenant: boss.tenant.slug, provider, name: 'Okta' }
  expect(await options('ann')).toEqual({ ...sso, required: false })
  await decided(boss.tenant, { require_sso: true })
  expect(await options('nobody')).toEqual({ ...sso, required: true })
})

test('a guest is refused by the policy of the tenant, and works at home as before', async () => {
  const boss = await admin()
  const guest = await world.member()
  await world.give({ ...guest, tenant: boss.tenant }, 'auditor')
  const stranger = await world.member()
  await decided(boss.tenant, { require_mfa: true })
  const tab = (token: string) =>
    call('POST', '/v1/sessions/current/access-tokens', {
      token,
      body: { tenant_id: boss.tenant.id },
    })
  expect(codeOf(await tab(guest.token))).toEqual([403, 'second_factor_required'])
  expect(codeOf(await refresh(guest, boss.tenant.id))).toEqual([403, 'second_factor_required'])
  // Others learn nothing about the policy.
  expect(codeOf(await refresh(stranger, boss.tenant.id))).toEqual([403, 'permission_denied'])
  const home = await refresh(guest)
  expect(home.status).toBe(200)
  const who = await guarded(world, { ...guest, ...home.body, token: home.body.access_token })
  const strong = await strongToken(world, who)
  expect((await tab(strong)).status).toBe(201)
  expect((await refresh(home.body, boss.tenant.id)).body.tenant_id).toBe(boss.tenant.id)
})

test('a session is as long as the policy says, from its beginning', async () => {
  const boss = await admin()
  const ann = await world.member(boss.tenant)
  await decided(boss.tenant, { session_max_seconds: 3600 })
  const { body } = await world.login(ann)
  const now = world.platform.kernel.clock.nowMs()
  const ends = (one: { session_expires_at: string }) => Date.parse(one.session_expires_at) - now
  expect(ends(body)).toBeLessThanOrEqual(3600_000)
  expect(body.refresh_expires_in).toBeLessThanOrEqual(3600)
  const old = await refresh(ann)
  expect(ends(old.body)).toBeLessThanOrEqual(3600_000)
  await moveClock(world, 3700)
  expect(codeOf(await refresh(old.body))).toEqual([401, 'invalid_refresh_token'])
  expect(codeOf(await refresh(body))).toEqual([401, 'invalid_refresh_token'])
  // One that was longer when it began is refused by its age.
  const bea = await world.member(boss.tenant)
  await decided(boss.tenant, {})
  const long = await world.login(bea)
  await moveClock(world, 400)
  await decided(boss.tenant, { session_max_seconds: 300 })
  expect(codeOf(await refresh(long.body))).toEqual([403, 'session_too_old'])
  expect((await world.login(bea)).status).toBe(201)
})
