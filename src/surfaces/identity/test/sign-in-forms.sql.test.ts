/**
 * The form with which Apple leads back: it comes from another site without a cookie, so nothing of it
 * is read before the browser that began comes with its own.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openProductWorld } from '../../../../test/product-world.ts'
import { answered, application } from './oidc-browser.ts'
import { openSignInWorld } from './sign-in-world.ts'

const world = await openSignInWorld()
const { db } = world.platform.kernel
afterAll(() => world.close())

const path = '/v1/oidc/apple/callback'
const kept = async () =>
  (
    await db.one(
      Type.Object({ count: Type.Integer() }),
      sql`select count(*)::int as count from identity.sign_in_forms`,
    )
  ).count

async function begun() {
  const made = await world.call('POST', '/v1/oidc/apple/authorizations', {
    body: { redirect_uri: application },
  })
  const state = new URL(made.body.authorization_url).searchParams.get('state') ?? ''
  const cookie = made.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { state, cookie }
}

async function post(form: Record<string, string> | string, url = world.url, at = path) {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: 'https://appleid.apple.com',
    'sec-fetch-site': 'cross-site',
  }
  const reply = await fetch(url + at, { method: 'POST', headers, body, redirect: 'manual' })
  const text = await reply.text()
  return { status: reply.status, headers: reply.headers, text }
}

const get = (state: string, cookie: string) =>
  world.call('GET', `${path}?${new URLSearchParams({ state })}`, { headers: { cookie } })

describe('a form', () => {
  test('is kept once, for the browser that began, and leads to an account', async () => {
    const browser = world.browse()
    const { url, status } = await world.away(browser, 'apple', { email: `${newId()}@example.test` })
    expect([status, new URL(url).searchParams.has('code')]).toEqual([200, false])
    const stranger = await world.browse().open(url)
    expect([stranger.status, JSON.parse(stranger.text).code]).toEqual([422, 'oidc_state_invalid'])
    expect(answered(await browser.follow(url), 'ticket')).not.toBeNull()
    expect((await browser.open(url)).status).toBe(422)
  })

  test('is not believed before the cookie: the first one stays, whatever is sent after it', async () => {
    const { state, cookie } = await begun()
    const before = await kept()
    expect((await post({ state, error: 'access_denied' })).status).toBe(200)
    expect((await post({ state, code: 'injected' })).status).toBe(200)
    expect(await kept()).toBe(before + 1)
    const { headers } = await get(state, cookie)
    expect(headers.get('location')).toContain('error=access_denied')
    expect(await kept()).toBe(before)
  })

  test.each([
    ['of no login', () => Promise.resolve({ state: `ot_${'x'.repeat(43)}`, code: 'y' }), path],
    ['without a state', () => Promise.resolve({ code: 'y' }), path],
    ['that is none', () => Promise.resolve('\u0000%%%&&&='), path],
    [
      'of a login that is over',
      async () => {
        const { state, cookie } = await begun()
        await post({ state, error: 'access_denied' })
        await get(state, cookie)
        return { state, code: 'y' }
      },
      path,
    ],
    [
      'of a login at another provider',
      async () => ({ state: (await begun()).state, code: 'y' }),
      '/v1/oidc/google/callback',
    ],
  ])('%s is refused, and nothing is kept', async (_, form, at) => {
    const given = (await form()) as Record<string, string>
    const before = await kept()
    const refused = await post(given, world.url, at)
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([422, 'oidc_state_invalid'])
    expect(await kept()).toBe(before)
  })

  test('beyond 64 KiB is refused unread', async () => {
    const { state } = await begun()
    const refused = await post({ state, user: 'x'.repeat(65 * 1024) })
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([413, 'content_too_large'])
  })

  test('is sealed, and its page has no script and leads only to the callback', async () => {
    const { state } = await begun()
    const { headers, text } = await post({ state, code: 'a-code-of-apple' })
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/)
    expect(text).toContain(`0;url=${path}?state=`)
    expect(text).not.toContain('script')
    const rows = await db.many(
      Type.Object({ row: Type.String() }),
      sql`select encode(form, 'escape') as row from identity.sign_in_forms`,
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { row } of rows) expect(row).not.toContain('a-code-of-apple')
  })
})

test('forms are few: one network fills no table, and a full one says so', async () => {
  const small = await openProductWorld({
    IDENTITY_REDIRECT_URIS: application,
    IDENTITY_SIGN_IN_FORMS_MOST: '2',
    IDENTITY_SIGN_IN_FORMS_PER_NETWORK: '4',
    KERNEL_RATE_FACTOR: '1',
    PROFILE: 'development',
  })
  try {
    const statuses: string[] = []
    for (let count = 0; count < 5; count++) {
      const made = await small.call('POST', '/v1/oidc/apple/authorizations', {
        body: { redirect_uri: application },
        headers: { 'x-forwarded-for': '203.0.113.7' },
      })
      const state = new URL(made.body.authorization_url).searchParams.get('state') ?? ''
      const reply = await fetch(small.url + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-forwarded-for': '203.0.113.7',
        },
        body: new URLSearchParams({ state }).toString(),
      })
      statuses.push(
        `${reply.status} ${reply.status === 200 ? '' : ((await reply.json()) as { code: string }).code}`,
      )
    }
    expect(statuses).toEqual([
      '200 ',
      '200 ',
      '503 overloaded',
      '503 overloaded',
      '429 rate_limited',
    ])
  } finally {
    await small.close()
  }
})
