/**
 * Sessions that are narrower than their account, over HTTP: no route of the platform is open to a
 * scope without its word, and nothing gets more than the words say. What later work keeps of a scope
 * is tested in later-work.test.ts and beside the kinds of work.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql, type Route } from '#dodeca/kernel'
import { scopeWords } from '../src/kernel/access/scopes.ts'
import { composition } from '../src/platform.ts'
import { gather } from '../src/runtime/gather-declarations.ts'
import { claimsOf, guarded, stepUp } from '../src/surfaces/identity/test/second-factor.ts'
import { beginNarrow, mayBegin } from './narrow.ts'
import { openProductWorld } from './product-world.ts'
import { newKey } from './world.ts'

const world = await openProductWorld({})
afterAll(() => world.close())
const { platform } = world
const { permissions } = gather(composition.surfaces)
const surfaces = composition.surfaces.filter(one => !one.closed_to_scopes).map(one => one.name)
const { routes, opened } = platform
const words = scopeWords(permissions, surfaces)
const of_surfaces = new Set(surfaces.flatMap(name => opened[name]?.routes ?? []))

const ask = (method: string, path: string, token?: string, body?: unknown) =>
  world.call(method, path, {
    ...(token ? { token } : {}),
    ...(method === 'GET' ? {} : { key: newKey(), body: body ?? {} }),
  })

/** Nothing is at this address. */
const addressOf = ({ path, params }: Route) =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_whole, name: string) => (params?.[name] ? 'none' : newId()))

const everything = surfaces.map(name => `${name}.write`)
const openid = ['openid', 'profile', 'email', 'offline_access', 'enrolment']

const told = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, body?.code ?? null]
const refused = (word: string) => ({ status: 403, code: 'insufficient_scope', scope: word })

describe('every route', async () => {
  const member = await world.member()
  const administrator = await world.member(member.tenant)
  await world.give(administrator, 'tenant_admin', 'platform_operator', 'auditor')
  const nothing = await beginNarrow(platform, administrator, { scope: [] }, 'aal2')
  const all = await beginNarrow(platform, member, { scope: [...everything, ...openid] })
  const asking = routes.filter(
    ({ permission, takes }) =>
      permission !== 'public' || takes === 'access_token' || takes === 'login_token',
  )

  const named = (some: readonly Route[]) =>
    some.map(one => [`${one.method} ${one.path}`, one] as const)

  test.for(named(asking.filter(one => one.narrow !== 'any')))(
    'an empty scope does not reach %s',
    async ([, route]) => {
      const { status, body, headers } = await ask(route.method, addressOf(route), nothing.token)
      expect([status, body.code]).toEqual([403, 'insufficient_scope'])
      const word = body.scope as string | undefined
      const opens = of_surfaces.has(route) || route.narrow
      expect(word === undefined).toBe(!opens)
      const scope = word ? `, scope="${word}"` : ''
      expect(headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope"${scope}`)
      expect(body.detail).toContain(word ? `\`${word}\`` : 'No session with a scope')
      const typed = permissions.get(word ?? '')?.typed ? `${word}:*` : word
      expect(['openid', typed ?? 'openid'].filter(one => !words.includes(one))).toEqual([])
    },
  )

  const public_reads = routes.filter(
    one => one.permission === 'public' && one.method === 'GET' && !asking.includes(one),
  )
  test.for(named(public_reads))(
    'a session outside its scope is nobody at %s',
    async ([, route]) => {
      const path = addressOf(route)
      expect(told(await ask('GET', path, nothing.token))).toEqual(told(await ask('GET', path)))
    },
  )

  const of_members = asking.filter(one => of_surfaces.has(one) && !one.stream)
  test.for(named(of_members))('all words are as good as a full session: %s', async ([, route]) => {
    const path = addressOf(route)
    const full = await ask(route.method, path, member.token)
    const narrow = await ask(route.method, path, all.token)
    const denied = full.body?.code === 'permission_denied' && full.body.permission
    expect(told(narrow)).toEqual(denied ? [403, 'insufficient_scope'] : told(full))
  })

  test('of identity and the platform only what declares it', () => {
    const declared = routes.filter(one => !of_surfaces.has(one) && one.narrow)
    expect(declared.map(one => `${one.name}: ${one.narrow}`).sort()).toEqual([
      'activateMfaMethod: enrolment',
      'callMcp: any',
      'createMfaChallenge: enrolment',
      'endSession: any',
      'enrolMfaMethod: enrolment',
      'getCurrentSession: any',
      'getEmailChange: anonymous',
      'getEventType: any',
      'getMe: openid',
      'getMfaChallenge: enrolment',
      'getUserInfo: openid',
      'listEventTypes: any',
      'listMfaMethods: enrolment',
      'publishEvents: kernel.events.publish',
      'removeMfaMethod: enrolment',
      'replaceRecoveryCodes: enrolment',
      'requestEmailChange: anonymous',
      'verifyEmail: anonymous',
      'verifyMfaChallenge: enrolment',
    ])
  })
})

describe.concurrent('a scope', () => {
  test('gives what is held and in it, for the types that it names', async () => {
    const owner = await world.member()
    await world.give(owner, 'tenant_admin')
    const scope = ['jobs.jobs.submit:demo.count', 'jobs.jobs.cancel:*', 'links.links.read_any']
    const { token } = await beginNarrow(platform, owner, { scope }, 'aal2')
    const made = await ask('POST', '/v1/jobs', token, { type: 'demo.count', parameters: { to: 1 } })
    expect(made.status, made.text).toBe(202)
    const other = await ask('POST', '/v1/jobs', token, { type: 'links.stats_rebuild' })
    expect(other.body).toMatchObject(refused('jobs.jobs.submit:links.stats_rebuild'))
    await platform.kernel.db.run(sql`
      delete from identity.role_assignments where account_id = ${owner.id}`)
    const lost = await ask('POST', '/v1/jobs', token, { type: 'demo.count' })
    expect(told(lost)).toEqual([403, 'permission_denied'])
  })

  test('shows the person as far as it says', async () => {
    const one = await world.member()
    const client_id = 'https://client.test/app'
    const me = async (...scope: string[]) => {
      const { token } = await beginNarrow(platform, one, { scope, client_id })
      return (await ask('GET', '/v1/me', token)).body
    }
    const shy = await me('openid', 'retrieval.write')
    expect(shy).toMatchObject({ id: one.id, email: null, email_normalized: null })
    expect(shy.session).toMatchObject({ client_id, scope: ['openid', 'retrieval.write'] })
    expect(shy.session.bound_tenant_id).toBeNull()
    expect(shy.permissions.length).toBeGreaterThan(0)
    expect(shy.permissions.every((grant: string) => grant.startsWith('retrieval.'))).toBe(true)
    expect((await me('openid', 'email')).email).toBe(one.email)
    const { data } = (await ask('GET', '/v1/sessions', one.token)).body
    const clients = data.map((session: { client_id: string | null }) => session.client_id)
    expect(clients).toEqual([client_id, client_id, null])
  })

  test('ends its own session and no other', async () => {
    const one = await world.member()
    const narrow = await beginNarrow(platform, one, { scope: [] })
    const end = async (id: string) =>
      (await ask('DELETE', `/v1/sessions/${id}`, narrow.token)).status
    expect([await end(one.session_id), await end(narrow.session_id)]).toEqual([404, 204])
    expect(told(await ask('GET', '/v1/me', narrow.token))).toEqual([401, 'invalid_token'])
    expect((await ask('GET', '/v1/me', one.token)).status).toBe(200)
  })

  test('never steps up, and enrols only the first factor', async () => {
    const one = await world.member()
    const { token } = await beginNarrow(platform, one, { scope: ['enrolment'] }, 'aal2')
    const enrolled = await ask('POST', '/v1/mfa/methods', token, { type: 'totp', label: 'App' })
    expect(enrolled.status, enrolled.text).toBe(201)
    await platform.kernel.db.run(sql`
      update identity.mfa_methods set status = 'active' where account_id = ${one.id}`)
    for (const [method, path, body] of [
      ['POST', '/v1/mfa/recovery-codes', {}],
      ['POST', '/v1/mfa/methods', { type: 'totp', label: 'App' }],
      ['DELETE', `/v1/mfa/methods/${enrolled.body.id}`, {}],
    ] as const) {
      expect(told(await ask(method, path, token, body))).toEqual([403, 'step_up_required'])
    }
  })

  test('does not open the account pages', async () => {
    const one = await world.member()
    const { token } = await beginNarrow(platform, one, { scope: openid }, 'aal2')
    const visit = async (cookie: string) => {
      const headers = { cookie: `account-at=${cookie}` }
      const { status, url } = await fetch(`${world.url}/account/`, { headers, redirect: 'manual' })
      return [status, url.endsWith('/account/')]
    }
    expect(await visit(token)).not.toEqual(await visit(one.token))
    expect(await visit(token)).toEqual(await visit('none'))
  })

  test('opens the socket of chat with its write word', async () => {
    const one = await world.member()
    const get = async (...scope: string[]) =>
      await ask('GET', '/v1/realtime-token', (await beginNarrow(platform, one, { scope })).token)
    expect((await get('chat.read')).body).toMatchObject(refused('chat.write'))
    expect((await get('chat.write')).status).toBe(200)
  })
})

describe.concurrent('a refresh', () => {
  const refresh = (id: string, refresh_token: string, more: object = {}) =>
    ask('POST', `/v1/sessions/${id}/refresh`, undefined, { refresh_token, ...more })

  test('keeps the scope', async () => {
    const one = await world.member()
    const begun = await beginNarrow(platform, one, { scope: ['openid'] })
    const { status, body } = await refresh(begun.session_id, begun.refresh_token)
    expect(status).toBe(200)
    expect((await ask('GET', '/v1/me', body.access_token)).body.session.scope).toEqual(['openid'])
    expect((await ask('GET', '/v1/sessions', body.access_token)).body).toMatchObject({
      code: 'insufficient_scope',
    })
  })

  test('of a client is not here, and does not end its session', async () => {
    const one = await world.member()
    const begun = await beginNarrow(platform, one, { scope: ['openid'], client_id: 'app' })
    for (const more of [{}, { tenant_id: one.tenant.id }, { tenant_id: newId() }]) {
      const { body } = await refresh(begun.session_id, begun.refresh_token, more)
      expect(['invalid_refresh_token', 'permission_denied']).toContain(body.code)
      expect(body.access_token).toBeUndefined()
    }
    expect((await ask('GET', '/v1/me', begun.token)).status).toBe(200)
  })

  test('of a bound session stays in its tenant', async () => {
    const one = await world.member()
    const host = await world.tenant()
    const bound_tenant_id = host.id
    expect(await mayBegin(platform, one, { bound_tenant_id })).toBeUndefined()
    await world.give({ ...one, tenant: host }, 'auditor')
    const begun = await beginNarrow(platform, one, { bound_tenant_id })
    const switched = await refresh(begun.session_id, begun.refresh_token, {
      tenant_id: one.tenant.id,
    })
    expect(told(switched)).toEqual([403, 'session_bound'])
    const again = await refresh(begun.session_id, begun.refresh_token)
    expect(again.body.tenant_id, again.text).toBe(host.id)
    const { access_token: token } = again.body
    const me = await ask('GET', '/v1/me', token)
    expect(me.body).toMatchObject({ active_tenant_id: host.id, session: { bound_tenant_id } })
    expect((await ask('GET', '/v1/conversations', token)).status).toBe(200)
    for (const [method, path] of [
      ['GET', '/v1/sessions'],
      ['GET', '/v1/me/export'],
      ['GET', '/v1/mfa/methods'],
      ['POST', '/v1/mfa/methods'],
      ['POST', '/v1/mfa/challenges'],
      ['POST', '/v1/email-changes'],
      ['POST', '/v1/api-keys'],
      ['DELETE', `/v1/accounts/${one.id}`],
      ['GET', '/v1/limits'],
    ] as const) {
      const answer = await ask(method, path, token)
      expect([path, ...told(answer)]).toEqual([path, 403, 'insufficient_scope'])
    }
    await platform.kernel.db.run(sql`
      delete from identity.role_assignments where account_id = ${one.id}`)
    const left = await refresh(begun.session_id, again.body.refresh_token)
    expect(told(left)).toEqual([401, 'invalid_refresh_token'])
  })

  test('of a session that is bound to its home is a full one that does not move', async () => {
    const one = await world.member()
    const other = await world.tenant()
    await world.give({ ...one, tenant: other }, 'auditor')
    const begun = await beginNarrow(platform, one, { bound_tenant_id: one.tenant.id })
    expect((await ask('GET', '/v1/sessions', begun.token)).status).toBe(200)
    const moved = await refresh(begun.session_id, begun.refresh_token, { tenant_id: other.id })
    expect(told(moved)).toEqual([403, 'session_bound'])
  })
})

test('a step-up keeps the scope of its session', async () => {
  const who = await guarded(world)
  const scope = ['enrolment', 'openid']
  const { token } = await beginNarrow(platform, who.member, { scope })
  const stronger = await stepUp(world, who, token)
  expect(stronger.status, stronger.text).toBe(200)
  const me = await ask('GET', '/v1/me', stronger.body.access_token)
  expect(me.body.session).toMatchObject({ aal: 'aal2', scope })
  const sessions = await ask('GET', '/v1/sessions', stronger.body.access_token)
  expect(told(sessions)).toEqual([403, 'insufficient_scope'])
})

test('a token for another API is none here', async () => {
  const one = await world.member()
  const more = { scope: ['openid'], client_id: 'app', audience: 'https://other.test' }
  const { token } = await beginNarrow(platform, one, more)
  expect(claimsOf(token)).toMatchObject({ aud: more.audience, scope: 'openid', client_id: 'app' })
  expect(told(await ask('GET', '/v1/me', token))).toEqual([401, 'invalid_token'])
})
