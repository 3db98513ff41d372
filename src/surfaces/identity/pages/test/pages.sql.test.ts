/** The account pages as a browser without a script uses them, and as another site or a thief tries to. */
import { hash } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld, password } from '../../../../../test/product-world.ts'
import { guarded, keyed, nextCode } from '../../test/second-factor.ts'
import { nextPath } from '../next-path.ts'
import { credentials, loggedIn, newAddress, openBrowser } from './visitor.ts'

const world = await openProductWorld({ IDENTITY_ADMIN_REQUIRES_MFA: 'true' })
afterAll(() => world.close())

describe.concurrent('a form', () => {
  test('of a logged-in person must carry the token of the session and come from the page', async () => {
    const member = await world.member()
    const browser = await loggedIn(world, member)
    const act = { action: 'end_others' }
    const sent = [
      await browser.send('/account/', { ...act, csrf: '' }),
      await browser.send('/account/', {
        ...act,
        csrf: (await loggedIn(world, await world.member())).cookies.get('account-at')?.value ?? '',
      }),
      await browser.send('/account/', act, { 'sec-fetch-site': 'cross-site' }),
      await browser.send('/account/', act, { 'sec-fetch-site': 'same-site' }),
    ]
    expect(sent.map(one => one.status)).toEqual([403, 403, 403, 403])
    expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(200)
    expect((await browser.send('/account/', act)).to).toBe('/account/?done=ended')
    expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(401)
  })

  test('of an older browser is known by its origin', async () => {
    const member = await world.member()
    const browser = openBrowser(world)
    const foreign = { origin: 'http://evil.test' }
    expect((await browser.send('/account/login', credentials(member), foreign)).status).toBe(403)
    const own = { origin: 'http://dodeca.test' }
    expect((await browser.send('/account/login', credentials(member), own)).to).toBe('/account/')
    await browser.open('/account/')
    const out = { action: 'log_out' }
    expect((await browser.send('/account/', out, foreign)).status).toBe(403)
    expect((await browser.send('/account/', out, own)).to).toBe('/account/login?done=logged_out')
  })

  test('of another site logs no one in', async () => {
    const member = await world.member()
    const browser = openBrowser(world)
    const headers = { 'sec-fetch-site': 'cross-site' }
    const refused = await browser.send('/account/login', credentials(member), headers)
    expect([refused.status, browser.cookies.size]).toEqual([403, 0])
  })

  test('that is refused shows why beside the field, keeps the address and not the password', async () => {
    const email = newAddress()
    const { slug: tenant } = await world.tenant()
    const weak = { email, password: 'password1234', tenant }
    const refused = await openBrowser(world).send('/account/register', weak)
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(
      /id="password"[^>]*aria-describedby="password-error[^>]*aria-invalid/s,
    )
    expect(refused.text).toContain(`value="${email}"`)
    expect(refused.text).not.toContain('password1234')
    const wrong = await openBrowser(world).send('/account/register', {
      email: 'ann',
      password,
      tenant,
    })
    expect(wrong.text).toMatch(/id="email"[^>]*aria-invalid/s)
  })

  test('with an empty field is refused before it counts', async () => {
    const browser = openBrowser(world)
    for (const path of ['login', 'forgot', 'send-again', 'register']) {
      for (let n = 0; n < 7; n++) {
        const { status, text } = await browser.send(`/account/${path}`, {})
        expect([path, status]).toEqual([path, 422])
        expect(text).toMatch(/id="email"[^>]*aria-invalid/s)
      }
    }
  })

  test('of a log-in has the limits of the API', async () => {
    const member = await world.member()
    const browser = openBrowser(world)
    const wrong = { ...credentials(member), password: 'wrong' }
    const statuses = []
    for (let n = 0; n < 6; n++) statuses.push((await browser.send('/account/login', wrong)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const last = await browser.send('/account/login', wrong)
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(last.text).toMatch(/role="alert">.*Wait \d+ seconds/)
    expect((await world.login(member)).status).toBe(429)
  })

  test('about an unknown address is answered like one about a known address', async () => {
    const member = await world.member()
    const about = (email: string) =>
      openBrowser(world).send('/account/forgot', { email, tenant: member.tenant.slug })
    const [known, unknown] = [await about(member.email), await about(newAddress())]
    expect([known.status, known.text]).toEqual([200, unknown.text])
  })
})

describe.concurrent('the path after a log-in', () => {
  test('is a page of the platform', () => {
    const away = [
      '//evil.test',
      '/\\evil.test',
      'https://evil.test',
      '/abc123',
      '/account/../abc123',
    ]
    const odd = [
      '/account/..//..//evil',
      '/\t/evil.test',
      'javascript:alert(1)',
      '',
      '/v1/me',
      '/accounts',
    ]
    for (const one of [...away, ...odd]) expect([one, nextPath(one)]).toEqual([one, '/account/'])
    for (const one of [
      '/account/totp',
      '/console/',
      '/docs',
      '/dev/inbox?to=a',
      '/account/verify?token=x',
    ])
      expect(nextPath(one)).toBe(one)
  })

  test('survives the second factor', async () => {
    const { member, app } = await guarded(world)
    const browser = openBrowser(world)
    const next = '/account/recovery-codes'
    const half = await browser.send('/account/login', { ...credentials(member), next })
    expect(half.to).toBe(`/account/second-factor?next=${encodeURIComponent(next)}`)
    // A browser that comes from a provider sends no strict one.
    const waiting = half.headers.getSetCookie().find(one => one.startsWith('account-login='))
    expect(waiting).toContain('SameSite=Lax')
    expect(browser.cookies.has('account-at')).toBe(false)
    const wrong = await browser.send('/account/second-factor', { code: '12345', next })
    expect(wrong.status).toBe(401)
    expect(wrong.text).toContain('id="code-error"')
    const code = await nextCode(world, app)
    expect((await browser.send('/account/second-factor', { code, next })).to).toBe(next)
    expect(browser.cookies.has('account-login')).toBe(false)
  })
})

describe.concurrent('a second factor', () => {
  test('is replaced by a recovery code, once', async () => {
    const { member, recovery_codes } = await guarded(world)
    const [code = ''] = recovery_codes
    const first = openBrowser(world)
    await first.send('/account/login', credentials(member))
    expect((await first.send('/account/second-factor', { code })).to).toBe('/account/')
    const second = openBrowser(world)
    await second.send('/account/login', credentials(member))
    expect((await second.send('/account/second-factor', { code })).status).toBe(401)
  })

  test('that is a security key asks for a recovery code', async () => {
    const { member } = await keyed(world)
    const browser = openBrowser(world)
    await browser.send('/account/login', credentials(member))
    const page = await browser.open('/account/second-factor')
    expect(page.text).toContain('recovery code')
  })

  test('is removed, and its codes are renewed, after a code', async () => {
    const { member, app, method_id } = await guarded(world)
    await world.give(member, 'tenant_admin')
    const browser = openBrowser(world)
    // A session that is older than the factor.
    browser.cookies.set('account-at', { value: member.token, path: '/account' })
    const overview = (await browser.open('/account/')).text
    expect(overview).toContain('second factor. Confirm this session with a code.')
    expect(overview).not.toContain('Add one')
    const remove = { action: 'remove', id: method_id }
    expect((await browser.send('/account/', remove)).to).toBe('/account/confirm?next=%2Faccount%2F')
    const code = await nextCode(world, app)
    await browser.open('/account/confirm')
    const confirmed = await browser.send('/account/confirm', {
      code,
      next: '/account/recovery-codes',
    })
    expect(confirmed.to).toBe('/account/recovery-codes')
    const renewed = await browser.send('/account/recovery-codes', {})
    expect(renewed.text.match(/<li><code>/g)).toHaveLength(10)
    expect((await browser.send('/account/', remove)).to).toBe('/account/?done=removed')
    expect((await world.login(member)).status).toBe(201)
  })

  test('is asked of an administrator whose roles do not count without it', async () => {
    const member = await world.member()
    await world.give(member, 'tenant_admin')
    const refused = await world.call('GET', '/v1/accounts', { token: member.token })
    expect(refused.body.detail).toContain('/account/')
    const page = await (await loggedIn(world, member)).open('/account/')
    expect(page.text).toContain('Your roles count only in a session with a second factor. Add one')
  })
})

describe.concurrent('a session', () => {
  test('is renewed when its access token is gone, also for two tabs at once', async () => {
    const browser = await loggedIn(world, await world.member())
    const before = browser.cookies.get('account-rt')?.value
    browser.cookies.delete('account-at')
    const cookie = `account-rt=${before}`
    const tabs = await Promise.all(
      [0, 1].map(() => openBrowser(world).open('/account/', { cookie })),
    )
    expect(tabs.map(one => one.status)).toEqual([200, 200])
    expect((await browser.open('/account/')).status).toBe(200)
    expect(browser.cookies.get('account-rt')?.value).not.toBe(before)
    expect(browser.cookies.has('account-at')).toBe(true)
  })

  test('is ended from the list, and by logging out', async () => {
    const member = await world.member()
    const browser = await loggedIn(world, member)
    const ended = await browser.send('/account/', { action: 'end', id: member.session_id })
    expect(ended.to).toBe('/account/?done=ended')
    expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(401)
    const access = browser.cookies.get('account-at')?.value ?? ''
    const out = await browser.send('/account/', { action: 'log_out' })
    expect(out.to).toBe('/account/login?done=logged_out')
    expect([...browser.cookies.keys()]).toEqual(['account-device'])
    expect((await world.call('GET', '/v1/me', { token: access })).status).toBe(401)
    expect((await browser.open('/account/')).to).toBe('/account/login?next=%2Faccount%2F')
  })

  test('of another person is not ended', async () => {
    const other = await world.member()
    const browser = await loggedIn(world, await world.member())
    const refused = await browser.send('/account/', { action: 'end', id: other.session_id })
    expect(refused.status).toBe(404)
    expect((await world.call('GET', '/v1/me', { token: other.token })).status).toBe(200)
  })
})

test('the pages are in the language of the browser, until the visitor chooses another', async () => {
  const browser = openBrowser(world)
  const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' }
  expect((await browser.open('/account/login', german)).text).toContain('<html lang="de">')
  expect((await browser.open('/account/login?lang=en', german)).text).toContain('<html lang="en">')
  expect((await browser.open('/account/login', german)).text).toContain('<html lang="en">')
  const link = '/account/reset?token=ot_abc&next=%2Faccount%2F'
  expect((await browser.open(link)).text).toContain(
    'token=ot_abc&amp;next=%2Faccount%2F&amp;lang=de',
  )
})

const policy_form =
  /^default-src 'none'; style-src 'sha256-[^']+'; (?:script-src '(sha256-[^']+)'; )?form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/

test('no page may load anything or be shown in a frame, and only passkeys have a script', async () => {
  for (const [page, scripts] of [
    ['forgot', 0],
    ['login', 1],
  ] as const) {
    const { headers, text } = await openBrowser(world).open(`/account/${page}`)
    const policy = policy_form.exec(headers.get('content-security-policy') ?? '')
    const found = [...text.matchAll(/<script>(.*?)<\/script>/gs)].map(
      ([, script = '']) => `sha256-${hash('sha256', script, 'base64')}`,
    )
    expect([found.length, found]).toEqual([scripts, policy?.[1] ? [policy[1]] : []])
    expect(policy).not.toBeNull()
    expect(text).not.toMatch(/<script |style="|onclick=/)
  }
})

test('the root of the platform leads a browser here, and a program to the document', async () => {
  const page = await world.call('GET', '/', { headers: { accept: 'text/html,*/*;q=0.8' } })
  for (const path of ['/docs', '/account/', '/dev', '/openapi.json'])
    expect(page.text).toContain(`<a href="${path}">`)
  expect((await world.call('GET', '/')).body.openapi).toBe('http://dodeca.test/openapi.json')
})
