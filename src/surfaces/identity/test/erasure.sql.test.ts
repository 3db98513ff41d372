/**
 * An erased account has no credentials and no personal data; its tombstone only proves that it
 * existed.
 */
import { afterAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { openProductWorld, password } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { retain } from '../../../kernel/work/retention.ts'

const world = await openProductWorld({})
afterAll(() => world.close())

test('a person erases themselves, and the address is free again', async () => {
  const member = await world.member()
  const { email, tenant, id, token } = member
  const erased = await world.call('DELETE', `/v1/accounts/${id}`, { token })
  expect(erased.status).toBe(204)
  expect((await world.call('GET', '/v1/me', { token })).status).toBe(401)
  expect((await world.login(member)).status).toBe(401)
  const tables = ['accounts', 'registrations', 'mails', 'email_changes']
  const { kernel } = world.platform
  for (const table of tables) {
    const found = await kernel.db.many(
      Type.Object({ row: Type.String() }),
      sql`select t::text as row from ${sql.id('identity', table)} t`,
    )
    expect(found.filter(({ row }) => row.includes(email))).toEqual([])
  }
  const body = { email, password, tenant: tenant.slug }
  expect((await world.call('POST', '/v1/accounts', { body })).status).toBe(202)
  const again = await world.login(member)
  expect(again.status).toBe(201)
  expect(again.body.account_id).not.toBe(id)
})

test('a person exports what all surfaces keep of them, and nothing secret', async () => {
  const member = await world.member()
  const stranger = await world.member()
  const { token, email } = member
  const answer = await world.call('GET', '/v1/me/export', { token })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const lines = answer.text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines.at(-1)).toEqual({ complete: true })
  const kinds = new Set(lines.slice(0, -1).map(one => `${one.surface}.${one.kind}`))
  for (const kind of ['identity.account', 'identity.session', 'identity.security_event'])
    expect(kinds).toContain(kind)
  const times = [...answer.text.matchAll(/"\w+_at":"([^"]+)"/g)].map(([, time]) => time)
  expect(times.length).toBeGreaterThan(2)
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(answer.text).toContain(email)
  expect(answer.text).not.toContain(stranger.email)
  expect(answer.text).not.toMatch(/hash|argon2|secret/)
  expect((await world.call('GET', '/v1/me/export')).status).toBe(401)
})

test('an erasure is passed to every surface in the same commit', async () => {
  const { kernel, opened } = world.platform
  const member = await world.member()
  const { id, token } = member
  expect((await world.call('DELETE', `/v1/accounts/${id}`, { token })).status).toBe(204)
  const Row = Type.Object({ surface: Type.String() })
  const rows = await kernel.db.many(
    Row,
    sql`select surface from kernel.erasures where account_id = ${id}`,
  )
  const keeping = Object.entries(opened).filter(([, one]) => one.personal)
  const names = ['kernel', ...keeping.map(([name]) => name)]
  expect(rows.map(one => one.surface).toSorted()).toEqual(names.toSorted())
  const left = sql`
    select surface from kernel.erasures where account_id = ${id} and erased_at is null`
  await eventually('all have erased', async () => (await kernel.db.many(Row, left)).length === 0)
})

test('a change of address is deleted 30 days after it has expired', async () => {
  const { id, tenant } = await world.member()
  const { db } = world.platform.kernel
  await db.run(sql`
    insert into identity.email_changes
      (tenant_id, id, account_id, email, email_normalized, expires_at)
    select ${tenant.id}, gen_random_uuid(), ${id}, a.address, a.address,
      kernel.now() - make_interval(days => a.days)
    from (values ('old@example.com', 31), ('young@example.com', 29)) a (address, days)`)
  const declared = world.platform.opened['identity']?.retention ?? []
  await retain(world.platform.kernel, declared, new AbortController().signal)
  const left = await db.many(
    Type.Object({ email: Type.String() }),
    sql`select email from identity.email_changes where account_id = ${id}`,
  )
  expect(left).toEqual([{ email: 'young@example.com' }])
})

test('what identity must keep holds after all of it', async () => {
  const found = Object.values(world.platform.opened).flatMap(one => one.checks ?? [])
  expect(found.map(one => one.name)).toContain('identity')
  for (const check of found) expect(await check.run()).toEqual([])
})
