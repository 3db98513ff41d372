/** An application by openid-client: from the log-in over the refresh to the end of its access. */
import * as oidc from 'openid-client'
import { afterAll, expect, test } from 'vitest'
import { loggedIn } from '../../pages/test/visitor.ts'
import { checksOf, openOAuthWorld } from './oauth-world.ts'

const world = await openOAuthWorld()
afterAll(() => world.close())

test('logs a person in, learns who it is, refreshes, and ends', async () => {
  const app = await world.app({ name: 'Notes <b>' })
  const person = await world.member()
  const way = await world.way(app, 'openid profile email offline_access chat.read', {
    max_age: '3600',
  })
  const browser = await loggedIn(world, person)
  const page = await browser.open(way.url.pathname + way.url.search)
  expect(page.status).toBe(200)
  expect(page.text).toContain('Notes &lt;b&gt; asks to use your account.')
  expect(page.text).toContain('It leads you back to app.test.')
  expect(page.text).toContain('<li>See: your conversations</li>')
  expect(page.headers.get('content-security-policy')).toContain(
    "form-action 'self' https://app.test;",
  )
  const led = await world.agree(browser, way)
  expect(led.origin + led.pathname).toBe(app.redirect_uri)
  const tokens = await oidc.authorizationCodeGrant(app.config, led, {
    ...checksOf(way),
    maxAge: 3600,
  })
  const claims = tokens.claims()
  expect(claims).toMatchObject({ sub: person.id, acr: 'aal1', amr: ['pwd'], tid: person.tenant.id })
  expect([tokens.token_type, tokens.scope]).toEqual([
    'bearer',
    'openid profile email offline_access chat.read',
  ])
  const info = await oidc.fetchUserInfo(app.config, tokens.access_token, person.id)
  expect(info).toEqual({ sub: person.id, email: person.email, email_verified: expect.any(Boolean) })

  const me = await world.call('GET', '/v1/me', { token: tokens.access_token })
  expect(me.body.session).toMatchObject({
    client_id: app.id,
    scope: ['openid', 'profile', 'email', 'offline_access', 'chat.read'],
    bound_tenant_id: person.tenant.id,
  })
  const beyond = await world.call('GET', '/v1/jobs', { token: tokens.access_token })
  expect([beyond.status, beyond.body.code]).toEqual([403, 'insufficient_scope'])

  const fresh = await oidc.refreshTokenGrant(app.config, tokens.refresh_token ?? '')
  expect(fresh.refresh_token).not.toBe(tokens.refresh_token)
  const seen = await oidc.tokenIntrospection(app.config, fresh.access_token)
  expect(seen).toMatchObject({ active: true, sub: person.id, client_id: app.id })
  await oidc.tokenRevocation(app.config, fresh.refresh_token ?? '')
  const after = await world.call('GET', '/v1/me', { token: fresh.access_token })
  expect(after.status).toBe(401)
  expect(await oidc.tokenIntrospection(app.config, fresh.access_token)).toEqual({ active: false })
  await expect(oidc.refreshTokenGrant(app.config, fresh.refresh_token ?? '')).rejects.toMatchObject(
    { error: 'invalid_grant', status: 400 },
  )
})

test('is told that the person refused, or must log in, or must be asked', async () => {
  const app = await world.app()
  const browser = await loggedIn(world, await world.member())
  const answers = async (more: Record<string, string>, action = 'refuse') => {
    const led = await world.agree(browser, await world.way(app, 'openid', more), { action })
    return [led.searchParams.get('error'), led.searchParams.get('iss')]
  }
  expect(await answers({})).toEqual(['access_denied', world.url])
  expect(await answers({ prompt: 'none' })).toEqual(['consent_required', world.url])
  await world.agree(browser, await world.way(app, 'openid'))
  const stranger = await world.way(app, 'openid', { prompt: 'none' })
  const led = await fetch(stranger.url, { redirect: 'manual' })
  expect(led.headers.get('location')).toContain('error=login_required')
})
