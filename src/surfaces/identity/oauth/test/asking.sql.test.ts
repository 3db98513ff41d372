/** The page that asks a person: whom it serves, whom it refuses, and when it does not ask. */
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { credentials, loggedIn, openBrowser } from '../../pages/test/visitor.ts'
import { parseToken } from '../../sessions/refresh-token.ts'
import { moveClock } from '../../test/second-factor.ts'
import { callback, hiddenOf, openOAuthWorld, type App } from './oauth-world.ts'

const world = await openOAuthWorld()
afterAll(() => world.close())

const pathOf = async (app: App, scope: string, more: Record<string, string> = {}) => {
  const { url } = await world.way(app, scope, more)
  return url.pathname + url.search
}
const errorIn = (to: string | null) => new URL(to ?? '', world.url).searchParams.get('error')
const codeIn = (to: string | null) => new URL(to ?? '', world.url).searchParams.get('code')

describe.concurrent('a request', () => {
  test('of an unknown application, or to a foreign address, leads nowhere', async () => {
    const app = await world.app()
    const browser = await loggedIn(world, await world.member())
    const foreign = [
      { client_id: newId() },
      { client_id: 'no' },
      { redirect_uri: 'https://app.test/back/' },
      { redirect_uri: `${callback}?more` },
      { redirect_uri: 'https://app.test@evil.test/back' },
      { redirect_uri: 'https://evil.test/back' },
      { state: 'x'.repeat(1900) },
    ]
    for (const more of foreign) {
      const page = await browser.open(await pathOf(app, 'openid', more))
      expect([page.status, page.to]).toEqual([422, null])
      expect(page.text).not.toContain('href="https')
    }
    const doubled = await browser.open(`${await pathOf(app, 'openid')}&client_id=${newId()}`)
    expect([doubled.status, doubled.to]).toEqual([422, null])
  })

  test('from a program on this device may name any port, and nothing else', async () => {
    const app = await world.app({ type: 'native', redirect_uri: 'http://127.0.0.1/cb' })
    const browser = await loggedIn(world, await world.member())
    const status = async (redirect_uri: string) =>
      (await browser.open(await pathOf(app, 'openid', { redirect_uri }))).status
    const page = await browser.open(
      await pathOf(app, 'openid', { redirect_uri: 'http://127.0.0.1:51234/cb' }),
    )
    expect(page.text).toContain('a program on this device (127.0.0.1:51234)')
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' http://127.0.0.1:51234;",
    )
    expect([
      await status('http://127.0.0.1:51234/other'),
      await status('http://127.0.0.1.evil.test:80/cb'),
      await status('http://127.0.0.1:1@evil.test/cb'),
      await status('https://127.0.0.1:51234/cb'),
      await status('http://localhost:51234/cb'),
    ]).toEqual([422, 422, 422, 422, 422])
  })

  test('that is not as OAuth 2.1 says is answered to the application', async () => {
    const app = await world.app()
    const browser = await loggedIn(world, await world.member())
    const error = async (scope: string, more: Record<string, string> = {}) => {
      const { to } = await browser.open(await pathOf(app, scope, more))
      expect(to?.startsWith(`${callback}?error=`)).toBe(true)
      return errorIn(to)
    }
    expect([
      await error('openid', { response_type: 'token' }),
      await error('openid', { response_mode: 'fragment' }),
      await error('openid', { code_challenge_method: 'plain' }),
      await error('openid', { code_challenge: 'short' }),
      await error('openid', { prompt: 'none login' }),
      await error('openid', { request: 'a.b.c', response_type: 'code' }),
      await error('openid', { resource: 'https://nowhere.test/' }),
      await error('identity.accounts.read'),
      await error('enrolment'),
      await error('links.write'),
      await error(' '),
    ]).toEqual([
      'unsupported_response_type',
      ...Array<string>(4).fill('invalid_request'),
      'request_not_supported',
      'invalid_target',
      ...Array<string>(4).fill('invalid_scope'),
    ])
  })

  test('of a stranger leads over the log-in back to the page, in both languages', async () => {
    const app = await world.app()
    const person = await world.member()
    const browser = openBrowser(world)
    const path = await pathOf(app, 'openid chat.read', { prompt: 'login consent', max_age: '0' })
    const first = await browser.open(path)
    expect(first.to).toMatch(/^\/account\/login\?next=/)
    const page = await browser.open(first.to ?? '')
    const { next = '' } = hiddenOf(page.text)
    const entered = await browser.send('/account/login', { ...credentials(person), next })
    const asked = await browser.open(entered.to ?? '')
    expect([asked.status, asked.text.includes('An app')]).toEqual([200, true])
    const [, german = ''] = /href="([^"]+)" lang="de"/.exec(asked.text) ?? []
    const other = await browser.open(german.replaceAll('&amp;', '&'))
    expect(other.text).toContain('Ansehen: Ihre Unterhaltungen')
    const fields = { ...hiddenOf(other.text), action: 'allow' }
    expect(codeIn((await browser.send('/account/authorize', fields)).to)).toMatch(/^ot_/)
  })
})

describe.concurrent('the form', () => {
  test('of another site, or without the token of the session, allows nothing', async () => {
    const app = await world.app()
    const browser = await loggedIn(world, await world.member())
    const page = await browser.open(await pathOf(app, 'openid'))
    const fields = { ...hiddenOf(page.text), action: 'allow' }
    const sent = [
      await browser.send('/account/authorize', { ...fields, csrf: '' }),
      await browser.send('/account/authorize', fields, { 'sec-fetch-site': 'cross-site' }),
      await browser.send('/account/authorize', fields, { 'sec-fetch-site': 'same-site' }),
    ]
    expect(sent.map(one => one.status)).toEqual([403, 403, 403])
    expect(sent.map(one => one.to)).toEqual([null, null, null])
    expect(codeIn((await browser.send('/account/authorize', fields)).to)).toMatch(/^ot_/)
  })

  test('names an organization of the person, or is refused', async () => {
    const person = await world.member()
    const [mine, theirs] = [await world.tenant(), await world.tenant()]
    await world.give({ ...person, tenant: mine }, 'tenant_admin')
    const app = await world.app()
    const browser = await loggedIn(world, person)
    const page = await browser.open(await pathOf(app, 'openid'))
    const options = [...page.text.matchAll(/<option value="([^"]+)"/g)].map(([, id]) => id)
    expect(options).toEqual([person.tenant.id, mine.id])
    const send = async (organization: string) => {
      const fields = { ...hiddenOf(page.text), action: 'allow', organization }
      return (await browser.send('/account/authorize', fields)).to
    }
    expect(errorIn(await send(theirs.id))).toBe('access_denied')
    expect(codeIn(await send(mine.id))).toMatch(/^ot_/)
  })

  test('of an application of a tenant is for the members of this tenant', async () => {
    const person = await world.member()
    const stranger = await world.member()
    const app = await world.app({ tenant_id: person.tenant.id, first_party: true })
    const path = await pathOf(app, 'openid')
    expect(codeIn((await (await loggedIn(world, person)).open(path)).to)).toMatch(/^ot_/)
    expect(errorIn((await (await loggedIn(world, stranger)).open(path)).to)).toBe('access_denied')
  })
})

describe.concurrent('nobody is asked', () => {
  test('again for the same scopes while they are granted, unless the application wants it', async () => {
    const person = await world.member()
    const app = await world.app()
    const { refresh_token = '' } = await world.grant(person, app, 'openid chat.read offline_access')
    const browser = await loggedIn(world, person)
    const open = async (scope: string, more: Record<string, string> = {}) =>
      await browser.open(await pathOf(app, scope, more))
    expect(codeIn((await open('openid chat.read')).to)).toMatch(/^ot_/)
    expect(codeIn((await open('openid', { prompt: 'none' })).to)).toMatch(/^ot_/)
    expect((await open('openid chat.read', { prompt: 'consent' })).status).toBe(200)
    expect((await open('openid chat.write')).status).toBe(200)
    const { session_id } = parseToken(refresh_token) ?? {}
    await world.call('DELETE', `/v1/sessions/${session_id}`, { token: person.token })
    expect((await open('openid chat.read')).status).toBe(200)
  })

  test('by an application of the operator, but by a program on the device always', async () => {
    const browser = await loggedIn(world, await world.member())
    const ours = await world.app({ first_party: true })
    const native = await world.app({
      type: 'native',
      redirect_uri: 'com.example.app:/cb',
      first_party: true,
    })
    expect(codeIn((await browser.open(await pathOf(ours, 'openid'))).to)).toMatch(/^ot_/)
    const page = await browser.open(await pathOf(native, 'openid'))
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("form-action 'self' com.example.app:;"),
    ])
    const fields = { ...hiddenOf(page.text), action: 'allow' }
    const { to } = await browser.send('/account/authorize', fields)
    expect(to).toMatch(/^com\.example\.app:\/cb\?code=ot_/)
  })

  test('in the place of a person whose session at a provider is bound to its organization', async () => {
    const person = await world.member()
    const tenant = await world.tenant()
    await world.give({ ...person, tenant }, 'tenant_admin')
    const browser = await loggedIn(world, person)
    const app = await world.app()
    const { db } = world.platform.kernel
    await db.run(sql`
      update identity.sessions set bound_tenant_id = ${person.tenant.id}
      where account_id = ${person.id}`)
    const page = await browser.open(await pathOf(app, 'openid'))
    expect(page.text).not.toContain('<option')
    const fields = { ...hiddenOf(page.text), action: 'allow', organization: tenant.id }
    expect(errorIn((await browser.send('/account/authorize', fields)).to)).toBe('access_denied')
  })
})

// The last test: it moves the clock.
test('a permission that not every member has is asked each time, after a recent log-in', async () => {
  const scopes = ['openid', 'jobs.types.read']
  const app = await world.app({ scopes, first_party: true })
  const person = await world.member()
  const browser = await loggedIn(world, person)
  const path = await pathOf(app, 'openid jobs.types.read')
  for (let time = 0; time < 2; time++) {
    const page = await browser.open(path)
    expect(page.text).toContain('<li>See the job types</li>')
    const fields = { ...hiddenOf(page.text), action: 'allow' }
    expect(codeIn((await browser.send('/account/authorize', fields)).to)).toMatch(/^ot_/)
  }
  const page = await browser.open(path)
  await moveClock(world, 700)
  const late = await browser.open(path)
  expect(late.to).toMatch(/^\/account\/login\?next=.*done=again/)
  const fields = { ...hiddenOf(page.text), action: 'allow' }
  expect((await browser.send('/account/authorize', fields)).to).toBe(late.to)
  const quiet = await pathOf(app, 'openid jobs.types.read', { prompt: 'none' })
  expect(errorIn((await browser.open(quiet)).to)).toBe('interaction_required')
})

test('an application is one row of the account page, and its end is that of all it was given', async () => {
  const app = await world.app({ name: 'Twice used' })
  const person = await world.member()
  const browser = await loggedIn(world, person)
  const tokens = [
    await world.grant(person, app, 'openid offline_access'),
    await world.grant(person, app, 'openid offline_access', { prompt: 'consent' }),
  ]
  const page = await browser.open('/account/')
  expect(page.text.match(/Twice used/g)).toHaveLength(1)
  const { to } = await browser.send('/account/', {
    action: 'end_application',
    client_id: app.id,
    csrf: hiddenOf(page.text)['csrf'] ?? '',
  })
  expect(to).toBe('/account/?done=ended')
  for (const { access_token: token } of tokens) {
    expect((await world.call('GET', '/v1/me', { token })).status).toBe(401)
  }
  const again = await browser.open(await pathOf(app, 'openid offline_access'))
  expect([again.status, again.to]).toEqual([200, null])
})
