/**
 * One search over all lists: what finds a row, whose rows are found, and that a search reads little of
 * a large table.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import type { Person } from '../../../world.ts'
import { type Deal, type Deals, openDeals, some } from './deals-world.ts'

let deals: Deals
beforeAll(async () => {
  deals = await openDeals()
})
afterAll(() => deals.world.close())

const ask = async ({ token }: Person, query: Record<string, string>) =>
  await deals.world.call('GET', `/v1/matches?${new URLSearchParams(query)}`, { token })
const found = async (person: Person, q: string, more: Record<string, string> = {}) => {
  const { status, body } = await ask(person, { q, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data as { kind: string; id: string; title: string }[]
}
const ids = async (...asked: Parameters<typeof found>) =>
  (await found(...asked)).filter(one => one.kind === 'deals').map(one => one.id)

async function dealsOf(person: Person, ...titles: string[]): Promise<Deal[]> {
  const owner = person.principal.id
  const rows = some(titles.length, [owner]).map((row, at) => ({ ...row, title: titles[at] ?? '' }))
  await deals.write(person, rows)
  return rows
}

test('an id, a number and the beginning of a name find a row, with what a list shows of it', async () => {
  const person = deals.world.person()
  const [first, second] = await dealsOf(person, 'Ada Löwe', 'Grace')
  expect(await found(person, first?.id ?? '')).toEqual([
    {
      kind: 'deals',
      id: first?.id,
      title: 'Ada Löwe',
      subtitle: expect.any(String),
      state: first?.state,
      at: first?.created_at,
      path: null,
    },
  ])
  for (const q of ['ada', 'ADA LOWE', '#1000', ' 1000 ']) {
    expect(await ids(person, q), q).toEqual([first?.id])
  }
  expect(await ids(person, 'gr')).toEqual([second?.id])
  for (const q of ['löwe', '100%', '__', "' or 1=1 --", '#1000#', '9'.repeat(200)]) {
    expect(await ids(person, q), q).toEqual([])
  }
})

test('rows of other tenants, of others and deleted ones are never found', async () => {
  const [mine, theirs, colleague] = [
    deals.world.person(),
    await deals.manager(),
    deals.world.person(),
  ]
  const [own] = await dealsOf(mine, 'Mine')
  const [foreign] = await dealsOf(theirs, 'Mine too')
  const beside = deals.world.person(mine.principal.tenant_id)
  const [others] = await dealsOf(beside, 'Mine as well')
  await deals.write(
    mine,
    [{ ...some(1, [mine.principal.id])[0], title: 'Mine, gone' } as Deal],
    true,
  )
  expect(await ids(mine, 'mine')).toEqual([own?.id])
  for (const id of [foreign?.id, others?.id]) expect(await ids(mine, id ?? '')).toEqual([])
  expect(await ids(theirs, 'mine')).toEqual([foreign?.id])
  const three = { kind: 'deals', ids: [own, foreign, others].map(one => one?.id).join(',') }
  const known = await ask(mine, three)
  expect(known.body.data.map((one: { id: string }) => one.id)).toEqual([own?.id])
  expect((await ask(colleague, three)).body.data).toEqual([])
})

test('a role that is taken takes what it found', async () => {
  const manager = await deals.manager()
  const seller = deals.world.person(manager.principal.tenant_id)
  const [deal] = await dealsOf(seller, 'Sold')
  expect(await ids(manager, 'sold')).toEqual([deal?.id])
  await deals.world.faces.people.revoke(manager.principal, 'deals.deals.read_any')
  expect(await ids(manager, 'sold')).toEqual([])
})

test('six rows of a list, and that there are more', async () => {
  const person = deals.world.person()
  const rows = await dealsOf(person, ...Array.from({ length: 8 }, (_none, at) => `Same ${at}`))
  const { body } = await ask(person, { q: 'same' })
  expect([body.data.length, body.more]).toEqual([6, ['deals']])
  const { body: all } = await ask(person, { kind: 'deals', ids: rows.map(one => one.id).join(',') })
  expect([all.data.length, all.more]).toEqual([8, []])
  expect(await found(person, 'same', { kind: 'bookmarks' })).toEqual([])
})

test('a list finds all rows that fit, also more than one request looks at', async () => {
  const person = deals.world.person()
  const rows = await dealsOf(
    person,
    ...Array.from({ length: 250 }, (_none, at) => `Many ${at % 9}`),
  )
  const ids_of = (all: readonly Deal[]) => all.map(one => one.id).toReversed()
  expect(await deals.walk(person, { find: 'MANY' })).toEqual(ids_of(rows))
  const few = rows.filter(one => one.title === 'Many 7')
  expect(await deals.walk(person, { find: 'many 7' })).toEqual(ids_of(few))
  expect(await deals.walk(person, { find: 'many 7', sort: 'created_at' })).toEqual(
    ids_of(few).toReversed(),
  )
  expect(await deals.walk(deals.world.person(), { find: 'many' })).toEqual([])
})

test.each([
  ['neither', {}],
  ['a short text', { q: 'x' }],
  ['no kind', { ids: newId() }],
  ['no id', { kind: 'deals', ids: 'x' }],
  ['both', { kind: 'deals', ids: newId(), q: 'deal' }],
  ['many ids', { kind: 'deals', ids: Array.from({ length: 101 }, newId).join(',') }],
])('%s is refused', async (_name, query) => {
  const { status, body } = await ask(deals.world.person(), query)
  expect([status, body.code]).toEqual([422, 'validation_failed'])
})

test('the id of a failed request finds it', async () => {
  const person = deals.world.person()
  const failed = await deals.world.call('GET', `/v1/notes/${newId()}`, { token: person.token })
  const request_id = failed.headers.get('x-request-id') ?? ''
  const matches = await eventuallyFound(person, request_id)
  expect(matches).toMatchObject([
    {
      kind: 'requests',
      id: request_id,
      title: 'GET /v1/notes/{note_id}',
      subtitle: 'note_not_found',
      path: `/v1/requests/${request_id}`,
    },
  ])
  expect(await found(deals.world.person(), request_id)).toEqual([])
})

async function eventuallyFound(person: Person, id: string) {
  const deadline = performance.now() + 60_000
  for (;;) {
    const matches = await found(person, id)
    if (matches.length > 0 || performance.now() > deadline) return matches
  }
}

test('of a large table only the rows that fit are read', async () => {
  const manager = await deals.manager()
  const { tenant_id, id } = manager.principal
  await deals.db.run(sql`
    insert into deals.deals (tenant_id, id, owner_id, number, title, state, currency, amount_minor,
      note, created_at, deleted_at)
    select ${tenant_id}, gen_random_uuid(), ${id}, g, 'plenty ' || g, 'open', 'EUR', 1, null,
      kernel.now(), null from generate_series(1, 20000) g`)
  await deals.db.run(sql`analyze deals.deals`)
  const rowsRead = async () => {
    await deals.db.run(sql`select pg_stat_force_next_flush()`)
    const { read } = await deals.db.one(
      Type.Object({ read: Type.Integer() }),
      sql`
        select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables
        where schemaname = 'deals' and relname = 'deals'`,
    )
    return read
  }
  const before = await rowsRead()
  // More often than PostgreSQL plans a statement for its values.
  for (let i = 0; i < 12; i++) expect(await ids(manager, `plenty ${i + 1}`)).toHaveLength(6)
  for (let i = 0; i < 12; i++) expect(await ids(manager, `#${500 + i}`)).toHaveLength(1)
  expect((await rowsRead()) - before).toBeLessThan(5000)
  const listed = await rowsRead()
  for (let i = 0; i < 12; i++) {
    const { body } = await deals.world.call('GET', `/v1/deals?find=nothing ${i}`, manager)
    expect(body.data).toEqual([])
  }
  expect((await rowsRead()) - listed).toBeLessThan(100)
})
