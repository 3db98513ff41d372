/** The account pages with a profile, and under the log-in policy of a tenant, as a browser sends their forms. */
import { URI, type TOTP } from 'otpauth'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member, type Tenant } from '../../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { nextCode } from '../../test/second-factor.ts'
import { credentials, loggedIn, openBrowser, type Seen } from './visitor.ts'

const world = await openProductWorld({})
afterAll(() => world.close())
const { db } = world.platform.kernel

async function declared(schema: object): Promise<Member> {
  const member = await world.member()
  await db.run(sql`
    update identity.tenants set profile_schema = ${sql.json(schema)}::jsonb
    where id = ${member.tenant.id}`)
  return member
}

const decided = (tenant: Tenant, login: object) =>
  db.run(sql`
    update identity.tenants set login = ${sql.json(login)}::jsonb where id = ${tenant.id}`)

const profileOf = async (who: Member) =>
  (await world.call('GET', '/v1/me', { token: who.token })).body.profile

test('the simple fields of the profile are shown, saved and removed, and others stay', async () => {
  const member = await declared({
    type: 'object',
    required: ['city'],
    properties: {
      city: { type: 'string', title: 'City <b>', maxLength: 20 },
      age: { type: 'integer' },
      news: { type: 'boolean' },
      size: { enum: ['s', 'm'] },
      tags: { type: 'array' },
    },
  })
  const body = { profile: { city: '"><script>', tags: ['a'] } }
  await world.call('PATCH', '/v1/me', { token: member.token, body })
  const browser = await loggedIn(world, member)
  expect((await browser.open('/account/')).text).toContain('href="/account/profile"')
  const page = await browser.open('/account/profile')
  expect(page.text).toContain('City &lt;b&gt;')
  expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;"')
  expect(page.text).not.toContain('tags')
  const send = (fields: Record<string, string>): Promise<Seen> =>
    browser.send('/account/profile', fields)
  const all = { 'profile/city': 'Bern', 'profile/age': '70', 'profile/news': 'yes' }
  expect((await send({ ...all, 'profile/size': 'm' })).to).toBe('/account/profile?done=saved')
  const stored = { city: 'Bern', age: 70, news: true, size: 'm', tags: ['a'] }
  expect(await profileOf(member)).toEqual(stored)
  const wrong = await send({ ...all, 'profile/age': 'old' })
  expect(wrong.status).toBe(422)
  expect(wrong.text).toMatch(/name="profile\/age" aria-invalid="true"/)
  expect(wrong.text).toContain('value="Bern"')
  expect((await send({ 'profile/city': '' })).status).toBe(422)
  // A field that the schema does not show is not written.
  await send({ 'profile/city': 'Biel', 'profile/tags': 'x', metadata: 'x' })
  expect(await profileOf(member)).toEqual({ city: 'Biel', news: false, tags: ['a'] })
})

test('without fields there is no link, and the page says so', async () => {
  const browser = await loggedIn(world, await world.member())
  expect((await browser.open('/account/')).text).not.toContain('/account/profile')
  expect((await browser.open('/account/profile')).text).toContain('no fields for profiles')
})

test('whoever must add a factor reaches only the pages that add one, and is then logged in', async () => {
  const member = await world.member()
  await decided(member.tenant, { require_mfa: true })
  const browser = openBrowser(world)
  expect((await browser.send('/account/login', credentials(member))).to).toBe('/account/')
  for (const path of ['/account/', '/account/profile', '/account/organizations']) {
    expect((await browser.open(path)).to).toBe('/account/totp')
  }
  const page = await browser.open('/account/totp')
  expect(page.text).toContain('requires a second factor')
  expect(page.text).toContain('href="/account/passkey"')
  const begun = await browser.send('/account/totp', { action: 'begin' })
  const [, secret = ''] = /<code>([A-Z2-7]+)<\/code>/.exec(begun.text) ?? []
  const [, method_id = ''] = /name="method_id" value="([^"]+)"/.exec(begun.text) ?? []
  const totp = URI.parse(`otpauth://totp/x?secret=${secret}`) as TOTP
  const code = await nextCode(world, { totp, last: 0 })
  const done = await browser.send('/account/totp', { method_id, code })
  expect(done.text).toContain('class="codes"')
  const home = await browser.open('/account/')
  expect([home.status, home.text.includes(member.email)]).toEqual([200, true])
})

test('the log-in page offers what the policy allows', async () => {
  const member = await world.member()
  const { tenant } = member
  const page = async () =>
    (await openBrowser(world).open(`/account/login?tenant=${tenant.slug}`)).text
  const id = newId()
  await db.run(sql`
    insert into identity.connections (tenant_id, id, name, kind, client_id, trust_email, jit,
      mfa_values, role_map, editor_id)
    values (${tenant.id}, ${id}, 'Okta', 'oidc', 'c', false, false, '{}', '[]', ${newId()})`)
  const seen = (text: string) => ({
    password: text.includes('name="password"'),
    code: text.includes('/account/code'),
    okta: text.includes(`provider=${id}`),
    others: text.includes('<details'),
  })
  const all = { password: true, code: true, okta: true, others: false }
  expect(seen(await page())).toEqual(all)
  await decided(tenant, { password: false, code: false })
  expect(seen(await page())).toEqual({ ...all, password: false, code: false })
  await decided(tenant, { require_sso: true })
  expect(seen(await page())).toEqual({ password: true, code: false, okta: true, others: true })
  const refused = await openBrowser(world).send('/account/login', credentials(member))
  expect(refused.status).toBe(403)
  expect(refused.text).toContain('at its own provider')
  expect(refused.text).toContain('<details open>')
})

test('a session that the policy refuses now is over for the pages', async () => {
  const member = await world.member()
  const browser = await loggedIn(world, member)
  browser.cookies.delete('account-at')
  await decided(member.tenant, { require_mfa: true })
  expect((await browser.open('/account/')).to).toContain('/account/login')
})
