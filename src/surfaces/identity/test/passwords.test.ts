/** Passwords: what is accepted, that a reset beats a login, that old hashes are renewed, and equal work. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { openProductWorld, password, type Member } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call, eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'

const stolen = 'stolen heron under a bridge'
const folder = await mkdtemp(join(tmpdir(), 'dodeca-stolen-'))
const file = join(folder, 'sha1.txt')
await writeFile(file, `${createHash('sha1').update(stolen).digest('hex').toUpperCase()}:37\r\n`)
const world = await openProductWorld({ IDENTITY_BREACHED_PASSWORDS: file })
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

describe('a password', () => {
  test.for([
    ['short', 'min_length', 'brief one', 'at least 12 characters'],
    ['long', 'max_length', 'x'.repeat(129), 'at most 128 characters'],
    ['heavy', 'max_length', `${'🙂'.repeat(128)}é`, 'at most 128 characters'],
    ['usual', 'common_password', 'password1234', 'easy to guess'],
    ['a row of keys', 'common_password', 'qwertyuiop12', 'easy to guess'],
    ['stolen', 'breached_password', stolen, 'list of stolen passwords'],
    ['the address', 'contains_identity', 'my name is marianne today', 'the name of the address'],
  ])('that is %s is refused with %s', async ([, constraint, chosen, why]) => {
    const tenant = await world.tenant()
    const { status, body } = await world.call('POST', '/v1/accounts', {
      body: { email: 'marianne@example.test', password: chosen, tenant: tenant.slug },
    })
    expect([status, body.code]).toEqual([422, 'password_rejected'])
    expect(body.errors).toMatchObject([{ location: 'body', pointer: '/password', constraint }])
    expect(body.detail).toContain(why)
  })

  test('is the same in composed and decomposed form', async () => {
    const tenant = await world.tenant()
    const who = { email: 'nfc@example.test', password: 'café réservé à midi', tenant }
    await world.call('POST', '/v1/accounts', { body: { ...who, tenant: tenant.slug } })
    const typed = { ...who, password: who.password.normalize('NFD') }
    expect(typed.password).not.toBe(who.password)
    expect((await world.login(typed)).status).toBe(201)
  })
})

test('a session that began with the old password does not survive a reset at the same time', async () => {
  for (let round = 0; round < 8; round++) {
    const member = await world.member()
    await world.call('POST', '/v1/password-reset-requests', {
      body: { email: member.email, tenant: member.tenant.slug },
    })
    const token = (await world.mails(member.email)).at(-1)?.token
    const [login, reset] = await Promise.all([
      world.login(member),
      world.call('POST', '/v1/password-resets', {
        body: { token, new_password: 'a wholly different phrase 71' },
      }),
    ])
    expect(reset.status).toBe(204)
    expect([201, 401]).toContain(login.status)
    if (login.status !== 201) continue
    const { session_id, refresh_token, access_token } = login.body
    const path = `/v1/sessions/${session_id}/refresh`
    expect((await world.call('POST', path, { body: { refresh_token } })).status).toBe(401)
    expect((await world.call('GET', '/v1/me', { token: access_token })).status).toBe(401)
  }
})

test('known and unknown addresses cost one hash each, at login and at registration', async () => {
  const member = await world.member()
  const { tenant } = member
  const costs: number[] = []
  for (const email of [member.email, 'nobody@example.test']) {
    const body = { email, password, tenant: tenant.slug }
    costs.push(await hashesOf(() => world.login({ email, password: 'not the password', tenant })))
    costs.push(await hashesOf(() => world.call('POST', '/v1/accounts', { body })))
  }
  expect(costs).toEqual([1, 1, 1, 1])
})

test('a hash that has become too cheap is renewed at the next login', async () => {
  const member = await world.member()
  expect(await costOf(member)).toBe(1)
  await world.platform.kernel.db.run(sql`
    update identity.settings set value = jsonb_set(value, '{t}', '3') where name = 'password_cost'`)
  const later = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
  const { email, tenant } = member
  const login = () =>
    call(later.url, 'POST', '/v1/sessions', { body: { email, password, tenant: tenant.slug } })
  // Those that began with the old hash are no less right when another one has renewed it.
  const all = await Promise.all(Array.from({ length: 20 }, login))
  expect(all.filter(({ status }) => status === 401)).toEqual([])
  expect(all.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
  await eventually('the hash is renewed', async () => (await costOf(member)) === 3)
  expect((await login()).status).toBe(201)

  // The session exists when the hash is renewed, so a failure then does not fail the log-in.
  const { db } = world.platform.kernel
  const other = await world.member()
  await db.run(sql`
    create function public.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no renewal'; end $$`)
  await db.run(sql`
    create trigger refuse before update on identity.credentials
    for each row execute function public.refuse()`)
  const body = { email: other.email, password, tenant: other.tenant.slug }
  const { status } = await call(later.url, 'POST', '/v1/sessions', { body })
  await db.run(sql`drop trigger refuse on identity.credentials`)
  expect([status, await costOf(other)]).toEqual([201, 1])
  await later.kill()
})

async function hashesOf(work: () => Promise<unknown>): Promise<number> {
  const { registry } = world.platform.kernel.metrics
  const read = async () => {
    const text = await registry.getSingleMetricAsString('auth_hashes_total')
    return Number(/^auth_hashes_total (\d+)/m.exec(text)?.[1])
  }
  const before = await read()
  await work()
  return (await read()) - before
}

/** The passes of the hash that is stored. */
async function costOf({ id }: Member): Promise<number> {
  const { kernel } = world.platform
  const { password_hash } = await kernel.db.one(
    Type.Object({ password_hash: Type.Any() }),
    sql`select password_hash from identity.credentials where account_id = ${id}`,
  )
  const place = { table: 'identity.credentials', id, column: 'password_hash' }
  const encoded = kernel.keys.open('identity.passwords', password_hash as Buffer, place).toString()
  return Number(/,t=(\d+),/.exec(encoded)?.[1])
}
