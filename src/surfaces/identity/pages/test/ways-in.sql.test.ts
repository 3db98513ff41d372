/**
 * The account pages with a mailed code and with passkeys, as a browser sends their forms, and as a
 * scanner of mails, another browser and a stale session try to.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../../test/product-world.ts'
import { makeAuthenticator, type Authenticator } from '../../test/authenticator.ts'
import { claimsOf, keyed, moveClock, origin } from '../../test/second-factor.ts'
import { credentials, loggedIn, openBrowser, type Browser, type Seen } from './visitor.ts'

const world = await openProductWorld({})
afterAll(() => world.close())

type Asked = { readonly browser: Browser; readonly code: string; readonly link: string }

async function ask({ email, tenant }: Member, next = '/account/totp'): Promise<Asked> {
  const browser = openBrowser(world)
  const sent = await browser.send('/account/code', { email, tenant: tenant.slug, next })
  expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('id="code"')])
  const { code, link } = (await world.mails(email)).at(-1) ?? {}
  return { browser, code: code ?? '', link: (link ?? '').replace(/^https?:\/\/[^/]+/, '') }
}

const tokenOf = (link: string) => ({
  token: new URLSearchParams(link.split('?')[1]).get('token') ?? '',
})

const isIn = ({ cookies }: Browser) => cookies.has('account-at')

describe.concurrent('a mailed code', () => {
  test('is typed, and leads to the page that was asked for', async () => {
    const member = await world.member()
    const next = '/docs/identity.md.html'
    const { browser, code } = await ask(member, next)
    const wrong = await browser.send('/account/code', { code: '1234' })
    expect(wrong.status).toBe(401)
    // The form for another code keeps the tenant and the way.
    expect([hiddenIn(wrong, 'tenant'), hiddenIn(wrong, 'next')]).toEqual([member.tenant.slug, next])
    expect(wrong.text).toMatch(/id="code"[^>]*aria-describedby="code-error/s)
    const spaced = `${code.slice(0, 4)} ${code.slice(4)}`
    expect((await browser.send('/account/code', { code: spaced })).to).toBe(next)
    expect([isIn(browser), browser.cookies.has('account-code')]).toEqual([true, false])
  })

  test('has a link that logs in the browser that asked, by its button', async () => {
    const { browser, link } = await ask(await world.member())
    expect(link).toMatch(/^\/account\/code\?token=ot_/)
    const page = await browser.open(link)
    expect(page.text).toContain('>Log in</button>')
    expect(isIn(browser)).toBe(false)
    expect((await browser.send('/account/code', tokenOf(link))).to).toBe('/account/totp')
    expect(isIn(browser)).toBe(true)
    expect((await browser.open(link)).text).toContain('no longer valid')
  })

  test('logs in no scanner that opens and sends the link, and stays valid', async () => {
    const { browser, code, link } = await ask(await world.member())
    const scanner = openBrowser(world)
    for (const headers of [{}, { 'sec-fetch-site': 'none' }]) {
      const page = await scanner.open(link, headers)
      expect(page.text).toContain('Open this link in the browser in which you asked')
      expect(page.text).not.toContain('</button>')
      expect((await scanner.send('/account/code', tokenOf(link), headers)).status).toBe(401)
    }
    expect((await fetch(world.url + link, { method: 'HEAD' })).status).toBe(200)
    expect(isIn(scanner)).toBe(false)
    expect((await browser.send('/account/code', { code })).to).toBe('/account/totp')
  })

  test('logs in no other browser that asked for one too', async () => {
    const [mine, other] = [await ask(await world.member()), await ask(await world.member())]
    expect((await other.browser.open(mine.link)).text).not.toContain('</button>')
    const sent = await other.browser.send('/account/code', tokenOf(mine.link))
    expect([sent.status, isIn(other.browser)]).toEqual([401, false])
    expect((await other.browser.send('/account/code', { code: mine.code })).status).toBe(401)
    const foreign = { 'sec-fetch-site': 'cross-site' }
    const forged = await mine.browser.send('/account/code', tokenOf(mine.link), foreign)
    expect([forged.status, isIn(mine.browser)]).toEqual([403, false])
    expect((await mine.browser.send('/account/code', tokenOf(mine.link))).to).toBe('/account/totp')
  })
})

function optionsIn({ text }: Seen, at = 0) {
  const [, data = ''] = [...text.matchAll(/data-options="([^"]+)"/g)][at] ?? []
  return JSON.parse(data.replaceAll('&quot;', '"').replaceAll('&amp;', '&')).options
}

const hiddenIn = ({ text }: Seen, name: string) =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? ''

async function addPasskey(browser: Browser, key: Authenticator, label = 'My laptop') {
  const page = await browser.send('/account/passkey', { label })
  expect(page.status).toBe(200)
  const credential = JSON.stringify(key.create(optionsIn(page)))
  return await browser.send('/account/passkey', {
    method_id: hiddenIn(page, 'method_id'),
    label,
    credential,
  })
}

async function logInWith(key: Authenticator, more: object = {}): Promise<[Browser, Seen]> {
  const browser = openBrowser(world)
  const page = await browser.open('/account/login')
  const credential = JSON.stringify({ ...key.get(optionsIn(page)), ...more })
  return [browser, await browser.send('/account/login', { action: 'passkey', credential })]
}

describe('a passkey', () => {
  test('is added with a name, logs in, and is removed', async () => {
    const member = await world.member()
    const key = makeAuthenticator(origin)
    const added = await addPasskey(await loggedIn(world, member), key)
    expect(added.text.match(/<li><code>/g)).toHaveLength(10)
    // Browsers add what no schema of ours has.
    const [browser, entered] = await logInWith(key, { authenticatorAttachment: 'platform' })
    expect(entered.to).toBe('/account/')
    const { value = '' } = browser.cookies.get('account-at') ?? {}
    expect(claimsOf(value)).toMatchObject({ sub: member.id, aal: 'aal2' })
    const overview = await browser.open('/account/')
    expect(overview.text).toContain('<p>My laptop</p>')
    const second = await addPasskey(browser, makeAuthenticator(origin), 'My phone')
    expect(second.to).toBe('/account/?done=passkey_added')
    const id = hiddenIn(overview, 'id')
    const removed = await browser.send('/account/', { action: 'remove', id, passkey: 'yes' })
    expect(removed.to).toBe('/account/?done=passkey_removed')
    const left = (await browser.open('/account/')).text
    expect([left.includes('My laptop'), left.includes('My phone')]).toEqual([false, true])
    const [, refused] = await logInWith(key)
    expect(refused.status).toBe(401)
    expect(refused.text).toContain('The passkey was not accepted')
  })

  test('and a security key are second factors after a password', async () => {
    const passkey = makeAuthenticator(origin)
    const owner = await world.member()
    await addPasskey(await loggedIn(world, owner), passkey)
    const other = await keyed(world)
    for (const [member, key] of [[owner, passkey] as const, [other.member, other.key] as const]) {
      const browser = openBrowser(world)
      await browser.send('/account/login', credentials(member))
      const page = await browser.open('/account/second-factor')
      const challenge_id = hiddenIn(page, 'challenge_id')
      const wrong = await browser.send('/account/second-factor', {
        challenge_id,
        credential: JSON.stringify(key.get({ ...optionsIn(page), challenge: 'AAAA' })),
      })
      expect(wrong.status).toBe(401)
      const credential = JSON.stringify(key.get(optionsIn(page)))
      const done = await browser.send('/account/second-factor', { challenge_id, credential })
      expect(done.to).toBe('/account/')
    }
  })

  test('confirms a session, and is added only after a recent log-in', async () => {
    const member = await world.member()
    const stale = await loggedIn(world, member)
    await moveClock(world, 601)
    const sent = await stale.send('/account/passkey', { label: 'Key' })
    expect(sent.to).toBe('/account/login?next=%2Faccount%2Fpasskey&done=again')
    expect((await stale.open(sent.to ?? '')).text).toContain('Log in again before')

    const key = makeAuthenticator(origin)
    const browser = await loggedIn(world, member)
    await addPasskey(browser, key)
    const page = await browser.open('/account/confirm?next=%2Faccount%2Fpasskey')
    const challenge_id = hiddenIn(page, 'challenge_id')
    const credential = JSON.stringify(key.get(optionsIn(page)))
    const confirmed = await browser.send('/account/confirm', {
      challenge_id,
      credential,
      next: hiddenIn(page, 'next'),
    })
    expect(confirmed.to).toBe('/account/passkey')
    const { value = '' } = browser.cookies.get('account-at') ?? {}
    expect(claimsOf(value)).toMatchObject({ aal: 'aal2' })
  })

  test('of a page that was open for too long is asked for again', async () => {
    const fields = { action: 'passkey', credential: '', next: '/account/totp' }
    const sent = await openBrowser(world).send('/account/login', fields)
    expect(sent.to).toBe('/account/login?next=%2Faccount%2Ftotp&done=too_late')
    const odd = { action: 'passkey', credential: '{"id": 1}' }
    expect((await openBrowser(world).send('/account/login', odd)).status).toBe(401)
  })
})
