/** The captcha of the account pages: a task in the form, and what a browser sends of it. */
import { solveChallenge } from 'altcha-lib'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, password } from '../../../../../test/product-world.ts'
import { credentials, newAddress, openBrowser } from './visitor.ts'

const settings = {
  IDENTITY_CAPTCHA_WORK: '500',
  IDENTITY_LOGIN_NETWORK_BURST: '4',
  KERNEL_THROTTLE_LOOPBACK: 'true',
}
const one = { KERNEL_RATE_FACTOR: '1', IDENTITY_REGISTRATIONS_PER_HOUR: '100' }
const work = await openProductWorld({ ...settings, ...one, IDENTITY_CAPTCHA: 'work' })
const off = await openProductWorld()
afterAll(() => Promise.all([work.close(), off.close()]))

const tasks = (page: string) =>
  [...page.matchAll(/data-work="([^"]+)"/g)].map(([, text = '']) =>
    JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')),
  )

async function solved(page: string): Promise<string> {
  const [{ maxnumber, ...task }] = tasks(page)
  const found = await solveChallenge(task.challenge, task.salt, task.algorithm, maxnumber).promise
  return btoa(JSON.stringify({ ...task, number: found?.number }))
}

test.each([
  ['/account/register', () => ({ email: newAddress(), password })],
  ['/account/forgot', () => ({ email: newAddress() })],
  ['/account/code', () => ({ email: newAddress() })],
])('%s has a task', async (path, fields) => {
  const { slug: tenant } = await work.tenant()
  const browser = openBrowser(work)
  const page = await browser.open(path)
  expect(page.headers.get('content-security-policy')).toMatch(/script-src 'sha256-/)
  expect(page.text).toContain('<noscript>')
  const without = await browser.send(path, { ...fields(), tenant })
  expect([without.status, tasks(without.text).length]).toEqual([403, 1])
  const captcha = await solved(page.text)
  expect((await browser.send(path, { ...fields(), tenant, captcha })).status).toBe(200)
  expect((await browser.send(path, { ...fields(), tenant, captcha })).status).toBe(403)
})

test('the log-in has one only when it is needed', async () => {
  const { slug: tenant } = await work.tenant()
  const who = { email: newAddress(), tenant } as const
  const browser = openBrowser(work)
  const registering = await browser.open('/account/register')
  const captcha = await solved(registering.text)
  const registered = await browser.send('/account/register', { ...who, password, captcha })
  expect(registered.status).toBe(200)
  expect(tasks((await browser.open('/account/login')).text)).toEqual([])
  const wrong = { ...who, password: 'another long password' }
  for (const status of [401, 401, 403]) {
    const refused = await browser.send('/account/login', wrong)
    expect([refused.status, tasks(refused.text).length]).toEqual([status, status === 403 ? 1 : 0])
  }
  const asked = await browser.send('/account/login', { ...who, password })
  expect([asked.status, asked.text.includes('role="alert"')]).toEqual([403, true])
  const answer = { captcha: await solved(asked.text) }
  expect((await browser.send('/account/login', { ...who, password, ...answer })).to).toBe(
    '/account/',
  )
})

test('without captchas there is none', async () => {
  const browser = openBrowser(off)
  for (const path of ['/account/register', '/account/forgot', '/account/code', '/account/login']) {
    expect(tasks((await browser.open(path)).text)).toEqual([])
  }
  const member = await off.member()
  expect((await browser.send('/account/login', credentials(member))).to).toBe('/account/')
})

test('a guest in this browser becomes a person by the mailed link', async () => {
  const { slug: tenant } = await off.tenant()
  const begun = await off.call('POST', '/v1/sessions', {
    body: { anonymous: true, tenant, delivery: 'cookie' },
  })
  const browser = openBrowser(off)
  for (const line of begun.headers.getSetCookie()) {
    const [pair = '', path = ''] = line.split('; ')
    const [name = '', value = ''] = pair.split('=')
    if (name.startsWith('account-')) browser.cookies.set(name, { value, path: path.slice(5) })
  }
  // The pages of a person are closed to guests.
  expect((await browser.open('/account/')).to).toMatch(/^\/account\/login/)
  const email = newAddress()
  const cookie = begun.headers
    .getSetCookie()
    .map(line => line.split(';', 1)[0])
    .join('; ')
  const headers = { cookie, 'x-csrf-token': begun.body.csrf_token, origin: 'http://dodeca.test' }
  const asked = await off.call('POST', '/v1/email-changes', { headers, body: { email } })
  expect(asked.status, asked.text).toBe(202)
  const token = (await off.mails(email)).at(-1)?.token ?? ''
  await browser.open(`/account/verify?token=${token}`)
  const changed = await browser.send('/account/verify', { token, action: 'change' })
  expect(changed.to).toBe('/account/?done=changed')
  const account = await browser.open('/account/')
  expect([account.status, account.text.includes(email)]).toEqual([200, true])
})
