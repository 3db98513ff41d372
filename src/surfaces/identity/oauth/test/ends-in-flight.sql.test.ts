/** What ends the grants of an application ends its codes, too; and what an application sees. */
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../../test/product-world.ts'
import { sql } from '#dodeca/kernel'
import { loggedIn } from '../../pages/test/visitor.ts'
import { default_tenant_id } from '../../schemas.ts'
import { basic, openOAuthWorld, type App } from './oauth-world.ts'

const world = await openOAuthWorld()
afterAll(() => world.close())
const { db } = world.platform.kernel
const stays = 'openid offline_access chat.read'

/** A code that the person has just allowed. */
async function allowed(person: Member, app: App, scope = stays) {
  const way = await world.way(app, scope)
  const led = await world.agree(await loggedIn(world, person), way)
  const form = {
    grant_type: 'authorization_code',
    code: led.searchParams.get('code') ?? '',
    redirect_uri: app.redirect_uri,
    code_verifier: way.code_verifier,
  }
  return (by = app) => world.post('/v1/oauth/token', form, basic(by))
}

describe('a code that waits', async () => {
  const editor = await world.member({ id: default_tenant_id, slug: 'default' })
  await world.give(editor, 'tenant_admin')
  const { token } = editor
  test.each([
    [
      'is not redeemed after its scope was taken from the client',
      async ({ id }: App) => {
        const body = { scopes: ['openid', 'offline_access'] }
        return await world.call('PATCH', `/v1/clients/${id}`, { token, body })
      },
    ],
    [
      'nor after its redirect URI was',
      async ({ id }: App) => {
        const body = { redirect_uris: ['https://app.test/other'] }
        return await world.call('PATCH', `/v1/clients/${id}`, { token, body })
      },
    ],
  ])('%s', async (_what, end) => {
    const app = await world.app()
    const redeem = await allowed(await world.member(), app)
    expect((await end(app)).status).toBe(200)
    expect((await redeem()).body.error).toBe('invalid_grant')
  })

  test('is not redeemed after a leaked secret was replaced', async () => {
    const app = await world.app()
    const redeem = await allowed(await world.member(), app)
    const { body } = await world.call('POST', `/v1/clients/${app.id}/secrets`, {
      token,
      body: { overlap_seconds: 0 },
    })
    const answer = await redeem({ ...app, secret: body.client_secret })
    expect(answer.body.error).toBe('invalid_grant')
  })

  test('is not redeemed after the person has ended the access of the application', async () => {
    const [app, person] = [await world.app(), await world.member()]
    const first = await world.grant(person, app, stays)
    const redeem = await allowed(person, app)
    const { body } = await world.call('GET', '/v1/me', { token: first.access_token })
    const path = `/v1/sessions/${body.session.id}`
    expect((await world.call('DELETE', path, { token: person.token })).status).toBe(204)
    expect((await redeem()).body.error).toBe('invalid_grant')
  })
})

test('the time of an organization for a session counts from the log-in in the browser', async () => {
  const [app, person] = [await world.app(), await world.member()]
  await db.run(sql`
    update identity.tenants set login = '{"session_max_seconds": 300}' where id = ${person.tenant.id}`)
  const tokens = await world.grant(person, app, stays)
  const late = await allowed(person, app)
  await db.run(sql`
    update identity.sessions set auth_time = auth_time - interval '10 minutes'
    where account_id = ${person.id}`)
  expect((await late()).body.error).toBe('invalid_grant')
  const refresh_token = tokens.refresh_token ?? ''
  const refreshed = { grant_type: 'refresh_token', refresh_token }
  expect((await world.post('/v1/oauth/token', refreshed, basic(app))).body.error).toBe(
    'invalid_grant',
  )
})

test('an application in another organization sees nothing of the home of a guest', async () => {
  const person = await world.member()
  const theirs = await world.tenant()
  await world.give({ ...person, tenant: theirs }, 'support_viewer')
  await db.run(sql`
    update identity.accounts set profile = '{"team": "T"}', metadata = '{"note": "secret"}'
    where id = ${person.id}`)
  const app = await world.app({ tenant_id: theirs.id })
  const { access_token } = await world.grant(person, app, 'openid profile')
  const { body } = await world.call('GET', '/v1/me', { token: access_token })
  expect(body).toMatchObject({
    id: person.id,
    profile: {},
    metadata: {},
    tenants: [{ id: theirs.id }],
  })
  const own = await world.call('GET', '/v1/me', { token: person.token })
  expect(own.body).toMatchObject({ profile: { team: 'T' }, metadata: { note: 'secret' } })
})
