/** Lists as CSV: every row once, guarded cells, limits, audit records, and rights that end. */
import { once } from 'node:events'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Id, sql, type Reader } from '#dodeca/kernel'
import { csvOf } from '../../../../src/kernel/http/lists/export-csv.ts'
import type { Person } from '../../../world.ts'
import { csv_rows_max, type Deal, type Deals, openDeals, some } from './deals-world.ts'

const Actor = Type.Object({ actor: Type.String() })

let deals: Deals
beforeAll(async () => {
  deals = await openDeals()
})
afterAll(() => deals.world.close())

/** The newest first. */
const idsOf = (all: readonly Deal[]) => all.map(one => one.id).toReversed()

const csv = (person: Person, query = '') =>
  deals.world.call('GET', `/v1/deals?${query}`, {
    token: person.token,
    headers: { accept: 'text/csv' },
  })

test('an export has every row once, guards formulas and keeps numbers', async () => {
  const person = await deals.manager()
  const all = some(27, [person.principal.id])
  await deals.write(person, all)
  const { status, headers, text } = await csv(person)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('vary')).toBe('accept')
  expect(headers.get('ratelimit')).toMatch(/^"expensive"/)
  const lines = text.replace('\u{feff}', '').split('\r\n')
  expect(lines[0]).toBe(
    'id,number,title,currency,amount_minor,amount,note,tags,created_at,owner.id,state',
  )
  expect(lines.slice(1, -1).map(line => line.slice(0, 36))).toEqual(idsOf(all))
  const line = (is: (one: Deal) => boolean) =>
    lines.find(one => one.startsWith(all.find(is)?.id ?? 'none'))
  expect(line(one => one.title === '=1+1')).toContain(`,'=1+1,`)
  expect(line(one => one.title === '-5')).toContain(`,'-5,`)
  expect(line(one => one.title === 'a,"b"')).toContain(',"a,""b""",')
  expect(line(one => one.currency === 'JPY' && one.amount_minor === 35)).toContain(',JPY,35,35,')
  expect(line(one => one.currency === 'EUR' && one.amount_minor === 37)).toContain(',EUR,37,0.37,')
  expect(line(() => true)).toContain(',[],')
})

test('an export of own rows leaves no audit record, and one of all rows does', async () => {
  const chief = await deals.manager()
  const colleague = deals.world.person(chief.principal.tenant_id)
  await deals.write(chief, some(4, [chief.principal.id, colleague.principal.id]))
  await csv(colleague)
  await csv(chief)
  const acts = await deals.db.many(
    Actor,
    sql`
      select actor from kernel.audit_events
      where tenant_id = ${chief.principal.tenant_id} and action = 'kernel.list.export'`,
  )
  expect(acts).toEqual([{ actor: chief.principal.id }])
})

test('too many rows are refused before the first byte, with the time that splits them', async () => {
  const person = await deals.manager()
  await deals.write(person, some(csv_rows_max + 60, [person.principal.id]))
  const { status, body } = await csv(person)
  expect([status, body.code]).toEqual([422, 'export_too_large'])
  const [newer, older] = [
    await csv(person, `since=${body.split_at}`),
    await csv(person, `until=${body.split_at}`),
  ]
  const rows = (text: string) => text.split('\r\n').length - 2
  expect([newer.status, older.status]).toEqual([200, 200])
  expect(rows(newer.text) + rows(older.text)).toBe(csv_rows_max + 60)
  expect(await deals.refused(person, 'sort=title', { accept: 'text/csv' })).toEqual([
    422,
    'export_unsorted',
  ])
  expect(await deals.refused(person, 'limit=2', { accept: 'text/csv' })).toEqual([
    422,
    'unsupported_field',
  ])
})

/** An export of all rows of a tenant, by its function. */
const exportOf = (
  { principal }: Person,
  stillHolds: () => Promise<void>,
  tx: Reader = deals.db,
) => {
  const row = Type.Object({ id: Id })
  const spec = { from: 'deals.deals', row }
  return csvOf(
    { kernel: deals.world.platform.kernel },
    {
      path: '/v1/deals',
      spec,
      permission: 'deals.deals.read_any',
      asked: {
        tenant: principal.tenant_id,
        rows: {
          source: { table: spec.from, row },
          found: sql`t.tenant_id = ${principal.tenant_id}`,
          wanted: null,
          order: { by: null, descending: true },
        },
        range: null,
        needs: null,
      },
    },
    { tx, principal, query: {}, request: { method: 'GET' }, stillHolds },
  )
}

test('an export breaks off when its reader loses the permission between portions', async () => {
  const person = await deals.manager()
  await deals.write(person, some(1100, [person.principal.id]))
  let asked = 0
  const { body } = await exportOf(person, async () => {
    if (++asked > 1) throw new Error('revoked')
  })
  const read: string[] = []
  const whole = (async () => {
    for await (const part of body) read.push(String(part))
  })()
  await expect(whole).rejects.toThrow('revoked')
  expect(read.length).toBeGreaterThan(1)
})

test('a third export at once is refused, until one of them has ended', async () => {
  const person = await deals.manager()
  await deals.write(person, some(3, [person.principal.id]))
  const begin = () => exportOf(person, async () => {})
  const [first, second] = [await begin(), await begin()]
  await expect(begin()).rejects.toMatchObject({ code: 'quota_exceeded' })
  const closed = once(first.body, 'close')
  first.body.destroy()
  await closed
  const third = await begin()
  for (const { body } of [second, third]) for await (const part of body) expect(part).toBeDefined()
})

test('an export counts while its rows are still being counted', async () => {
  const person = await deals.manager()
  const counted = Promise.withResolvers<null>()
  const slow = Object.assign(Object.create(deals.db) as typeof deals.db, {
    one: async (...given: Parameters<typeof deals.db.one>) => {
      await counted.promise
      return await deals.db.one(...given)
    },
  })
  const begin = () => exportOf(person, async () => {}, slow)
  const both = [begin(), begin()]
  await expect(begin()).rejects.toMatchObject({ code: 'quota_exceeded' })
  counted.resolve(null)
  for (const { body } of await Promise.all(both)) body.destroy()
})
