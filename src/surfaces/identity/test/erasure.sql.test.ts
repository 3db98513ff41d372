/** An erased account leaves no way in and nothing personal; its tombstone only proves that it was. */
import { afterAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { openProductWorld, password } from '../../../../test/product-world.ts'
import { sql } from '../../../kernel/database/sql.ts'

const world = await openProductWorld()
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

test('what identity must keep holds after all of it', async () => {
  const found = Object.values(world.platform.opened).flatMap(one => one.checks ?? [])
  expect(found.map(one => one.name)).toContain('identity')
  for (const check of found) expect(await check.run()).toEqual([])
})
