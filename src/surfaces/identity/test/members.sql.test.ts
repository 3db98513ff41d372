/** Members of an organization: who sees them, who removes them, and what ends with them. */
import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call, eventually } from '../../../../test/world.ts'
import { announced } from './announced.ts'
import { organizationsOf } from './organization-world.ts'

const world = await openProductWorld()
const other = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
const { ask, proven, make, enter, join } = organizationsOf(world)
afterAll(async () => {
  await other.kill()
  await world.close()
})

/** Generous beside the promised second, so that a busy machine fails no test. */
const bound_ms = 5000
const at = '/v1/organization/members'
const remove = (token: string, { id }: Member) => ask(token, 'DELETE', `${at}/${id}`)

test.concurrent('the list has the own accounts and the guests, page by page', async () => {
  const maker = await proven()
  const org = await make(maker)
  const home = await world.member({ id: org.id, slug: org.slug }).catch(() => null)
  expect(home).toBeNull() // An organization takes no registrations.
  const guests = [await proven(), await proven(), await proven()]
  for (const guest of guests) await join(org, guest)
  const seen: object[] = []
  for (let path: string | null = `${at}?limit=2`; path !== null;) {
    const { body } = await ask(org.token, 'GET', path)
    seen.push(...body.data)
    path = body.next_cursor === null ? null : `${at}?limit=2&cursor=${body.next_cursor}`
  }
  const of = ({ id: account_id, email }: Member, role: string) => ({
    account_id,
    email,
    display_name: null,
    status: 'active',
    guest: true,
    role_ids: [role],
  })
  expect(seen).toEqual([
    ...guests.map(one => of(one, 'member')).reverse(),
    of(maker, 'tenant_admin'),
  ])
  const { body: at_home } = await ask(maker.token, 'GET', '/v1/organization')
  expect(at_home.id).toBe(maker.tenant.id)
  const inside = await enter(guests[0] as Member, org.id)
  expect((await ask(inside.body.access_token, 'GET', at)).status).toBe(403)
})

test.concurrent(
  'a removed guest loses tab token, socket, session and key on every node',
  async () => {
    const [maker, guest] = [await proven(), await proven()]
    const org = await make(maker)
    const token = await join(org, guest, 'auditor')
    const key = await ask(token, 'POST', '/v1/api-keys', {
      name: 'of a guest',
      permissions: ['identity.accounts.read'],
    })
    expect(key.status, key.text).toBe(201)
    const listed = await ask(token, 'GET', '/v1/api-keys')
    expect(listed.body.data).toMatchObject([{ id: key.body.id, account_id: guest.id }])
    const there = async (credential: string) =>
      (await call(other.url, 'GET', '/v1/accounts', { token: credential })).status
    expect([await there(token), await there(key.body.key)]).toEqual([200, 200])
    const realtime = await call(other.url, 'GET', '/v1/realtime-token', { token })
    const protocols = ['realtime.v1', `token.${realtime.body.token}`]
    const socket = new WebSocket(`${other.url.replace('http', 'ws')}/v1/realtime`, protocols)
    await once(socket, 'open')

    expect((await remove(org.token, guest)).status).toBe(204)
    // The key is read from the database at each request.
    expect(await there(key.body.key)).toBe(401)
    expect((await ask(token, 'GET', '/v1/me')).status).toBe(401)
    await eventually('the other refuses', async () => (await there(token)) === 401, bound_ms)
    await eventually('its socket is closed', () => socket.readyState === WebSocket.CLOSED, bound_ms)
    expect(await announced(world, 'api_key.revoked', key.body.id)).toHaveLength(1)
    expect(await announced(world, 'role.revoked', guest.id)).toMatchObject([
      { tenant_id: org.id, role_id: 'auditor' },
    ])
    // The account itself, and its home, are untouched.
    const back = await world.login(guest)
    expect(back.status).toBe(201)
    const again = await enter({ ...guest, token: back.body.access_token }, org.id)
    expect(again.body.code).toBe('tenant_not_found')
    expect((await remove(org.token, guest)).status).toBe(204)
  },
)

test.concurrent('a role that is removed by itself ends the same when it was the last', async () => {
  const [maker, guest] = [await proven(), await proven()]
  const org = await make(maker)
  const token = await join(org, guest, 'auditor')
  const body = { name: 'k', permissions: ['identity.accounts.read'] }
  const { key } = (await ask(token, 'POST', '/v1/api-keys', body)).body
  const path = `/v1/accounts/${guest.id}/roles/auditor`
  expect((await ask(org.token, 'DELETE', path)).status).toBe(204)
  expect((await ask(key, 'GET', '/v1/accounts')).status).toBe(401)
})

test.concurrent('a key that is made while the membership ends is not left active', async () => {
  const [maker, guest] = [await proven(), await proven()]
  const org = await make(maker)
  const token = await join(org, guest, 'auditor')
  const body = { name: 'k', permissions: ['identity.accounts.read'] }
  const keys = Array.from({ length: 6 }, () => ask(token, 'POST', '/v1/api-keys', body))
  expect((await remove(org.token, guest)).status).toBe(204)
  await Promise.all(keys)
  const { body: left } = await ask(org.token, 'GET', '/v1/api-keys?scope=tenant&state=active')
  expect(left.data).toEqual([])
})

test.concurrent(
  'a role that is given while the membership ends does not bring it back',
  async () => {
    for (let round = 0; round < 5; round++) {
      const [maker, guest] = [await proven(), await proven()]
      const org = await make(maker)
      await join(org, guest)
      const path = `/v1/accounts/${guest.id}/roles/moderator`
      const [given, removed] = await Promise.all([
        ask(org.token, 'PUT', path),
        remove(org.token, guest),
      ])
      expect([204, 404]).toContain(given.status)
      expect(removed.status).toBe(204)
      const { body } = await ask(org.token, 'GET', at)
      expect(body.data.map((one: { account_id: string }) => one.account_id)).toEqual([maker.id])
    }
  },
)

test.concurrent('a guest leaves; others, keys and strangers remove nobody', async () => {
  const [maker, guest, second, stranger] = await Promise.all([
    proven(),
    proven(),
    proven(),
    proven(),
  ])
  const org = await make(maker)
  const [token, theirs] = [await join(org, guest, 'auditor'), await join(org, second)]
  const foreign = await make(stranger)
  expect((await remove(theirs, guest)).status).toBe(403)
  // The other tenant's administrator does not reach the guest.
  expect((await remove(foreign.token, guest)).body.code).toBe('account_not_found')
  const body = { name: 'k', permissions: ['identity.accounts.read'] }
  const { key } = (await ask(token, 'POST', '/v1/api-keys', body)).body
  expect((await remove(key, guest)).status).toBe(403)
  expect((await remove(token, guest)).status).toBe(204)
  expect((await ask(theirs, 'GET', '/v1/me')).status).toBe(200)
})

test.concurrent('an account of the organization itself is not removed like a guest', async () => {
  const [admin, member] = [await world.member(), await world.member()]
  await world.give(admin, 'tenant_admin')
  const own = await world.member(admin.tenant)
  const refused = await remove(admin.token, own)
  expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition'])
  expect((await remove(admin.token, member)).body.code).toBe('account_not_found')
})

test.concurrent('of two last administrators who leave at once, one stays', async () => {
  for (let round = 0; round < 3; round++) {
    const [maker, second] = [await proven(), await proven()]
    const org = await make(maker)
    const token = await join(org, second, 'tenant_admin')
    const answers = await Promise.all([remove(org.token, maker), remove(token, second)])
    expect(answers.map(one => one.status).sort((a, b) => a - b)).toEqual([204, 409])
    expect(answers.find(one => one.status === 409)?.body.code).toBe('last_administrator')
  }
})
