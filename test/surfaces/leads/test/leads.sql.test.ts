/** Leads over HTTP: filters, the one title, the limit, and the operation of their own. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { eventually, newKey, openWorld, type Person, type World } from '../../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ LEADS_LEADS_MOST: '10' })
})
afterAll(() => world.close())

const list = '/v1/leads'
const example = { title: 'Roof', amount_minor: 1999 }
const at = (id: string) => `${list}/${id}`
const create = ({ token }: Person, body: object = example) =>
  world.call('POST', list, { token, key: newKey(), body })
const read = ({ token }: Person, path: string) => world.call('GET', path, { token })
const change = ({ token }: Person, id: string, body: object) =>
  world.call('PATCH', at(id), { token, body })
const win = ({ token }: Person, id: string) =>
  world.call('POST', `${at(id)}/win`, { token, key: newKey() })

test('a lead has its address, its tag and its defaults', async () => {
  const who = world.person()
  const { status, headers, body } = await create(who)
  expect([status, headers.get('location'), headers.get('etag')]).toEqual([201, at(body.id), '"1"'])
  expect(body).toMatchObject({ ...example, note: '', state: 'open', version: 1 })
  const again = await read(who, at(body.id))
  expect(again.body).toEqual(body)
  const unchanged = await world.call('GET', at(body.id), {
    token: who.token,
    headers: { 'if-none-match': '"1"' },
  })
  expect(unchanged.status).toBe(304)
})

test('ten win one lead at once: it is won once, with one event', async () => {
  const who = world.person()
  const { id } = (await create(who)).body
  const answers = await Promise.all(Array.from({ length: 10 }, () => win(who, id)))
  expect(answers.map(one => one.status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array(9).fill(409),
  ])
  const lost = answers.find(one => one.status === 409)?.body
  expect(lost).toMatchObject({ code: 'invalid_transition', current_state: 'won' })
  const Event = Type.Object({ payload: Type.Unknown() })
  const events = sql`select payload from kernel.events where aggregate_id = ${id} order by position`
  const found = await eventually('both events are in the log', async () => {
    const rows = await world.platform.kernel.db.many(Event, events)
    return rows.length >= 2 && rows
  })
  const owner_id = who.principal.id
  expect(found.map(({ payload }) => payload)).toEqual([
    { lead_id: id, owner_id, state: 'open' },
    { lead_id: id, owner_id, state: 'won' },
  ])
})

test('the state is filtered, and no request sets it', async () => {
  const who = world.person()
  const [first, second] = [
    (await create(who, { ...example, title: 'A' })).body,
    (await create(who, { ...example, title: 'B' })).body,
  ]
  expect([first.state, second.state]).toEqual(['open', 'open'])
  expect((await create(who, { ...example, state: 'won' })).body.code).toBe('unsupported_field')
  await win(who, first.id)
  const ids = async (query: string) =>
    (await read(who, `${list}${query}`)).body.data.map((one: { id: string }) => one.id)
  expect(await ids('')).toEqual([second.id, first.id])
  expect([await ids('?state=won'), await ids('?state=open')]).toEqual([[first.id], [second.id]])
  expect((await read(who, `${list}?state=lost`)).status).toBe(422)
  const pages = await read(who, `${list}?limit=1`)
  expect([pages.body.has_more, await ids(`?limit=1&cursor=${pages.body.next_cursor}`)]).toEqual([
    true,
    [first.id],
  ])
})

test('the list has an order, a key and CSV', async () => {
  const who = world.person()
  await create(who, { title: 'Roof', amount_minor: 300 })
  await create(who, { title: 'Wall', amount_minor: 100 })
  const titles = async (query: string) =>
    (await read(who, `${list}?${query}`)).body.data.map((one: { title: string }) => one.title)
  expect(await titles('sort=amount')).toEqual(['Wall', 'Roof'])
  expect(await titles('find=Roof')).toEqual(['Roof'])
  expect(await titles('until=2020-01-01T00:00:00Z')).toEqual([])
  const headers = { accept: 'text/csv' }
  const csv = await world.call('GET', list, { token: who.token, headers })
  expect(csv.text.split('\r\n').slice(0, 2).join('\n')).toContain('title,amount_minor')
})

test('a title is there once, until its lead is deleted', async () => {
  const who = world.person()
  const both = await Promise.all([create(who), create(who)])
  expect(both.map(one => one.status).toSorted((a, b) => a - b)).toEqual([201, 409])
  expect(both.find(one => one.status === 409)?.body.code).toBe('lead_exists')
  const made = both.find(one => one.status === 201)?.body
  const other = (await create(who, { ...example, title: 'Wall' })).body
  const renamed = await change(who, other.id, { title: 'Roof' })
  expect([renamed.status, renamed.body.code]).toEqual([409, 'lead_exists'])
  expect((await create(world.person(who.principal.tenant_id))).status).toBe(201)
  await world.call('DELETE', at(made.id), { token: who.token })
  expect((await change(who, other.id, { title: 'Roof' })).status).toBe(200)
})

test('50 at once below the limit: as many as are left', async () => {
  const who = world.person()
  for (let n = 1; n <= 9; n++) await create(who, { ...example, title: `${n}` })
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => create(who, { ...example, title: `more ${n}` })),
  )
  expect(answers.filter(one => one.status === 201)).toHaveLength(1)
  const codes = new Set(answers.filter(one => one.status !== 201).map(one => one.body.code))
  expect([...codes]).toEqual(['quota_exceeded'])
})

test('odd bodies change nothing', async () => {
  const who = world.person()
  const { id } = (await create(who)).body
  expect((await change(who, id, {})).body).toMatchObject({ version: 1 })
  expect((await change(who, id, { title: null })).status).toBe(422)
  const proto = JSON.parse('{"__proto__": {"state": "won"}, "constructor": 1}') as object
  expect((await change(who, id, proto)).status).toBe(400)
  expect((await change(who, id, { id: 'x', owner_id: who.principal.id })).status).toBe(422)
  expect((await read(who, at(id))).body).toMatchObject({ ...example, state: 'open', version: 1 })
})
