/**
 * A declared list against brute force: every filter, order and range together, page by page, while
 * rows are added; whose rows; and what finds a row.
 */
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { compile } from '../../../../src/kernel/database/sql.ts'
import { checkLists, idCheck } from '../../../../src/kernel/http/lists/check-lists.ts'
import { inRange } from '../../../../src/kernel/http/lists/range.ts'
import { day, type Deal, type Deals, openDeals, some } from './deals-world.ts'

const Title = Type.Object({ title: Type.String() })

let deals: Deals
beforeAll(async () => {
  deals = await openDeals()
})
afterAll(() => deals.world.close())

type Wanted = {
  state?: string
  currency?: string
  note?: string
  since?: string
  until?: string
  sort?: string
}

/** PostgreSQL decides how texts compare. */
let ranks: ReadonlyMap<string, number>
async function readRanks() {
  const rows = await deals.db.many(
    Title,
    sql`select distinct title from deals.deals order by title`,
  )
  ranks = new Map(rows.map(({ title }, at) => [title, at]))
}

function expected(all: readonly Deal[], { sort = '-created_at', ...wanted }: Wanted): string[] {
  const name = sort.replace('-', '')
  const value = (one: Deal): number => {
    if (name === 'amount') return one.amount_minor
    return name === 'title' ? (ranks.get(one.title) ?? 0) : 0
  }
  const sign = sort.startsWith('-') ? -1 : 1
  return all
    .filter(one => wanted.state === undefined || one.state === wanted.state)
    .filter(one => wanted.currency === undefined || one.currency === wanted.currency)
    .filter(one => wanted.note === undefined || one.note === wanted.note)
    .filter(one => wanted.since === undefined || one.created_at >= wanted.since)
    .filter(one => wanted.until === undefined || one.created_at < wanted.until)
    .toSorted((a, b) => sign * (value(a) - value(b) || (a.id < b.id ? -1 : 1)))
    .map(one => one.id)
}

const optional = <T>(...values: T[]) => fc.constantFrom<(T | undefined)[]>(undefined, ...values)
const wanted_lists = fc
  .record({
    state: optional('open', 'won'),
    currency: optional('EUR', 'JPY'),
    note: optional('rare'),
    since: optional(day(0), day(3), day(9)),
    until: optional(day(10), day(14), day(30)),
    sort: optional('created_at', '-created_at', 'title', '-title', 'amount', '-amount'),
  })
  .filter(({ sort, currency }) => currency !== undefined || sort?.endsWith('amount') !== true)
  .map(all => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))

test('filters, orders and ranges together return what brute force returns', async () => {
  const person = await deals.manager()
  const all = some(320, [person.principal.id, newId()])
  await deals.write(person, all)
  await deals.write(person, some(40, [person.principal.id]), true)
  await deals.write(await deals.manager(), some(40, [person.principal.id]))
  await readRanks()
  await fc.assert(
    fc.asyncProperty(wanted_lists, async wanted => {
      expect(await deals.walk(person, wanted as Record<string, string>)).toEqual(
        expected(all, wanted),
      )
    }),
    { numRuns: 60 },
  )
}, 120_000)

test.for(['-created_at', 'created_at', 'title', '-title'])(
  'while rows are added, those of the beginning come once, by %s',
  async sort => {
    const person = await deals.manager()
    const all = some(120, [person.principal.id])
    await deals.write(person, all)
    await readRanks()
    const seen = await deals.walk(person, { sort }, () =>
      deals.write(person, some(2, [person.principal.id])),
    )
    expect(new Set(seen).size).toBe(seen.length)
    const old = new Set(all.map(one => one.id))
    expect(seen.filter(id => old.has(id))).toEqual(expected(all, { sort }))
  },
)

test('a person sees own rows, and with the permission those of all or of one', async () => {
  const [member, chief] = [deals.world.person(), await deals.manager()]
  const { tenant_id } = chief.principal
  const colleague = deals.world.person(tenant_id)
  await deals.write(chief, some(6, [chief.principal.id, colleague.principal.id]))
  const about = { account_id: colleague.principal.id }
  expect(await deals.walk(chief, {})).toHaveLength(6)
  expect(await deals.walk(chief, about)).toHaveLength(3)
  expect(await deals.walk(colleague, {})).toHaveLength(3)
  expect(await deals.walk(colleague, about)).toHaveLength(3)
  expect(await deals.walk(member, {})).toEqual([])
  const others = await deals.world.call('GET', `/v1/deals?account_id=${chief.principal.id}`, {
    token: colleague.token,
  })
  expect([others.status, others.body.permission]).toEqual([403, 'deals.deals.read_any'])
})

test('a row is found by its number, its id and the beginning of its title', async () => {
  const person = await deals.manager()
  const all = some(40, [person.principal.id])
  await deals.write(person, all)
  await deals.write(await deals.manager(), some(40, [person.principal.id]))
  const found = async (find: string) => (await deals.walk(person, { find })).toSorted()
  const where = (is: (one: Deal) => boolean) => all.filter(is).map(one => one.id)
  expect(await found('1007')).toEqual(where(one => one.number === 1007))
  expect(await found('#1007')).toEqual(where(one => one.number === 1007))
  expect(await found(all[3]?.id ?? '')).toEqual([all[3]?.id])
  expect(await found('ELAN')).toEqual(where(one => /^(Élan|elan)/.test(one.title)))
  expect(await found('élan v')).toEqual(where(one => one.title === 'elan vital'))
  expect(await found('under_')).toEqual(where(one => one.title === 'under_score'))
  for (const nothing of ['%%', '__', "' or 1=1", 'lan', 'é'.repeat(200), 'İİ']) {
    expect(await found(nothing)).toEqual([])
  }
})

test('what cannot be asked is refused', async () => {
  const person = await deals.manager()
  await deals.write(person, some(30, [person.principal.id]))
  expect(await deals.refused(person, 'sort=owner_id')).toEqual([422, 'validation_failed'])
  expect(await deals.refused(person, 'sort=amount')).toEqual([422, 'sort_needs_filter'])
  expect(await deals.refused(person, `since=${day(2)}&until=${day(2)}`)).toEqual([
    422,
    'validation_failed',
  ])
  expect(await deals.refused(person, 'find=a')).toEqual([422, 'validation_failed'])
  const { token } = person
  const page = await deals.world.call('GET', '/v1/deals?sort=title', { token })
  const cursor = `cursor=${page.body.next_cursor}`
  expect(await deals.refused(person, `sort=-title&${cursor}`)).toEqual([400, 'invalid_cursor'])
  expect(await deals.refused(person, cursor)).toEqual([400, 'invalid_cursor'])
  expect(await deals.refused(await deals.manager(), `sort=title&${cursor}`)).toEqual([
    400,
    'invalid_cursor',
  ])
})

test('ids count for a range only where the clock does not move', () => {
  const range = { since: day(3), until: day(4) }
  const moved = inRange('id', range, true)
  const still = inRange('id', range, false)
  expect(moved && compile(moved).values).toHaveLength(2)
  const ids = still ? compile(still).values.slice(2) : []
  const hex = (time: string, shift: number) => (Date.parse(time) + shift).toString(16)
  expect(ids.map(id => String(id).replace('-', '').slice(0, 12))).toEqual([
    hex(day(3), -3_600_000).padStart(12, '0'),
    hex(day(4), 3_600_000).padStart(12, '0'),
  ])
})

test('a list without its index, or that could show deleted rows, stops the start', async () => {
  const facts = {
    table: 'deals.deals',
    of_platform: false,
    leaves_deleted_out: false,
    ids_have_time: true,
    columns: ['title', 'colour'],
    unset: ['title', 'note'],
    not_null: ['note'],
    indexes: [['number'], ['currency', 'amount_minor', 'id'], ['kernel.plain(title)'], ['note']],
  }
  await expect(
    checkLists(deals.db, [{ path: '/v1/deals', lists: facts } as never]),
  ).rejects.toThrow(
    [
      'The list /v1/deals shows colour, and deals.deals has no such column.',
      'deals.deals.title is not null, but its rows never have one. Remove the column.',
      'The list /v1/deals needs an index of deals.deals on (tenant_id, note).',
      'The list /v1/deals sorts by deals.deals.note, which may be null.',
      'The list /v1/deals needs a condition on deals.deals.deleted_at.',
    ].join('\n'),
  )
  const of_all = {
    ...facts,
    of_platform: true,
    leaves_deleted_out: true,
    columns: [],
    unset: [],
    not_null: [],
    indexes: [],
  }
  await expect(
    checkLists(deals.db, [{ path: '/v1/deals', lists: of_all } as never]),
  ).rejects.toThrow('The list /v1/deals shows the rows of all tenants of deals.deals.')
})

test('the doctor finds rows whose ids do not have their time', async () => {
  const person = await deals.manager()
  const [early, now] = some(2, [person.principal.id])
  if (!early || !now) throw new Error('two deals')
  await deals.write(person, [
    { ...early, created_at: new Date(Date.now() - 7_200_000).toISOString() },
    { ...now, created_at: new Date().toISOString() },
  ])
  const lists = { table: 'deals.deals', ids_have_time: true }
  const found = await idCheck(deals.db, [{ lists } as never]).run()
  expect(found.length).toBeGreaterThan(0)
  expect(found).not.toContain(`deals.deals ${now.id}`)
})

test('the document says how the list may be asked', async () => {
  const { body } = await deals.world.call('GET', '/openapi.json')
  expect(body.paths['/v1/deals'].get['x-list']).toEqual({
    filters: ['state', 'currency', 'note'],
    sort: ['created_at', 'amount', 'title'],
    find: ['id', 'number', 'title'],
    range: true,
    csv: true,
  })
})
