/** The account pages as a browser without a script uses them, and as another site or a thief tries to. */
import { afterAll, describe, expect, test } from 'vitest'
import {
  openProductWorld,
  password,
  type Member,
  type ProductWorld,
} from '../../../../../test/product-world.ts'
import { newId } from '../../../../kernel/ids.ts'
import { guarded, keyed, nextCode } from '../../test/second-factor.ts'
import { nextPath } from '../next-path.ts'
import { openBrowser, type Browser } from './visitor.ts'

const world = await openProductWorld({ IDENTITY_ADMIN_REQUIRES_MFA: 'true' })
const strict = await openProductWorld({
  IDENTITY_REQUIRE_VERIFIED_EMAIL: 'true',
  PUBLIC_URL: 'https://dodeca.test',
})
afterAll(() => Promise.all([world.close(), strict.close()]))

const newAddress = () => `v-${newId()}@example.test`
const credentials = ({ email, tenant }: Member) => ({ email, password, tenant: tenant.slug })

async function loggedIn(who: Member): Promise<Browser> {
  const browser = openBrowser(world)
  const answer = await browser.send('/account/login', credentials(who))
  expect([answer.status, answer.to]).toEqual([303, '/account/'])
  await browser.open('/account/')
  return browser
}

async function linkTo(at: ProductWorld, address: string): Promise<string> {
  const links = (await at.mails(address)).flatMap(({ link }) => link ?? [])
  return (links.at(-1) ?? '').replace(/^https?:\/\/[^/]+/, '')
}

const tokenOf = (link: string) => ({
  token: new URLSearchParams(link.split('?')[1]).get('token') ?? '',
})

describe('the mailed link of a registration', () => {
  const registered = async () => {
    const email = newAddress()
    const { slug: tenant } = await strict.tenant()
    const browser = openBrowser(strict)
    await browser.send('/account/register', { email, password, tenant })
    const link = await linkTo(strict, email)
    expect(link).toMatch(/^\/account\/verify\?token=ot_/)
    return { browser, link, login: { email, password, tenant } }
  }

  test('completes it in the browser that began it, and only when the form is sent', async () => {
    const { browser, link, login } = await registered()
    expect((await openBrowser(strict).send('/account/login', login)).status).toBe(401)
    expect((await browser.open(link)).text).not.toContain('type="password"')
    expect((await openBrowser(strict).send('/account/login', login)).status).toBe(401)
    const done = await browser.send('/account/verify', tokenOf(link))
    expect(done.to).toBe('/account/login?done=verified')
    expect((await browser.send('/account/login', login)).to).toBe('/account/')
    expect((await browser.open(link)).text).toContain('no longer valid')
  })

  test('asks another browser for the password of the registration', async () => {
    const { link } = await registered()
    const other = openBrowser(strict)
    expect((await other.open(link)).text).toContain('type="password"')
    const wrong = await other.send('/account/verify', { ...tokenOf(link), password: 'not the one' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('id="password-error"')
    const done = await other.send('/account/verify', { ...tokenOf(link), password })
    expect(done.to).toBe('/account/login?done=verified')
  })

  test('has cookies that are Secure over https, and the pages read no others', async () => {
    const { browser, link, login } = await registered()
    await browser.send('/account/verify', tokenOf(link))
    const { headers } = await browser.send('/account/login', login)
    const own = headers.getSetCookie().filter(one => one.includes('Path=/account'))
    expect(own.map(one => one.split('=')[0])).toEqual([
      '__Secure-account-at',
      '__Secure-account-rt',
      '__Secure-account-device',
    ])
    for (const one of own) expect(one).toMatch(/; HttpOnly; SameSite=(Lax|Strict); Secure$/)
    const { value = '' } = browser.cookies.get('__Secure-account-at') ?? {}
    const planted = await openBrowser(strict).open('/account/', { cookie: `account-at=${value}` })
    expect(planted.to).toMatch(/^\/account\/login/)
  })
})

describe.concurrent('the mailed link of a new address', () => {
  const asked = async () => {
    const member = await world.member()
    const email = newAddress()
    const body = { email, current_password: password }
    const { body: change } = await world.call('POST', '/v1/email-changes', {
      token: member.token,
      body,
    })
    const status = async () =>
      (await world.call('GET', `/v1/email-changes/${change.id}`, { token: member.token })).body
        .status
    return { member, email, link: await linkTo(world, email), status }
  }

  test('is confirmed by the owner, who logs in on the way', async () => {
    const { member, email, link, status } = await asked()
    const browser = openBrowser(world)
    await browser.open(link)
    const { to } = await browser.send('/account/verify', { ...tokenOf(link), action: 'change' })
    const next = new URLSearchParams(to?.split('?')[1]).get('next') ?? ''
    expect(next).toBe(link)
    const login = await browser.send('/account/login', { ...credentials(member), next })
    expect(login.to).toBe(link)
    const done = await browser.send('/account/verify', { ...tokenOf(link), action: 'change' })
    expect([done.to, await status()]).toEqual(['/account/?done=changed', 'completed'])
    expect((await browser.open('/account/')).text).toContain(email)
  })

  test('is not confirmed by the session of another person', async () => {
    const { link, status } = await asked()
    const other = await loggedIn(await world.member())
    const refused = await other.send('/account/verify', { ...tokenOf(link), action: 'change' })
    expect([refused.status, await status()]).toEqual([422, 'pending'])
  })

  test('can be refused by the reader of the mailbox alone', async () => {
    const { link, status } = await asked()
    const reader = openBrowser(world)
    const refused = await reader.send('/account/verify', { ...tokenOf(link), action: 'refuse' })
    expect([refused.status, await status()]).toEqual([200, 'refused'])
    const again = await reader.send('/account/verify', { ...tokenOf(link), action: 'refuse' })
    expect(again.status).toBe(422)
  })
})

test('an invitation is accepted with a first password', async () => {
  const admin = await guarded(world)
  await world.give(admin.member, 'tenant_admin')
  const browser = openBrowser(world)
  await browser.send('/account/login', credentials(admin.member))
  await browser.send('/account/second-factor', { code: await nextCode(world, admin.app) })
  const cookie = `at=${browser.cookies.get('at')?.value}`
  const { session_id, csrf_token } = (
    await world.call('GET', '/v1/sessions/current', { headers: { cookie } })
  ).body
  expect(session_id).toBeDefined()
  const email = newAddress()
  const invited = await world.call('POST', '/v1/invitations', {
    headers: { cookie, 'x-csrf-token': csrf_token, 'sec-fetch-site': 'same-origin' },
    body: { email },
  })
  expect(invited.status).toBe(201)
  const link = await linkTo(world, email)
  const guest = openBrowser(world)
  expect((await guest.open(link)).text).toContain('Accept the invitation')
  const done = await guest.send('/account/invite', { ...tokenOf(link), password })
  expect(done.to).toBe('/account/login?done=password')
  const login = { email, password, tenant: admin.member.tenant.slug }
  expect((await guest.send('/account/login', login)).to).toBe('/account/')
})

describe.concurrent('a form', () => {
  test('of a logged-in person must carry the token of the session and come from the page', async () => {
    const member = await world.member()
    const browser = await loggedIn(member)
    const act = { action: 'end_others' }
    const sent = [
      await browser.send('/account/', { ...act, csrf: '' }),
      await browser.send('/account/', {
        ...act,
        csrf: (await loggedIn(await world.member())).cookies.get('account-at')?.value ?? '',
      }),
      await browser.send('/account/', act, { 'sec-fetch-site': 'cross-site' }),
      await browser.send('/account/', act, { 'sec-fetch-site': 'same-site' }),
    ]
    expect(sent.map(one => one.status)).toEqual([403, 403, 403, 403])
    expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(200)
    expect((await browser.send('/account/', act)).to).toBe('/account/?done=ended')
    expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(401)
  })

  test('of another site logs nobody in', async () => {
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
    expect((await browser.open('/account/')).text).toContain('Confirm this session')
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
    const page = await (await loggedIn(member)).open('/account/')
    expect(page.text).toContain('Your roles count only in a session with a second factor')
  })
})

describe.concurrent('a session', () => {
  test('is renewed when its access token is gone, also for two tabs at once', async () => {
    const browser = await loggedIn(await world.member())
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
    const browser = await loggedIn(member)
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
    const browser = await loggedIn(await world.member())
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

test('no page may run a script, load anything, or be shown in a frame', async () => {
  const { headers, text } = await openBrowser(world).open('/account/login')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self';/)
  expect(policy).not.toContain('unsafe')
  expect(text).not.toMatch(/<script|style="|onclick=/)
})
