/** The pages of mailed links: to open one changes nothing, and the link alone is not enough. */
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld, password, type ProductWorld } from '../../../../../test/product-world.ts'
import { guarded, nextCode } from '../../test/second-factor.ts'
import { credentials, loggedIn, newAddress, openBrowser } from './visitor.ts'

const world = await openProductWorld()
const strict = await openProductWorld({
  IDENTITY_REQUIRE_VERIFIED_EMAIL: 'true',
  PUBLIC_URL: 'https://dodeca.test',
})
afterAll(() => Promise.all([world.close(), strict.close()]))

async function linkTo(at: ProductWorld, address: string): Promise<string> {
  const links = (await at.mails(address)).flatMap(({ link }) => link ?? [])
  return (links.at(-1) ?? '').replace(/^https?:\/\/[^/]+/, '')
}

const tokenOf = (link: string) => ({
  token: new URLSearchParams(link.split('?')[1]).get('token') ?? '',
})

const nextIn = (to: string | null) => new URL(to ?? '', strict.url).searchParams.get('next') ?? ''

describe('the mailed link of a registration', () => {
  const verified = '/account/login?next=%2Faccount%2F&done=verified'
  const registered = async (more: Record<string, string> = {}) => {
    const email = newAddress()
    const { slug: tenant } = await strict.tenant()
    const browser = openBrowser(strict)
    await browser.send('/account/register', { email, password, tenant, ...more })
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
    expect(done.to).toBe(verified)
    expect((await browser.send('/account/login', login)).to).toBe('/account/')
    expect((await browser.open(link)).text).toContain('no longer valid')
  })

  test('leads on to where the visitor wanted to go, and to no other site', async () => {
    const leads = async (next: string) => {
      const { browser, link, login } = await registered({ next })
      const { to } = await browser.send('/account/verify', tokenOf(link))
      return (await browser.send(to ?? '', { ...login, next: nextIn(to) })).to
    }
    const application = '/account/authorize?client_id=a.b&state=%25%3B'
    expect(await leads(application)).toBe(application)
    expect(await leads('//evil.test')).toBe('/account/')
  })

  test('asks another browser for the password of the registration', async () => {
    const { link } = await registered()
    const other = openBrowser(strict)
    expect((await other.open(link)).text).toContain('type="password"')
    const wrong = await other.send('/account/verify', { ...tokenOf(link), password: 'not the one' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('id="password-error"')
    const done = await other.send('/account/verify', { ...tokenOf(link), password })
    expect(done.to).toBe(verified)
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
    const other = await loggedIn(world, await world.member())
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
  await world.give(admin.member, 'tenant_admin', 'platform_operator')
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
