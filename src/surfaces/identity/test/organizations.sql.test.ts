/** Organizations that members make: who may, how many, what they may not, and how they end. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import { default_tenant_id } from '../schemas.ts'
import { announced, audited } from './announced.ts'
import { newSlug, organizationsOf } from './organization-world.ts'

const world = await openProductWorld({ IDENTITY_ORGANIZATIONS_PER_ACCOUNT: '3' })
const { ask, proven, make, enter, join } = organizationsOf(world)
afterAll(() => world.close())

async function operator(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'platform_operator')
  return member
}

test('a member makes an organization, administers it and works there beside home', async () => {
  const maker = await proven()
  const body = { slug: newSlug(), name: 'Acme' }
  const made = await ask(maker.token, 'POST', '/v1/organizations', body)
  expect(made.status, made.text).toBe(201)
  const { id } = made.body
  expect(made.body).toMatchObject({ ...body, signup: 'invite', state: 'active', trusted: false })
  expect(await announced(world, 'tenant.created', id)).toEqual([{ tenant_id: id }])
  expect(await announced(world, 'role.assigned', maker.id)).toMatchObject([
    { tenant_id: id, role_id: 'tenant_admin' },
  ])
  const { body: mine } = await ask(maker.token, 'GET', '/v1/organizations')
  expect(mine.data).toMatchObject([
    { id, home: false, role_ids: ['tenant_admin'] },
    { id: maker.tenant.id, home: true, role_ids: [] },
  ])
  const first = await ask(maker.token, 'GET', '/v1/organizations?limit=1')
  const next = await ask(
    maker.token,
    'GET',
    `/v1/organizations?limit=1&cursor=${first.body.next_cursor}`,
  )
  expect(next.body.data.map((one: { id: string }) => one.id)).toEqual([maker.tenant.id])

  const tab = await enter(maker, id)
  expect(tab.body).toMatchObject({ tenant_id: id, token_type: 'Bearer', expires_in: 3600 })
  const there = await ask(tab.body.access_token, 'GET', '/v1/me')
  expect(there.body).toMatchObject({ active_tenant_id: id, roles: ['tenant_admin'] })
  // The session itself stays at home.
  expect((await ask(maker.token, 'GET', '/v1/me')).body.active_tenant_id).toBe(maker.tenant.id)
  const refreshed = await world.call('POST', `/v1/sessions/${maker.session_id}/refresh`, {
    body: { refresh_token: maker.refresh_token },
  })
  expect(refreshed.body.tenant_id).toBe(maker.tenant.id)

  const token = tab.body.access_token
  const seen = await ask(token, 'GET', '/v1/organization')
  const tag = { 'if-match': seen.headers.get('etag') ?? '' }
  const rename = (name: string) =>
    world.call('PATCH', '/v1/organization', { token, body: { name }, headers: tag })
  const renamed = await Promise.all([rename('One'), rename('Two')])
  expect(renamed.map(one => one.status).sort((a, b) => a - b)).toEqual([200, 412])
  expect(await announced(world, 'tenant.changed', id)).toEqual([{ tenant_id: id, state: 'active' }])
  // What only an operator may change is not a member of this request.
  const trust = await ask(token, 'PATCH', '/v1/organization', { trusted: true, state: 'disabled' })
  expect(trust.body.code).toBe('unsupported_field')
})

test('names are unique and reserved words refused, and an account makes only so many', async () => {
  const maker = await proven()
  const create = (slug: string) =>
    ask(maker.token, 'POST', '/v1/organizations', { slug, name: 'x' })
  for (const slug of ['login', 'log-in', 'docs', 'account', 'www', 'default']) {
    const { status, body } = await create(slug)
    expect([slug, status, body.code]).toEqual([slug, 409, 'already_exists'])
  }
  for (const slug of ['123', '1st', 'a--b', 'xn--abc', '-abc', 'abc-', 'Abc', 'a_b', 'ab']) {
    expect([slug, (await create(slug)).status]).toEqual([slug, 422])
  }
  const slug = newSlug()
  const racing = await Promise.all(Array.from({ length: 5 }, () => create(slug)))
  expect(racing.map(one => one.status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409])
  const more = await Promise.all(Array.from({ length: 5 }, () => create(newSlug())))
  expect(more.map(one => one.status).sort((a, b) => a - b)).toEqual([201, 201, 429, 429, 429])
  // One that is disabled does not count.
  const made = more.find(one => one.status === 201)
  const tab = await enter(maker, made?.body.id)
  expect((await ask(tab.body.access_token, 'DELETE', '/v1/organization')).status).toBe(204)
  const again = (await world.login(maker)).body.access_token
  const last = await ask(again, 'POST', '/v1/organizations', { slug: newSlug(), name: 'x' })
  expect(last.status, last.text).toBe(201)
})

test('roles that spend the money of the platform wait for the trust of an operator', async () => {
  const [maker, guest, root] = [await proven(), await proven(), await operator()]
  const org = await make(maker)
  await join(org, guest)
  const give = (role_id: string) =>
    ask(org.token, 'PUT', `/v1/accounts/${guest.id}/roles/${role_id}`)
  const own = async (role_id: string, permission: string) => {
    const role = { role_id, name: role_id, permissions: [permission] }
    expect((await ask(org.token, 'POST', '/v1/roles', role)).status).toBe(201)
  }
  await own('shopkeeper', 'commerce.products.write')
  await own('caller', 'inference.generations.create')
  const risky = ['merchant_service', 'refund_operator', 'model_administrator', 'shopkeeper']
  for (const role of [...risky, 'platform_operator']) {
    const { status, body } = await give(role)
    expect([role, status, body.permission]).toEqual([role, 403, 'identity.tenants.manage'])
  }
  for (const role of ['tenant_admin', 'moderator', 'caller']) {
    expect([role, (await give(role)).status]).toEqual([role, 204])
  }
  // Nor to oneself, nor by an invitation.
  const self = await ask(org.token, 'PUT', `/v1/accounts/${maker.id}/roles/refund_operator`)
  expect(self.status).toBe(403)
  const by_mail = { email: 'x@example.test', role_ids: ['merchant_service'] }
  expect((await ask(org.token, 'POST', '/v1/organization/invitations', by_mail)).status).toBe(403)

  const path = `/v1/tenants/${org.id}`
  expect((await ask(org.token, 'PATCH', path, { trusted: true })).status).toBe(403)
  expect((await ask(root.token, 'PATCH', path, { trusted: true })).body.trusted).toBe(true)
  for (const role of risky) expect([role, (await give(role)).status]).toEqual([role, 204])
  expect((await give('platform_operator')).status).toBe(403)

  // The end of the trust ends these roles, and no others.
  expect((await ask(root.token, 'PATCH', path, { trusted: false })).body.trusted).toBe(false)
  const left = await ask(org.token, 'GET', '/v1/organization/members')
  const roles = left.body.data.flatMap((one: { role_ids: string[] }) => one.role_ids)
  expect(roles.filter((one: string) => risky.includes(one))).toEqual([])
  expect(roles).toContain('tenant_admin')
})

test('who may change or end an organization: its administrators, with a recent login', async () => {
  const [maker, guest, stranger] = [await proven(), await proven(), await proven()]
  const org = await make(maker)
  const inside = await join(org, guest)
  for (const [method, body] of [['PATCH', { name: 'x' }], ['DELETE']] as const) {
    expect((await ask(inside, method, '/v1/organization', body)).status).toBe(403)
  }
  expect((await enter(stranger, org.id)).body.code).toBe('tenant_not_found')
  expect((await enter(stranger, newId())).body.code).toBe('tenant_not_found')
  const key = await ask(org.token, 'POST', '/v1/api-keys', {
    name: 'k',
    permissions: ['identity.organization.write'],
  })
  expect(key.status, key.text).toBe(201)
  const by_key = await ask(key.body.key, 'DELETE', '/v1/organization')
  expect([by_key.status, by_key.body.code]).toEqual([403, 'step_up_required'])

  const gone = await ask(org.token, 'DELETE', '/v1/organization')
  expect(gone.status, gone.text).toBe(204)
  expect(await announced(world, 'tenant.changed', org.id)).toEqual([
    { tenant_id: org.id, state: 'disabled' },
  ])
  expect(await audited(world, org.id)).toContain('identity.tenants.change')
  // Every session that worked there has ended, and nothing begins there.
  const dead = [org.token, inside, key.body.key]
  const answers = await Promise.all(dead.map(token => ask(token, 'GET', '/v1/me')))
  expect(answers.map(one => one.status)).toEqual([401, 401, 401])
  const { body } = await world.login(guest)
  expect((await enter({ ...guest, token: body.access_token }, org.id)).status).toBe(404)
  const mine = await ask(body.access_token, 'GET', '/v1/organizations')
  expect(mine.body.data.map((one: { id: string }) => one.id)).toEqual([guest.tenant.id])
})

test('a tab token that races the end of its organization works nowhere', async () => {
  const [maker, guest] = [await proven(), await proven()]
  const org = await make(maker)
  await join(org, guest)
  const tabs = Array.from({ length: 6 }, () => enter(guest, org.id))
  const gone = await ask(org.token, 'DELETE', '/v1/organization')
  expect(gone.status, gone.text).toBe(204)
  const answers = await Promise.all(tabs)
  expect(answers.filter(one => ![201, 401, 404].includes(one.status))).toEqual([])
  const tokens = answers.flatMap(one => (one.status === 201 ? [one.body.access_token] : []))
  const seen = await Promise.all(tokens.map(token => ask(token, 'GET', '/v1/me')))
  expect(seen.filter(one => one.status !== 401)).toEqual([])
})

test('the tenant of the platform cannot be disabled by its administrator', async () => {
  const admin = await proven()
  await world.give({ ...admin, tenant: { id: default_tenant_id, slug: 'default' } }, 'tenant_admin')
  const tab = await enter(admin, default_tenant_id)
  const refused = await ask(tab.body.access_token, 'DELETE', '/v1/organization')
  expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition'])
})

test('an organization does not protect its maker from the administrators of the home', async () => {
  const [maker, admin] = [await proven(), await world.member()]
  await make(maker)
  await world.give({ ...admin, tenant: maker.tenant }, 'tenant_admin')
  const tab = await enter(admin, maker.tenant.id)
  const path = `/v1/accounts/${maker.id}`
  const disabled = await ask(tab.body.access_token, 'PATCH', path, { status: 'disabled' })
  expect(disabled.status, disabled.text).toBe(200)
})

test('a maker is erased only after the organization has another administrator or ended', async () => {
  const [maker, guest] = [await proven(), await proven()]
  const org = await make(maker)
  await join(org, guest)
  const erase = () => ask(maker.token, 'DELETE', `/v1/accounts/${maker.id}`)
  expect((await erase()).body.code).toBe('last_administrator')
  await ask(org.token, 'PUT', `/v1/accounts/${guest.id}/roles/tenant_admin`)
  expect((await erase()).status).toBe(204)
})

test('operators alone make organizations where the setting says so', async () => {
  const strict = await openProductWorld({ IDENTITY_ORGANIZATIONS: 'operators' })
  const [member, root] = [await strict.member(), await strict.member()]
  await strict.give(root, 'platform_operator')
  const create = ({ token }: Member) =>
    strict.call('POST', '/v1/organizations', { token, body: { slug: newSlug(), name: 'x' } })
  const refused = await create(member)
  expect([refused.status, refused.body.permission]).toEqual([403, 'identity.tenants.manage'])
  const made = await create(root)
  expect([made.status, made.body.trusted]).toEqual([201, true])
  await strict.close()
})
