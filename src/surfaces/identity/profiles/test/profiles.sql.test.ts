/** Profiles against the schema of the home tenant, and metadata, which only administrators write. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, password, type Member } from '../../../../../test/product-world.ts'
import { beginNarrow } from '../../../../../test/narrow.ts'
import { newId, sql } from '#dodeca/kernel'
import { announced, audited } from '../../test/announced.ts'
import { prove } from '../../test/organization-world.ts'

const world = await openProductWorld()
const { call } = world
afterAll(() => world.close())

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['city'],
  properties: {
    city: { type: 'string', title: 'City', maxLength: 20 },
    age: { type: 'integer', minimum: 0 },
    size: { enum: ['s', 'm'] },
    more: { type: 'object', properties: { a: {}, b: {} } },
  },
}

async function admin(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}

const declare = ({ token }: Member, profile_schema: object | null) =>
  call('PATCH', '/v1/organization', { token, body: { profile_schema } })
const write = ({ token }: Pick<Member, 'token'>, profile: unknown) =>
  call('PATCH', '/v1/me', { token, body: { profile } })
const describe = ({ token }: Member, id: string, body: object, headers = {}) =>
  call('PATCH', `/v1/accounts/${id}`, { token, body, headers })

test('a profile is a merge patch that must match the schema as a whole', async () => {
  const boss = await admin()
  expect((await declare(boss, schema)).body.profile_schema).toEqual(schema)
  const ann = await world.member(boss.tenant)
  const first = await write(ann, { city: 'Bern', age: 7, more: { a: 1, b: 2 } })
  expect(first.status, first.text).toBe(200)
  expect(first.body.profile).toEqual({ city: 'Bern', age: 7, more: { a: 1, b: 2 } })
  const next = await write(ann, { age: null, more: { a: null, b: 3 } })
  expect(next.body.profile).toEqual({ city: 'Bern', more: { b: 3 } })
  const version = next.headers.get('etag')
  expect((await write(ann, { age: null })).headers.get('etag')).toBe(version)
  expect(await announced(world, 'account.changed', ann.id)).toEqual([
    { account_id: ann.id },
    { account_id: ann.id },
  ])
  for (const [patch, pointer, constraint] of [
    [{ city: null }, '/profile/city', 'required'],
    [{ city: 'x'.repeat(21) }, '/profile/city', 'maxLength'],
    [{ age: 'seven' }, '/profile/age', 'type'],
    [{ size: 'xl' }, '/profile/size', 'enum'],
    [{ planet: 'Mars' }, '/profile', 'additionalProperties'],
  ] as const) {
    const refused = await write(ann, patch)
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed'])
    expect(refused.body.errors[0]).toMatchObject({ pointer, constraint })
  }
  const { body } = await call('GET', '/v1/me', { token: ann.token })
  expect(body.profile).toEqual({ city: 'Bern', more: { b: 3 } })
  const seen = await call('GET', `/v1/accounts/${ann.id}`, { token: boss.token })
  expect(seen.body).toMatchObject({ profile: body.profile, metadata: {} })
  expect((await write(ann, null)).body.profile).toEqual({})
})

test('of 20 patches at once none is lost', async () => {
  const boss = await admin()
  await declare(boss, { type: 'object' })
  const names = Array.from({ length: 20 }, (_, at) => `f${at}`)
  const all = await Promise.all(names.map(name => write(boss, { [name]: name })))
  expect(all.map(({ status }) => status)).toEqual(names.map(() => 200))
  const { body } = await call('GET', '/v1/me', { token: boss.token })
  expect(body.profile).toEqual(Object.fromEntries(names.map(name => [name, name])))
})

test('what was stored stays when the schema changes, and the next write is checked', async () => {
  const boss = await admin()
  expect((await write(boss, { city: 'Bern' })).body.errors[0]).toMatchObject({
    pointer: '/profile',
    constraint: 'undeclared',
  })
  await declare(boss, schema)
  await write(boss, { city: 'Bern' })
  const stricter = { ...schema, required: ['city', 'size'] }
  expect((await declare(boss, stricter)).status).toBe(200)
  const read = () => call('GET', '/v1/me', { token: boss.token })
  expect((await read()).body.profile).toEqual({ city: 'Bern' })
  expect((await write(boss, { city: 'Biel' })).body.errors[0].pointer).toBe('/profile/size')
  expect((await write(boss, { city: 'Biel', size: 'm' })).status).toBe(200)
  // Without a schema what is stored can only be removed.
  await declare(boss, null)
  expect((await write(boss, { size: 's' })).status).toBe(422)
  expect((await write(boss, null)).body.profile).toEqual({})
})

test('schemas and profiles are bounded, and a schema reads nothing from elsewhere', async () => {
  const boss = await admin()
  for (const [bad, pointer] of [
    [{ type: 'string' }, '/profile_schema/type'],
    [{ type: 'object', $ref: 'https://example.test/schema' }, '/profile_schema/$ref'],
    [
      { type: 'object', properties: { a: { type: 'strange' } } },
      '/profile_schema/properties/a/type',
    ],
    [
      { type: 'object', properties: { a: { pattern: '(' } } },
      '/profile_schema/properties/a/pattern',
    ],
    [{ type: 'object', description: 'x'.repeat(17_000) }, '/profile_schema'],
  ] as const) {
    const refused = await declare(boss, bad)
    expect([refused.status, refused.body.errors?.[0].pointer]).toEqual([422, pointer])
  }
  await declare(boss, { type: 'object', properties: { slow: { pattern: '^(a+)+$' } } })
  expect((await write(boss, { slow: `${'a'.repeat(15_000)}!` })).status).toBe(422)
  const big = await write(boss, { slow: 'a'.repeat(16_400) })
  expect(big.body.errors[0]).toMatchObject({ pointer: '/profile', constraint: 'maxBytes' })
  const proto = await write(boss, JSON.parse('{"__proto__": {"admin": true}}'))
  expect(proto.body.profile?.admin).toBeUndefined()
})

test('a registration brings its profile, which belongs to whoever proves the address', async () => {
  const boss = await admin()
  await declare(boss, schema)
  const email = `p-${newId()}@example.test`
  const body = { email, password, tenant: boss.tenant.slug }
  const register = (profile: object) => call('POST', '/v1/accounts', { body: { ...body, profile } })
  expect((await register({ age: 3 })).body.errors[0].pointer).toBe('/profile/city')
  expect((await register({ city: 'Stranger' })).status).toBe(202)
  // The same reply for a known address. This one proves the mailbox, and takes the account over.
  const second = await register({ city: 'Bern' })
  expect(second.status).toBe(202)
  const mail = (await world.mails(email)).findLast(one => one.template === 'verify_address')
  const proof = { token: mail?.token, registration_id: second.body.id }
  expect((await call('POST', '/v1/email-verifications', { body: proof })).status).toBe(201)
  const login = await call('POST', '/v1/sessions', { body })
  const me = await call('GET', '/v1/me', { token: login.body.access_token })
  expect(me.body.profile).toEqual({ city: 'Bern' })
})

test('administrators write metadata, the person sees it and cannot change it', async () => {
  const boss = await admin()
  const ann = await world.member(boss.tenant)
  const given = await describe(boss, ann.id, { metadata: { plan: { name: 'pro', seats: 3 } } })
  expect(given.status, given.text).toBe(200)
  const etag = given.headers.get('etag') ?? ''
  const changed = await describe(boss, ann.id, { metadata: { plan: { seats: null }, vip: true } })
  expect(changed.body.metadata).toEqual({ plan: { name: 'pro' }, vip: true })
  const late = await describe(boss, ann.id, { metadata: { vip: false } }, { 'if-match': etag })
  expect(late.status).toBe(412)
  expect(await audited(world, ann.id)).toContain('identity.accounts.update')
  const { body: me } = await call('GET', '/v1/me', { token: ann.token })
  expect(me.metadata).toEqual({ plan: { name: 'pro' }, vip: true })
  const own = await describe(ann, ann.id, { metadata: { vip: false } })
  expect([own.status, own.body.permission]).toEqual([403, 'identity.accounts.update'])
  const smuggled = await call('PATCH', '/v1/me', { token: ann.token, body: { metadata: {} } })
  expect((await call('GET', '/v1/me', { token: ann.token })).body.metadata).toEqual(me.metadata)
  expect(smuggled.headers.get('x-ignored-fields') ?? smuggled.body.code).toBeTruthy()
  const big = await describe(boss, ann.id, { metadata: { a: 'x'.repeat(17_000) } })
  expect(big.body.errors[0]).toMatchObject({ pointer: '/metadata', constraint: 'maxBytes' })
  expect((await describe(boss, ann.id, {})).status).toBe(422)
})

test('each part needs its own permission, and both go in one commit', async () => {
  const boss = await world.member()
  await world.allow(boss, 'identity.accounts.update', 'identity.accounts.read')
  const ann = await world.member(boss.tenant)
  const both = { metadata: { a: 1 }, status: 'disabled' }
  const refused = await describe(boss, ann.id, both)
  expect([refused.status, refused.body.permission]).toEqual([403, 'identity.accounts.disable'])
  expect((await call('GET', `/v1/accounts/${ann.id}`, { token: boss.token })).body).toMatchObject({
    metadata: {},
    status: 'active',
  })
  await world.allow(boss, 'identity.accounts.disable')
  const done = await describe(boss, ann.id, both)
  expect(done.body).toMatchObject({ metadata: { a: 1 }, status: 'disabled' })
})

test('an administrator of another tenant sees and changes nothing, and none changes an operator', async () => {
  const [boss, stranger] = await Promise.all([admin(), admin()])
  const ann = await world.member(boss.tenant)
  // A guest of the stranger's tenant is not in its hands either.
  await world.give({ ...ann, tenant: stranger.tenant }, 'auditor')
  expect((await describe(stranger, ann.id, { metadata: { a: 1 } })).status).toBe(404)
  const seen = await call('GET', `/v1/accounts/${ann.id}`, { token: stranger.token })
  expect(seen.status).toBe(404)
  await world.give(ann, 'platform_operator')
  const refused = await describe(boss, ann.id, { metadata: { a: 1 } })
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
})

test('a session with a scope sees profile and metadata with `profile` only', async () => {
  const boss = await admin()
  await declare(boss, { type: 'object' })
  await write(boss, { city: 'Bern' })
  await describe(boss, boss.id, { metadata: { plan: 'pro' } })
  const me = async (...scope: string[]) => {
    const { token } = await beginNarrow(world.platform, boss, { scope })
    return (await call('GET', '/v1/me', { token })).body
  }
  expect(await me('openid')).toMatchObject({ profile: {}, metadata: {}, display_name: null })
  expect(await me('openid', 'profile')).toMatchObject({
    profile: { city: 'Bern' },
    metadata: { plan: 'pro' },
  })
})

test('profile and metadata are exported, and an erased account has none', async () => {
  const boss = await admin()
  await declare(boss, { type: 'object' })
  const ann = await world.member(boss.tenant)
  const secret = `Gotham ${newId()}`
  await write(ann, { city: secret })
  await describe(boss, ann.id, { metadata: { plan: secret } })
  const { text } = await call('GET', '/v1/me/export', { token: ann.token })
  const lines = text.split('\n').filter(Boolean)
  const records = lines.map(line => JSON.parse(line))
  expect(records.find(({ kind }) => kind === 'account')?.data).toMatchObject({
    profile: { city: secret },
    metadata: { plan: secret },
  })
  const gone = await call('DELETE', `/v1/accounts/${ann.id}`, { token: ann.token })
  expect(gone.status, gone.text).toBe(204)
  const left = await world.platform.kernel.db.many(
    Type.Object({}),
    sql`
      select from identity.accounts where id = ${ann.id}
        and (profile <> '{}' or metadata <> '{}')`,
  )
  expect(left).toEqual([])
})

test('the address of a proven account is shown to no other registration', async () => {
  const boss = await admin()
  await declare(boss, schema)
  const ann = await world.member(boss.tenant)
  await prove(world, ann)
  await write(ann, { city: 'Bern' })
  const body = { email: ann.email, password, tenant: boss.tenant.slug, profile: { city: 'Rome' } }
  expect((await call('POST', '/v1/accounts', { body })).status).toBe(202)
  const me = await call('GET', '/v1/me', { token: (await world.login(ann)).body.access_token })
  expect(me.body.profile).toEqual({ city: 'Bern' })
})
