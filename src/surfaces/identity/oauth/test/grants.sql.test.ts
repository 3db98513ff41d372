/** What a thief, another application or a lost right can do with a grant: nothing. */
import { afterAll, describe, expect, test } from 'vitest'
import { startProcess } from '../../../../../test/process.ts'
import type { Member } from '../../../../../test/product-world.ts'
import { call, eventually } from '../../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { parseToken } from '../../sessions/refresh-token.ts'
import { loggedIn } from '../../pages/test/visitor.ts'
import { basic, openOAuthWorld, type App, type Way } from './oauth-world.ts'

const world = await openOAuthWorld()
const other = await startProcess({ ...world.environment, PORT: '0', ROLES: 'api' }, 'product')
afterAll(async () => {
  await other.kill()
  await world.close()
})
const { db } = world.platform.kernel

const me = async (token: string) => (await world.call('GET', '/v1/me', { token })).status
const stays = 'openid offline_access chat.read'
const refused = { error: 'invalid_grant' }

const formOf = (app: App, way: Way, led: URL) => ({
  grant_type: 'authorization_code',
  code: led.searchParams.get('code') ?? '',
  redirect_uri: app.redirect_uri,
  code_verifier: way.code_verifier,
})

/** Up to the code. */
async function allowed(person: Member, app: App, scope = stays) {
  const browser = await loggedIn(world, person)
  const way = await world.way(app, scope)
  const form = formOf(app, way, await world.agree(browser, way))
  const redeem = (more: object = {}, by = app) =>
    world.post('/v1/oauth/token', { ...form, ...more }, basic(by))
  return { browser, form, redeem }
}

describe.concurrent('a refresh token', () => {
  test('that is sent twenty times at once has one successor', async () => {
    const app = await world.app()
    const { refresh_token = '' } = await world.grant(await world.member(), app, stays)
    const form = { grant_type: 'refresh_token', refresh_token }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        world.post('/v1/oauth/token', form, basic(app), at % 2 ? other.url : world.url),
      ),
    )
    expect(new Set(answers.map(one => one.status))).toEqual(new Set([200]))
    const [next, ...more] = new Set(answers.map(one => one.body.refresh_token))
    expect([more, next === refresh_token]).toEqual([[], false])
    const again = { grant_type: 'refresh_token', refresh_token: next ?? '' }
    expect((await world.post('/v1/oauth/token', again, basic(app))).status).toBe(200)
  })

  test('is of one application, which it neither widens nor turns to another API', async () => {
    const [app, thief] = [await world.app(), await world.app()]
    const public_app = await world.app({ type: 'spa' })
    const uri = `https://api-${newId()}.test/`
    await world.api(uri, 'notes.read')
    const { refresh_token = '' } = await world.grant(await world.member(), app, stays)
    const form = { grant_type: 'refresh_token', refresh_token }
    const ask = async (more: Record<string, string>, by: object) =>
      (await world.post('/v1/oauth/token', { ...form, ...more }, by as Record<string, string>)).body
        .error
    expect([
      await ask({}, basic(thief)),
      await ask({ client_id: public_app.id }, {}),
      await ask({ scope: `${stays} jobs.read` }, basic(app)),
      await ask({ scope: 'openid' }, basic(app)),
      await ask({ resource: uri }, basic(app)),
      await ask({ resource: 'https://nowhere.test/' }, basic(app)),
    ]).toEqual(
      'invalid_grant invalid_grant invalid_scope invalid_scope invalid_target invalid_target'.split(
        ' ',
      ),
    )
    const same = { scope: 'chat.read openid offline_access', resource: `${world.url}/v1` }
    expect(await ask(same, basic(app))).toBeUndefined()
  })

  test('of an application refreshes no session of the person, and neither the other way round', async () => {
    const person = await world.member()
    const app = await world.app()
    const { refresh_token = '' } = await world.grant(person, app, stays)
    const path = `/v1/sessions/${parseToken(refresh_token)?.session_id}/refresh`
    const answer = await world.call('POST', path, { body: { refresh_token } })
    expect([answer.status, answer.body.code]).toEqual([401, 'invalid_refresh_token'])
    const form = { grant_type: 'refresh_token', refresh_token: person.refresh_token }
    expect((await world.post('/v1/oauth/token', form, basic(app))).body).toMatchObject(refused)
  })
})

describe.concurrent('an access token', () => {
  test('for another API is refused here, and known to that API alone', async () => {
    const uri = `https://api-${newId()}.test/`
    const api = await world.api(uri, 'notes.read')
    const stranger = await world.api(`https://api-${newId()}.test/`, 'notes.read')
    const app = await world.app()
    const person = await world.member()
    const tokens = await world.grant(person, app, 'openid notes.read', { resource: uri })
    expect(await me(tokens.access_token)).toBe(401)
    const ask = async (by: { id: string; secret: string | null }) =>
      (await world.post('/v1/oauth/introspect', { token: tokens.access_token }, basic(by))).body
    expect(await ask(api)).toMatchObject({ active: true, sub: person.id, aud: uri })
    expect(await ask(app)).toMatchObject({ active: true, scope: 'openid notes.read' })
    expect([await ask(stranger), await ask(await world.app())]).toEqual([
      { active: false },
      { active: false },
    ])
    const form = { token: tokens.access_token, client_id: (await world.app({ type: 'spa' })).id }
    expect((await world.post('/v1/oauth/introspect', form)).body.error).toBe('unauthorized_client')
  })

  test('does nothing that the person may not do, and nothing after the role is gone', async () => {
    const person = await world.member()
    const app = await world.app({ scopes: ['openid', 'jobs.types.read'] })
    const { access_token } = await world.grant(person, app, 'openid jobs.types.read')
    const types = async () =>
      (await world.call('GET', '/v1/job-types', { token: access_token })).status
    expect(await types()).toBe(403)
    await world.give(person, 'tenant_admin')
    expect(await types()).toBe(200)
    await db.run(sql`delete from identity.role_assignments where account_id = ${person.id}`)
    expect(await types()).toBe(403)
  })

  test('is refused at once after the person ends it, and soon by another process', async () => {
    const person = await world.member()
    const { access_token: token } = await world.grant(person, await world.app(), stays)
    const there = async () => (await call(other.url, 'GET', '/v1/me', { token })).status
    expect([await me(token), await there()]).toEqual([200, 200])
    const list = await world.call('GET', '/v1/sessions', { token: person.token })
    const grant = list.body.data.find((one: { client: string | null }) => one.client === 'An app')
    const path = `/v1/sessions/${grant.id}`
    expect((await world.call('DELETE', path, { token: person.token })).status).toBe(204)
    expect(await me(token)).toBe(401)
    await eventually('the other refuses', async () => (await there()) === 401, 5000)
  })

  test('changes no way in, and ends no session but its own', async () => {
    const person = await world.member()
    const { access_token: token } = await world.grant(person, await world.app(), stays)
    const ask = async (method: string, path: string, body?: object) =>
      (await world.call(method, path, { token, ...(body ? { body } : {}) })).status
    expect([
      await ask('POST', '/v1/mfa/methods', { type: 'totp', label: 'App' }),
      await ask('GET', '/v1/sessions'),
      await ask('GET', '/v1/me/export'),
      await ask('DELETE', `/v1/sessions/${person.session_id}`),
    ]).toEqual([403, 403, 403, 404])
  })
})

describe.concurrent('a grant', () => {
  test('that does not stay connected ends with the session of the browser', async () => {
    const person = await world.member()
    const app = await world.app()
    const once = await allowed(person, app, 'openid chat.read')
    const [short, long] = [(await once.redeem()).body, await world.grant(person, app, stays)]
    expect(short.refresh_token).toBeUndefined()
    expect([await me(short.access_token), await me(long.access_token)]).toEqual([200, 200])
    await once.browser.send('/account/', { action: 'log_out' })
    expect([await me(short.access_token), await me(long.access_token)]).toEqual([401, 200])
  })

  test('that begins while the person logs out ends, too', async () => {
    const app = await world.app()
    for (let round = 0; round < 5; round++) {
      const { browser, redeem } = await allowed(await world.member(), app, 'openid')
      const [{ body }] = await Promise.all([
        redeem(),
        browser.send('/account/', { action: 'log_out' }),
      ])
      const after = body.error ?? (await me(body.access_token))
      expect([refused.error, 401]).toContain(after)
    }
  })

  test('is one of ten for an application, and counts not among the sessions', async () => {
    const person = await world.member()
    const app = await world.app()
    const way = async () => (await (await allowed(person, app)).redeem()).body.access_token
    const tokens: string[] = []
    for (let at = 0; at < 11; at++) tokens.push(await way())
    const statuses = await Promise.all(tokens.map(me))
    expect(statuses).toEqual([401, ...Array(10).fill(200)])
    expect(await me(person.token)).toBe(200)
  })

  test('is mailed once, recorded, exported and shown on the page of the account', async () => {
    const person = await world.member()
    const app = await world.app({ name: 'Calendar' })
    await world.grant(person, app, stays)
    const { refresh_token = '' } = await world.grant(person, app, stays)
    const mails = await world.mails(person.email)
    const told = mails.filter(one => one.template === 'application_connected')
    expect(told.map(one => one.link)).toEqual([`${world.url}/account/`])
    const events = await world.call('GET', '/v1/security-events', { token: person.token })
    const actions = events.body.data.map((one: { action: string }) => one.action)
    expect(actions.filter((one: string) => one === 'grant.created')).toHaveLength(2)
    const exported = await world.call('GET', '/v1/me/export', { token: person.token })
    expect(exported.text).toContain(app.id)
    const browser = await loggedIn(world, person)
    const page = await browser.open('/account/')
    expect(page.text).toMatch(/<h2>Applications<\/h2>.*Calendar/s)
    const erased = await world.call('DELETE', `/v1/accounts/${person.id}`, { token: person.token })
    expect(erased.status).toBe(204)
    const form = { grant_type: 'refresh_token', refresh_token }
    expect((await world.post('/v1/oauth/token', form, basic(app))).body).toMatchObject(refused)
  })
})

test('revoking ends the grant of the own token only, by whichever token', async () => {
  const [app, thief] = [await world.app(), await world.app()]
  const first = await world.grant(await world.member(), app, stays)
  const second = await world.grant(await world.member(), app, 'openid')
  const revoke = (token: string, by: App) => world.post('/v1/oauth/revoke', { token }, basic(by))
  const answers = [
    await revoke(first.refresh_token ?? '', thief),
    await revoke(first.access_token, thief),
    await revoke('nothing', app),
  ]
  expect(answers.map(one => one.status)).toEqual([200, 200, 200])
  expect(await me(first.access_token)).toBe(200)
  await revoke(first.refresh_token ?? '', app)
  await revoke(second.access_token, app)
  expect([await me(first.access_token), await me(second.access_token)]).toEqual([401, 401])
})

test('pages of any origin may ask for tokens, and send no cookies', async () => {
  const headers = {
    origin: 'https://spa.test',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  for (const path of ['/v1/oauth/token', '/v1/oauth/revoke', '/v1/oauth/introspect', '/v1/jobs']) {
    const answer = await fetch(world.url + path, { method: 'OPTIONS', headers })
    const [origin, credentials] = ['origin', 'credentials'].map(name =>
      answer.headers.get(`access-control-allow-${name}`),
    )
    const open = path.endsWith('token') || path.endsWith('revoke')
    expect([path, origin, credentials]).toEqual([path, open ? '*' : null, null])
  }
  const found = await fetch(`${world.url}/.well-known/openid-configuration`, { headers })
  expect(found.headers.get('access-control-allow-origin')).toBe('*')
})

test('requests that are no OAuth are told so in its form', async () => {
  const ask = async (body: string, type = 'application/x-www-form-urlencoded') => {
    const init = { method: 'POST', body, headers: { 'content-type': type } }
    const answer = await fetch(`${world.url}/v1/oauth/token`, init)
    return [answer.status, ((await answer.json()) as { error?: string }).error]
  }
  expect([
    await ask('{}', 'application/json'),
    await ask(''),
    await ask('grant_type=password'),
    await ask('grant_type=refresh_token&grant_type=refresh_token'),
    await ask('grant_type=%00'),
  ]).toEqual([
    [400, 'invalid_request'],
    [400, 'invalid_request'],
    [400, 'unsupported_grant_type'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
  ])
})
