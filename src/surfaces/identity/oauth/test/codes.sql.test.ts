/** A code: whoever uses it twice, late or for another application gets nothing that lasts. */
import * as oidc from 'openid-client'
import { afterAll, describe, expect, test } from 'vitest'
import { startProcess } from '../../../../../test/process.ts'
import type { Member } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { loggedIn, type Browser } from '../../pages/test/visitor.ts'
import { basic, openOAuthWorld, type App, type Way } from './oauth-world.ts'

const world = await openOAuthWorld()
const other = await startProcess({ ...world.environment, PORT: '0', ROLES: 'api' }, 'product')
afterAll(async () => {
  await other.kill()
  await world.close()
})
const { db } = world.platform.kernel

const me = async (token: string) => (await world.call('GET', '/v1/me', { token })).status
const stays = 'openid offline_access chat.read'
const refused = { error: 'invalid_grant' }

const formOf = (app: App, way: Way, led: URL) => ({
  grant_type: 'authorization_code',
  code: led.searchParams.get('code') ?? '',
  redirect_uri: app.redirect_uri,
  code_verifier: way.code_verifier,
})

/** Up to the code. */
async function allowed(person: Member, app: App, scope = stays) {
  const browser = await loggedIn(world, person)
  const way = await world.way(app, scope)
  const form = formOf(app, way, await world.agree(browser, way))
  const redeem = (more: object = {}, by = app) =>
    world.post('/v1/oauth/token', { ...form, ...more }, basic(by))
  return { browser, form, redeem }
}

describe.concurrent('a code', () => {
  test('that is used twice at once, in two processes, gives nothing that lasts', async () => {
    const app = await world.app()
    for (let round = 0; round < 5; round++) {
      const { form, redeem } = await allowed(await world.member(), app)
      const answers = await Promise.all([
        redeem(),
        world.post('/v1/oauth/token', form, basic(app), other.url),
      ])
      expect(answers.map(one => one.status === 200).filter(Boolean)).toEqual([true])
      const given = answers.find(one => one.status === 200)?.body
      await eventually('refused', async () => (await me(given.access_token)) === 401)
      const again = { grant_type: 'refresh_token', refresh_token: given.refresh_token }
      expect((await world.post('/v1/oauth/token', again, basic(app))).body).toMatchObject(refused)
    }
  })

  test('is bound to its client, redirect URI and verifier, and used up by a wrong one', async () => {
    const [app, thief] = [await world.app(), await world.app()]
    const wrong = [
      [{}, thief],
      [{ redirect_uri: 'https://app.test/other' }, app],
      [{ code_verifier: oidc.randomPKCECodeVerifier() }, app],
      [{ code_verifier: 'short' }, app],
    ] as const
    for (const [more, by] of wrong) {
      const { redeem } = await allowed(await world.member(), app)
      const answer = await redeem(more, by)
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant'])
      expect((await redeem()).status).toBe(400)
    }
  })

  test('expires', async () => {
    const app = await world.app()
    const person = await world.member()
    const { redeem } = await allowed(person, app)
    await db.run(sql`
      update identity.one_time_challenges set expires_at = kernel.now() - interval '1 second'
      where account_id = ${person.id} and purpose = 'oauth_code'`)
    expect((await redeem()).body).toMatchObject(refused)
  })

  test('is worth nothing to an application without its secret', async () => {
    const { form } = await allowed(await world.member(), await world.app())
    const wrong = await world.app()
    const answers = [
      await world.post('/v1/oauth/token', { ...form, client_id: wrong.id }),
      await world.post('/v1/oauth/token', form, basic({ ...wrong, secret: 'no' })),
      await world.post('/v1/oauth/token', form),
    ]
    const told = answers.map(one => `${one.status} ${one.body.error}`)
    expect(new Set(told)).toEqual(new Set(['401 invalid_client']))
    expect(answers[0]?.headers.get('www-authenticate')).toContain('Basic')
    expect(answers[0]?.headers.get('cache-control')).toBe('no-store')
  })

  const ends: Readonly<Record<string, (person: Member, browser: Browser) => Promise<unknown>>> = {
    'the tenant was disabled': ({ tenant }) =>
      db.run(sql`update identity.tenants set state = 'disabled' where id = ${tenant.id}`),
    'the account was disabled': ({ id }) =>
      db.run(sql`update identity.accounts set status = 'disabled' where id = ${id}`),
    'the person logged out': (_person, browser) => browser.send('/account/', { action: 'log_out' }),
  }
  test.each(Object.keys(ends))('gives nothing if meanwhile %s', async name => {
    const person = await world.member()
    const { browser, redeem } = await allowed(person, await world.app())
    await ends[name]?.(person, browser)
    expect((await redeem()).body).toMatchObject(refused)
  })

  test('of an organization gives nothing to a person who is no member any more', async () => {
    const person = await world.member()
    const tenant = await world.tenant()
    await world.give({ ...person, tenant }, 'tenant_admin')
    const app = await world.app()
    const way = await world.way(app, stays)
    const browser = await loggedIn(world, person)
    const led = await world.agree(browser, way, { organization: tenant.id })
    await db.run(sql`
      delete from identity.role_assignments
      where account_id = ${person.id} and tenant_id = ${tenant.id}`)
    const answer = await world.post('/v1/oauth/token', formOf(app, way, led), basic(app))
    expect(answer.body).toMatchObject(refused)
  })
})
