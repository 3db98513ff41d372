/**
 * The way back from a provider: it is accepted once, in the browser that began it, from the provider that
 * it was begun with; an address counts only where the provider proves it.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { answered, application, type Browser } from './oidc-browser.ts'
import { openHostileWorld, stopHere } from './oidc-hostile-world.ts'

const world = await openHostileWorld()
const { away, browse, come, inward, latestFailure, provider } = world
afterAll(() => world.close())

async function refusalOf(browser: Browser, callback: string) {
  const { status, text } = await browser.open(callback)
  return [status, JSON.parse(text).code]
}

describe('a way back is refused', () => {
  test.each<[string, string, (url: URL) => void]>([
    [
      'from another issuer',
      'oauth_invalid_response',
      url => url.searchParams.set('iss', 'https://evil.test'),
    ],
    [
      'with a code of another login',
      'oauth_response_is_not_json',
      url => url.searchParams.set('code', newId()),
    ],
    [
      'of no login, of a provider that names itself',
      'oauth_invalid_response',
      url => url.searchParams.delete('iss'),
    ],
    ['without a code', 'oauth_invalid_response', url => url.searchParams.delete('code')],
  ])('%s', async (_, reason, redirect) => {
    provider.bend = { ...world.victim().honest, redirect }
    expect(await come()).toEqual({ ticket: null, error: 'provider_error' })
    expect(await latestFailure()).toMatchObject({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      method: 'hostile',
      reason,
    })
  })

  test('where the person said no', async () => {
    const redirect = (url: URL) => {
      url.searchParams.delete('code')
      url.searchParams.set('error', 'access_denied')
    }
    provider.bend = { ...world.victim().honest, redirect }
    expect(await come()).toEqual({ ticket: null, error: 'access_denied' })
  })

  test('in a browser that did not begin it, and is still there for the one that did', async () => {
    const mine = browse()
    const callback = await away(mine)
    const other = browse()
    await away(other)
    expect(await refusalOf(browse(), callback)).toEqual([422, 'oidc_state_invalid'])
    expect(await refusalOf(other, callback)).toEqual([422, 'oidc_state_invalid'])
    expect(answered(await mine.follow(callback), 'ticket')).not.toBeNull()
  })

  test('the second time', async () => {
    const cookie = await withCookie()
    const first = await cookie.back()
    expect([first.status, first.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('ticket='),
    ])
    expect(first.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await cookie.back()).body.code).toBe('oidc_state_invalid')
  })

  test('from a page that only looks, and stays for the person who comes', async () => {
    const cookie = await withCookie()
    expect((await cookie.look()).status).toBe(405)
    expect((await cookie.back()).headers.get('location')).toContain('ticket=')
  })

  test('of two at once, one', async () => {
    const cookie = await withCookie()
    const both = await Promise.all([cookie.back(), cookie.back()])
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([303, 422])
  })

  test('with the cookie of another secret', async () => {
    const cookie = await withCookie()
    const forged = await cookie.back('hostile', 'x'.repeat(43))
    expect([forged.status, forged.body.code]).toEqual([422, 'oidc_state_invalid'])
    expect((await cookie.back()).status).toBe(303)
  })

  test('at another provider than it was begun with', async () => {
    const cookie = await withCookie()
    expect((await cookie.back('other')).body.code).toBe('oidc_state_invalid')
    expect((await cookie.back()).status).toBe(303)
  })

  test('after its time', async () => {
    const cookie = await withCookie()
    await world.platform.kernel.db.run(sql`
      update identity.one_time_challenges set expires_at = kernel.now()
      where purpose = 'oidc_state' and consumed_at is null`)
    expect((await cookie.back()).body.code).toBe('oidc_state_invalid')
  })

  test('of a made-up state, or of a state twice', async () => {
    const path = '/v1/oidc/hostile/callback'
    const made_up = await world.call('GET', `${path}?state=ot_${'x'.repeat(43)}&code=y`)
    expect([made_up.status, made_up.body.code]).toEqual([422, 'oidc_state_invalid'])
    const twice = await world.call('GET', `${path}?state=a&state=b&code=y`)
    expect(twice.status).toBe(422)
  })

  /** The way back with its cookie by hand, as often as one likes. */
  async function withCookie() {
    const begun = await world.call('POST', '/v1/oidc/hostile/authorizations', {
      body: { redirect_uri: application },
    })
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
    const callback = new URL((await browse().follow(begun.body.authorization_url, stopHere)).url)
    const back = (name = 'hostile', secret?: string, method = 'GET') =>
      world.call(method, `/v1/oidc/${name}/callback${callback.search}`, {
        headers: { cookie: secret ? cookie.replace(/=.*/, `=${secret}`) : cookie },
      })
    return { back, look: () => back('hostile', undefined, 'HEAD') }
  }
})

describe('an address that the provider does not prove', () => {
  test.each<[string, Record<string, unknown>]>([
    ['says nothing', { email_verified: undefined }],
    ['says no', { email_verified: false }],
    ['says it in a text', { email_verified: 'false' }],
    ['says something else', { email_verified: 1 }],
  ])('is not linked to its account: %s', async (_, more) => {
    const { ticket } = await come()
    expect(
      (await world.call('POST', '/v1/sessions', { body: { oidc_ticket: ticket } })).status,
    ).toBe(201)
    provider.bend = { claims: { ...world.victim().honest.claims, sub: newId(), ...more } }
    expect(await come()).toEqual({ ticket: null, error: 'account_link_required' })
  })

  test('is not taken for one that it looks like', async () => {
    await come()
    const [local = '', domain = ''] = world.victim().email.split('@')
    for (const like of [
      `${local}\u0000@${domain}`,
      `"${local}"@${domain}`,
      `${local}@${domain}\n`,
    ]) {
      provider.bend = { claims: { ...world.victim().honest.claims, sub: newId(), email: like } }
      const { ticket } = await come()
      if (ticket === null) continue
      // A trailing line end is trimmed, and then it is the same proven mailbox.
      expect(like.trim()).toBe(world.victim().email)
    }
  })
})

describe('what a provider says of itself', () => {
  test('does not lead the platform to inner addresses', async () => {
    const inner = 'http://169.254.169.254:8443/latest/token'
    inward.bend = { description: { token_endpoint: inner } }
    expect(await come('inward')).toEqual({ ticket: null, error: 'provider_unavailable' })
    expect(await latestFailure()).toMatchObject({
      method: 'inward',
      reason: 'call_blocked_address',
    })
  })

  test('is waited for in vain where it is down', async () => {
    const { status, body } = await world.call('POST', '/v1/oidc/gone/authorizations', {
      body: { redirect_uri: application },
    })
    expect([status, body.code]).toEqual([503, 'service_unavailable'])
  })

  test('is asked once for many logins', async () => {
    await Promise.all(Array.from({ length: 5 }, () => come()))
    expect(provider.asked['/.well-known/openid-configuration']).toBe(1)
    expect(provider.asked['/jwks']).toBe(1)
  })
})
