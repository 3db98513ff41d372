/** The client as a person's own program uses it: logged in, refreshed, resumed, logged out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createClient,
  login,
  loginCode,
  Problem,
  resume,
  SecondFactorMissing,
  type SessionState,
} from '../../client/src/index.ts'
import {
  guarded,
  moveClock,
  nextCode,
  openMfaWorld,
} from '../../src/surfaces/identity/test/second-factor.ts'
import { password, type ProductWorld } from '../product-world.ts'

let world: ProductWorld
beforeAll(async () => {
  world = await openMfaWorld({
    IDENTITY_ACCESS_TTL_SECONDS: '60',
    // A used refresh token is reuse at once, as it is after ten seconds.
    IDENTITY_REFRESH_GRACE_SECONDS: '0',
  })
})
afterAll(() => world.close())

async function refusal(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => null,
    (error: unknown) => error,
  )
}

describe('a session of the client', () => {
  test('outlives its access token, is resumed elsewhere, and ends', async () => {
    const { email, tenant, id } = await world.member()
    const kept: SessionState[] = []
    const common = { base_url: world.url, keep: (one: SessionState) => void kept.push(one) }
    const api = await login({ ...common, email, password, tenant: tenant.slug })
    expect((await api.GET('/v1/me')).data.id).toBe(id)
    await moveClock(world, 120)
    const both = await Promise.all([api.GET('/v1/me'), api.GET('/v1/me')])
    expect(both.map(one => one.data.id)).toEqual([id, id])
    expect(kept).toHaveLength(2)
    expect(kept[1]?.refresh_token).not.toBe(kept[0]?.refresh_token)
    expect(api.session).toEqual(kept[1])

    const elsewhere = resume({ base_url: world.url, session: api.session })
    expect((await elsewhere.GET('/v1/me')).data.id).toBe(id)
    await elsewhere.logout()
    expect(await refusal(elsewhere.GET('/v1/me'))).toMatchObject({ status: 401 })
  })

  test('that was ended elsewhere says so once, and can be logged out', async () => {
    const { email, tenant } = await world.member()
    const who = { base_url: world.url, email, password, tenant: tenant.slug }
    const said: Problem[] = []
    const api = await login({ ...who, ended: problem => said.push(problem) })
    const elsewhere = resume({ base_url: world.url, session: api.session })
    await elsewhere.logout()
    for (let n = 0; n < 2; n++) {
      expect(await refusal(api.GET('/v1/me'))).toMatchObject({ status: 401 })
    }
    await api.logout()
    expect(said.map(({ code }) => code)).toEqual(['invalid_refresh_token'])
  })

  test('goes on with what another tab has kept, and does not keep what it has forgotten', async () => {
    const { email, tenant, id } = await world.member()
    const who = { base_url: world.url, email, password, tenant: tenant.slug }
    let kept: SessionState | null = null
    const shared = { keep: (one: SessionState) => void (kept = one), load: () => kept }
    const tab = await login({ ...who, ...shared })
    const other = resume({ base_url: world.url, session: tab.session, ...shared })
    // Past the life of the access token.
    for (const one of [other, tab, other, tab]) {
      await moveClock(world, 120)
      expect((await one.GET('/v1/me')).data.id).toBe(id)
    }
    expect(kept).toEqual(tab.session)
    kept = null
    await moveClock(world, 120)
    expect((await tab.GET('/v1/me')).data.id).toBe(id)
    expect(kept).toBeNull()
  })

  test('of an account with a second factor asks for its code', async () => {
    const { member, app } = await guarded(world)
    const who = {
      base_url: world.url,
      email: member.email,
      password: member.password,
      tenant: member.tenant.slug,
    }
    expect(await refusal(login(who))).toBeInstanceOf(SecondFactorMissing)
    const asked: string[] = []
    const api = await login({
      ...who,
      secondFactor: async ({ methods }) => {
        asked.push(...methods.map(one => one.type))
        return { code: await nextCode(world, app) }
      },
    })
    expect(asked).toContain('totp')
    expect((await api.GET('/v1/me')).data.id).toBe(member.id)
  })

  test('begins with a mailed code', async () => {
    const { email, tenant, id } = await world.member()
    const common = { base_url: world.url, tenant: tenant.slug }
    const asked = await loginCode({ ...common, email })
    const code = (await world.mails(email)).at(-1)?.code ?? ''
    const api = await login({ ...common, code: { id: asked, code } })
    expect((await api.GET('/v1/me')).data.id).toBe(id)
    const again = await refusal(login({ ...common, code: { id: asked, code } }))
    expect(again).toMatchObject({ status: 401, code: 'invalid_credentials' })
  })

  test('with a passkey needs a browser', async () => {
    const refused = await refusal(login({ base_url: world.url, passkey: true }))
    expect(refused).toMatchObject({ message: expect.stringContaining('has no passkeys') })
  })

  test('with a wrong password is refused as a problem', async () => {
    const { email, tenant } = await world.member()
    const wrong = login({ base_url: world.url, email, password: 'wrong one', tenant: tenant.slug })
    const problem = await refusal(wrong)
    expect(problem).toBeInstanceOf(Problem)
    expect(problem).toMatchObject({ status: 401, code: 'invalid_credentials' })
  })
})

test('jobs.waitFor returns the job that has ended, and stops when it is aborted', async () => {
  const member = await world.member()
  await world.allow(member, 'jobs.jobs.submit:demo.count')
  const { body } = await world.login(member)
  const api = createClient({ base_url: world.url, token: body.access_token })
  const submitted = await api.POST('/v1/jobs', {
    body: { type: 'demo.count', parameters: { to: 3, step_ms: 1 } },
  })
  const job = await api.jobs.waitFor(submitted.data.id)
  expect([job.status, job.id]).toEqual(['succeeded', submitted.data.id])

  const long = await api.POST('/v1/jobs', {
    body: { type: 'demo.count', parameters: { to: 1000, step_ms: 1000 } },
  })
  const enough = new AbortController()
  const waiting = refusal(api.jobs.waitFor(long.data.id, { signal: enough.signal }))
  enough.abort(new Error('enough'))
  expect(await waiting).toMatchObject({ message: 'enough' })
})
