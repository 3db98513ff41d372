/** Tenants: made once, changed by version, and silent from the commit that disables them. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { default_tenant_id } from '../schemas.ts'
import { announced, audited } from './announced.ts'

const world = await openProductWorld()
afterAll(() => world.close())

async function operator(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'platform_operator')
  return member
}

const slugOf = () => `x-${newId().slice(-12)}`

test.concurrent('a tenant is made once, by an operator', async () => {
  const { token } = await operator()
  const body = { slug: slugOf(), name: 'Acme' }
  const create = () => world.call('POST', '/v1/tenants', { token, body })
  const answers = await Promise.all([create(), create(), create()])
  const made = answers.filter(one => one.status === 201)
  expect(answers.filter(one => one.body.code === 'already_exists')).toHaveLength(2)
  expect(made).toHaveLength(1)
  const { id, ...tenant } = made[0]?.body ?? {}
  expect(tenant).toMatchObject({ ...body, signup: 'invite', state: 'active' })
  expect(await announced(world, 'tenant.created', id)).toEqual([{ tenant_id: id }])
  expect(await audited(world, id)).toEqual(['identity.tenants.create'])
  const signup = await world.call('POST', '/v1/accounts', {
    body: { email: 'a@example.test', password: 'correct horse battery', tenant: body.slug },
  })
  expect([signup.status, signup.body.code]).toEqual([403, 'signup_closed'])
})

test.concurrent('tenants are found by slug, name, state and time, and exported', async () => {
  const { token } = await operator()
  const slug = slugOf()
  const made = await world.call('POST', '/v1/tenants', {
    token,
    body: { slug, name: `Érable ${slug}` },
  })
  const { id, created_at } = made.body
  const find = async (query: string) => {
    const { body } = await world.call('GET', `/v1/tenants?${query}`, { token })
    return body.data.map((one: { id: string }) => one.id)
  }
  expect(await find(`find=${slug.toUpperCase()}`)).toEqual([id])
  expect(await find(`find=erable%20${slug}`)).toEqual([id])
  expect(await find(`find=${slug}&state=disabled`)).toEqual([])
  await world.call('PATCH', `/v1/tenants/${id}`, { token, body: { state: 'disabled' } })
  expect(await find(`find=${slug}&state=disabled`)).toEqual([id])
  expect(await find(`find=${slug}&since=${created_at}`)).toEqual([id])
  expect(await find(`find=${slug}&until=${created_at}`)).toEqual([])
  const headers = { accept: 'text/csv' }
  const { text } = await world.call('GET', `/v1/tenants?find=${slug}`, { token, headers })
  expect(text).toMatch(/^\u{feff}?id,slug,name,signup,state,trusted,version,created_at\r\n/u)
  expect(text).toContain(`\r\n${id},${slug},Érable ${slug},invite,disabled,true,`)
})

test.concurrent('who administers a tenant does not manage tenants', async () => {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  const { token, tenant } = member
  const answers = await Promise.all([
    world.call('GET', '/v1/tenants', { token }),
    world.call('POST', '/v1/tenants', { token, body: { slug: slugOf(), name: 'x' } }),
    world.call('PATCH', `/v1/tenants/${tenant.id}`, { token, body: { name: 'x' } }),
  ])
  expect(answers.map(one => one.status)).toEqual([403, 403, 403])
})

test.concurrent('a bad slug, an unknown id and an old version are refused', async () => {
  const { token } = await operator()
  for (const slug of ['ab', 'Upper', 'a b c', 'x'.repeat(41)]) {
    const { status } = await world.call('POST', '/v1/tenants', { token, body: { slug, name: 'x' } })
    expect(status).toBe(422)
  }
  const nothing = await world.call('PATCH', `/v1/tenants/${newId()}`, { token, body: {} })
  expect(nothing.body.code).toBe('tenant_not_found')
  const made = await world.call('POST', '/v1/tenants', {
    token,
    body: { slug: slugOf(), name: 'x' },
  })
  const path = `/v1/tenants/${made.body.id}`
  const tag = { 'if-match': made.headers.get('etag') ?? '' }
  const rename = (name: string) =>
    world.call('PATCH', path, { token, body: { name }, headers: tag })
  const answers = await Promise.all([rename('one'), rename('two')])
  expect(answers.map(one => one.status).sort((a, b) => a - b)).toEqual([200, 412])
})

test.concurrent('disabling ends what lives there and nothing begins', async () => {
  const { token } = await operator()
  const member = await world.member()
  await world.give(member, 'auditor')
  const key = await world.call('POST', '/v1/api-keys', {
    token: member.token,
    body: { name: 'k', permissions: ['identity.accounts.read'] },
  })
  const turn = (state: string) =>
    world.call('PATCH', `/v1/tenants/${member.tenant.id}`, { token, body: { state } })
  expect((await turn('disabled')).body.state).toBe('disabled')
  const refused = await Promise.all([
    world.call('GET', '/v1/me', { token: member.token }),
    world.call('GET', '/v1/accounts', { token: key.body.key }),
    world.call('POST', `/v1/sessions/${member.session_id}/refresh`, {
      body: { refresh_token: member.refresh_token },
    }),
    world.login(member),
  ])
  expect(refused.map(one => one.status)).toEqual([401, 401, 401, 401])
  expect(await announced(world, 'session.revoked', member.session_id)).toHaveLength(1)
  expect((await turn('active')).body.state).toBe('active')
  expect((await world.login(member)).status).toBe(201)
})

// One for the sessions, and one for those that they gave to applications.
test('disabling ends however many sessions with two statements', async () => {
  const { token } = await operator()
  const { db } = world.platform.kernel
  const tenant = await world.tenant()
  const members = [await world.member(tenant), await world.member(tenant)]
  for (const member of members) expect((await world.login(member)).status).toBe(201)
  await db.run(sql`create table public.statements (at timestamptz not null)`)
  await db.run(sql`
    create function public.note() returns trigger language plpgsql as
    $$ begin insert into public.statements values (now()); return null; end $$`)
  await db.run(sql`
    create trigger note after update on identity.sessions
    for each statement execute function public.note()`)
  const body = { state: 'disabled' }
  const disabled = await world.call('PATCH', `/v1/tenants/${tenant.id}`, { token, body })
  await db.run(sql`drop trigger note on identity.sessions`)
  expect(disabled.status).toBe(200)
  const Count = Type.Object({
    statements: Type.Integer(),
    ended: Type.Integer(),
    events: Type.Integer(),
  })
  const counted = await db.one(
    Count,
    sql`
      select (select count(*) from public.statements) as statements,
        (select count(*) from identity.sessions
         where tenant_id = ${tenant.id} and revoked_reason = 'admin') as ended,
        (select count(*) from identity.security_events
         where tenant_id = ${tenant.id} and action = 'session.revoked') as events`,
  )
  expect(counted).toEqual({ statements: 2, ended: 4, events: 4 })
  for (const member of members) {
    expect(await announced(world, 'session.revoked', member.session_id)).toHaveLength(1)
  }
})

test.concurrent('a login that races the disabling leaves no living session', async () => {
  const { token } = await operator()
  const member = await world.member()
  const logins = Array.from({ length: 6 }, () => world.login(member))
  const disabled = await world.call('PATCH', `/v1/tenants/${member.tenant.id}`, {
    token,
    body: { state: 'disabled' },
  })
  expect(disabled.status).toBe(200)
  for (const { status, body } of await Promise.all(logins)) {
    expect([201, 401]).toContain(status)
    if (status !== 201) continue
    expect(await world.identity.sessionAlive(body.session_id)).toBe(false)
  }
})

test.concurrent('the tenant of the platform cannot be disabled', async () => {
  const { token } = await operator()
  const path = `/v1/tenants/${default_tenant_id}`
  const answer = await world.call('PATCH', path, { token, body: { state: 'disabled' } })
  expect([answer.status, answer.body.code]).toEqual([409, 'invalid_transition'])
})

test.concurrent('the list is read page by page', async () => {
  const { token } = await operator()
  const made = await Promise.all(
    [1, 2, 3].map(() =>
      world.call('POST', '/v1/tenants', { token, body: { slug: slugOf(), name: 'x' } }),
    ),
  )
  const listed: string[] = []
  let path: string | null = '/v1/tenants?limit=4'
  while (path !== null) {
    const { body, headers }: Awaited<ReturnType<typeof world.call>> = await world.call(
      'GET',
      path,
      {
        token,
      },
    )
    expect(body.data.length).toBeLessThanOrEqual(4)
    listed.push(...body.data.map((one: { id: string }) => one.id))
    path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null
  }
  expect(new Set(listed).size).toBe(listed.length)
  expect(listed).toEqual(expect.arrayContaining(made.map(one => one.body.id)))
})

test.concurrent('the own account names the tenant in which its session works', async () => {
  const member = await world.member()
  const other = await world.tenant()
  await world.give({ ...member, tenant: other }, 'auditor')
  const before = await world.call('GET', '/v1/me', { token: member.token })
  expect([before.body.active_tenant_id, before.body.roles]).toEqual([member.tenant.id, []])
  const there = await world.call('POST', `/v1/sessions/${member.session_id}/refresh`, {
    body: { refresh_token: member.refresh_token, tenant_id: other.id },
  })
  expect(there.status, there.text).toBe(200)
  const { body } = await world.call('GET', '/v1/me', { token: there.body.access_token })
  expect([body.tenant_id, body.active_tenant_id]).toEqual([member.tenant.id, other.id])
  expect(body.roles).toEqual(['auditor'])
})
