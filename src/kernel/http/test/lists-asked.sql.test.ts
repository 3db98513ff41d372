/**
 * A declared list against brute force: every filter, order and range together, page by page, while
 * rows are added; whose rows; what finds a row; and its export as CSV.
 */
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type Person, type World } from '../../../../test/world.ts'
import { compile, sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import { csvOf } from '../lists/export-csv.ts'
import { checkLists } from '../lists/check-lists.ts'
import { inRange } from '../lists/range.ts'
import { Id } from '../shapes.ts'

const csv_rows_max = 1200
const look_max = 100

let world: World
beforeAll(async () => {
  world = await openWorld({
    KERNEL_LIST_LOOK_MAX: String(look_max),
    KERNEL_CSV_ROWS_MAX: String(csv_rows_max),
  })
})
afterAll(() => world.close())

type Deal = {
  id: string
  owner_id: string
  number: number
  title: string
  state: string
  currency: string
  amount_minor: number
  note: string | null
  created_at: string
}
const Title = Type.Object({ title: Type.String() })
const Actor = Type.Object({ actor: Type.String() })
const db = () => world.platform.kernel.db
const titles = [
  'Élan',
  'elan vital',
  'Zebra',
  'zebra',
  '=1+1',
  '-5',
  'a,"b"',
  '100%',
  'under_score',
]
const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()

function some(count: number, owners: readonly string[]): Deal[] {
  return Array.from({ length: count }, (_none, at) => ({
    id: newId(),
    owner_id: owners[at % owners.length] ?? '',
    number: 1000 + at,
    title: titles[(at * 7) % titles.length] ?? '',
    state: ['open', 'won', 'lost'][at % 3] ?? '',
    currency: at % 5 === 0 ? 'JPY' : 'EUR',
    amount_minor: (at * 37) % 50,
    note: at % 60 === 0 ? 'rare' : null,
    created_at: day(Math.floor(at / 20)),
  }))
}

async function write({ principal }: Person, rows: readonly Deal[], deleted = false): Promise<void> {
  const { tenant_id } = principal
  await db().run(sql`
    insert into deals.deals (tenant_id, id, owner_id, number, title, state, currency, amount_minor,
      note, created_at, deleted_at)
    select ${tenant_id}, r.id, r.owner_id, r.number, r.title, r.state, r.currency, r.amount_minor,
      r.note, r.created_at, case when ${deleted} then kernel.now() end
    from ${sql.table(rows, {
      id: 'uuid',
      owner_id: 'uuid',
      number: 'int8',
      title: 'text',
      state: 'text',
      currency: 'text',
      amount_minor: 'int8',
      note: 'text',
      created_at: 'timestamptz',
    })} r`)
}

async function manager(): Promise<Person> {
  const person = world.person()
  await world.grant(person, 'deals.deals.read_any')
  return person
}

/** Every id of the list, page by page. */
async function walk(
  { token }: Person,
  query: Record<string, string>,
  between: () => Promise<void> = async () => {},
) {
  const seen: string[] = []
  let cursor = ''
  for (let pages = 0; pages < 200; pages++) {
    const asked = new URLSearchParams({ ...query, limit: '17', ...(cursor && { cursor }) })
    const { status, body } = await world.call('GET', `/v1/deals?${asked}`, { token })
    expect(status, JSON.stringify(body)).toBe(200)
    seen.push(...body.data.map((one: { id: string }) => one.id))
    if (!body.has_more) return seen
    cursor = body.next_cursor
    await between()
  }
  throw new Error('the list does not end')
}

const refused = async (person: Person, query: string, headers = {}) => {
  const { status, body } = await world.call('GET', `/v1/deals?${query}`, {
    token: person.token,
    headers,
  })
  return [status, body.code]
}

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
  const rows = await db().many(Title, sql`select distinct title from deals.deals order by title`)
  ranks = new Map(rows.map(({ title }, at) => [title, at]))
}

function expected(all: readonly Deal[], { sort = '-created_at', ...wanted }: Wanted): string[] {
  const name = sort.replace('-', '')
  const value = (one: Deal): number =>
    name === 'amount' ? one.amount_minor : name === 'title' ? (ranks.get(one.title) ?? 0) : 0
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
  const person = await manager()
  const all = some(320, [person.principal.id, newId()])
  await write(person, all)
  await write(person, some(40, [person.principal.id]), true)
  await write(await manager(), some(40, [person.principal.id]))
  await readRanks()
  await fc.assert(
    fc.asyncProperty(wanted_lists, async wanted => {
      expect(await walk(person, wanted as Record<string, string>)).toEqual(expected(all, wanted))
    }),
    { numRuns: 60 },
  )
}, 120_000)

test('while rows are added, those of the beginning come once and in order', async () => {
  const person = await manager()
  const all = some(120, [person.principal.id])
  await write(person, all)
  await readRanks()
  for (const sort of ['-created_at', 'created_at', 'title', '-title']) {
    const seen = await walk(person, { sort }, () => write(person, some(2, [person.principal.id])))
    expect(new Set(seen).size).toBe(seen.length)
    const old = new Set(all.map(one => one.id))
    expect(seen.filter(id => old.has(id))).toEqual(expected(all, { sort }))
  }
}, 60_000)

test('a person sees own rows, and with the permission those of all or of one', async () => {
  const [member, chief] = [world.person(), await manager()]
  const { tenant_id } = chief.principal
  const colleague = world.person(tenant_id)
  await write(chief, some(6, [chief.principal.id, colleague.principal.id]))
  const about = { account_id: colleague.principal.id }
  expect(await walk(chief, {})).toHaveLength(6)
  expect(await walk(chief, about)).toHaveLength(3)
  expect(await walk(colleague, {})).toHaveLength(3)
  expect(await walk(colleague, about)).toHaveLength(3)
  expect(await walk(member, {})).toEqual([])
  const others = await world.call('GET', `/v1/deals?account_id=${chief.principal.id}`, {
    token: colleague.token,
  })
  expect([others.status, others.body.permission]).toEqual([403, 'deals.deals.read_any'])
})

test('a row is found by its number, its id and the beginning of its title', async () => {
  const person = await manager()
  const all = some(40, [person.principal.id])
  await write(person, all)
  await write(await manager(), some(40, [person.principal.id]))
  const found = async (find: string) => (await walk(person, { find })).toSorted()
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
  const person = await manager()
  await write(person, some(30, [person.principal.id]))
  expect(await refused(person, 'sort=owner_id')).toEqual([422, 'validation_failed'])
  expect(await refused(person, 'sort=amount')).toEqual([422, 'sort_needs_filter'])
  expect(await refused(person, `since=${day(2)}&until=${day(2)}`)).toEqual([
    422,
    'validation_failed',
  ])
  expect(await refused(person, 'find=a')).toEqual([422, 'validation_failed'])
  const { token } = person
  const page = await world.call('GET', '/v1/deals?sort=title', { token })
  const cursor = `cursor=${page.body.next_cursor}`
  expect(await refused(person, `sort=-title&${cursor}`)).toEqual([400, 'invalid_cursor'])
  expect(await refused(person, cursor)).toEqual([400, 'invalid_cursor'])
  expect(await refused(await manager(), `sort=title&${cursor}`)).toEqual([400, 'invalid_cursor'])
})

const csv = (person: Person, query = '') =>
  world.call('GET', `/v1/deals?${query}`, { token: person.token, headers: { accept: 'text/csv' } })

test('an export has every row once, guards formulas and keeps numbers', async () => {
  const person = await manager()
  const all = some(27, [person.principal.id])
  await write(person, all)
  const { status, headers, text } = await csv(person)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('vary')).toBe('accept')
  const lines = text.replace('\u{feff}', '').split('\r\n')
  expect(lines[0]).toBe(
    'id,number,title,currency,amount_minor,amount,note,tags,created_at,owner.id,state',
  )
  expect(lines.slice(1, -1).map(line => line.slice(0, 36))).toEqual(expected(all, {}))
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
  const chief = await manager()
  const colleague = world.person(chief.principal.tenant_id)
  await write(chief, some(4, [chief.principal.id, colleague.principal.id]))
  await csv(colleague)
  await csv(chief)
  const acts = await db().many(
    Actor,
    sql`
      select actor from kernel.audit_events
      where tenant_id = ${chief.principal.tenant_id} and action = 'kernel.list.export'`,
  )
  expect(acts).toEqual([{ actor: chief.principal.id }])
})

test('too many rows are refused before the first byte, with the time that splits them', async () => {
  const person = await manager()
  await write(person, some(csv_rows_max + 60, [person.principal.id]))
  const { status, body } = await csv(person)
  expect([status, body.code]).toEqual([422, 'export_too_large'])
  const [newer, older] = [
    await csv(person, `since=${body.split_at}`),
    await csv(person, `until=${body.split_at}`),
  ]
  const rows = (text: string) => text.split('\r\n').length - 2
  expect([newer.status, older.status]).toEqual([200, 200])
  expect(rows(newer.text) + rows(older.text)).toBe(csv_rows_max + 60)
  expect(await refused(person, 'sort=title', { accept: 'text/csv' })).toEqual([
    422,
    'export_unsorted',
  ])
})

test('an export breaks off when its reader loses the permission between portions', async () => {
  const person = await manager()
  const { principal } = person
  await write(person, some(1100, [principal.id]))
  const row = Type.Object({ id: Id })
  const spec = { from: 'deals.deals', row }
  let asked = 0
  const { body } = await csvOf(
    { kernel: world.platform.kernel },
    {
      path: '/v1/deals',
      spec,
      permission: 'deals.deals.read_any',
      asked: {
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
    {
      tx: db(),
      principal,
      request: { method: 'GET' },
      stillHolds: async () => {
        if (++asked > 1) throw new Error('revoked')
      },
    },
  )
  const read: string[] = []
  const whole = (async () => {
    for await (const part of body) read.push(String(part))
  })()
  await expect(whole).rejects.toThrow('revoked')
  expect(read.length).toBeGreaterThan(1)
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
    leaves_deleted_out: false,
    not_null: ['note'],
    indexes: [['number'], ['currency', 'amount_minor', 'id'], ['kernel.plain(title)'], ['note']],
  }
  await expect(checkLists(db(), [{ path: '/v1/deals', lists: facts } as never])).rejects.toThrow(
    [
      'The list /v1/deals needs an index of deals.deals on (tenant_id, note).',
      'The list /v1/deals sorts by deals.deals.note, which may be null.',
      'The list /v1/deals needs a condition on deals.deals.deleted_at.',
    ].join('\n'),
  )
})
