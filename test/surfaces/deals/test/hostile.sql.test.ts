/**
 * Ten thousand texts that try to be a formula, another cell, markup or another order of letters: as a
 * list, as CSV and in searches. And exports whose reader stalls, or whose process is killed.
 */
import { request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../../../process.ts'
import type { Person } from '../../../world.ts'
import { type Deal, type Deals, openDeals, some } from './deals-world.ts'

const count = 10_000

let deals: Deals
let person: Person
let rows: Deal[]
beforeAll(async () => {
  deals = await openDeals({ KERNEL_CSV_ROWS_MAX: String(count), KERNEL_DATABASE_POOL: '4' })
  person = await deals.manager()
  rows = some(count, [person.principal.id]).map((row, at) => ({
    ...row,
    title: `${hostile(at)}${at}`,
    // Together more than what lies between the two ends of a connection.
    note: at % 3 === 0 ? null : hostile(at * 31) + 'x'.repeat(3000),
  }))
  for (let at = 0; at < count; at += 1000) await deals.write(person, rows.slice(at, at + 1000))
})
afterAll(() => deals.world.close())

const begins = [
  '',
  '=cmd|',
  '＝1',
  '+',
  '＋',
  '-5',
  '－',
  '@SUM(',
  '＠',
  '\t=1',
  '\r=1',
  '\n',
  "'=",
  ' ',
]
const parts = [
  '" , "',
  '","=1+1",""',
  '\r\n',
  '\n=1;',
  '\u202Eexe.gpj\u2066',
  '<img src=x onerror="alert(1)">',
  '</script><script>',
  `مرحبا${'\u200F'.repeat(8)}`,
  `Z${'\u0351'.repeat(200)}`,
  '\u{1F468}\u200D\u{1F469}',
  '\u2028\u0085\u001F\u007F',
  '\\"\\',
  '%_%',
  'İıẞ',
  'x'.repeat(5000),
]

/** The same text for the same number. Every other text is short, so that a part of each is sent. */
function hostile(at: number): string {
  const [begin = '', one = '', other = ''] = [
    begins[at % begins.length],
    parts[(at * 7) % (at % 50 === 0 ? parts.length : parts.length - 1)],
    parts[(at * 13 + 5) % (parts.length - 1)],
  ]
  return begin + one + other
}

/** What a spreadsheet would take for a formula, as people who write CSV know it. */
const formulas = /^[=+\-@\t\r\n＝＋－＠]/u
const guarded = (text: string) => (formulas.test(text) ? `'${text}` : text)

const token = () => ({ token: person.token })

test('each cell of a file is one text, as PostgreSQL reads CSV, and none begins a formula', async () => {
  const { status, text } = await deals.world.call('GET', '/v1/deals', {
    ...token(),
    headers: { accept: 'text/csv' },
  })
  expect(status).toBe(200)
  const client = new pg.Client(deals.world.database_url)
  await client.connect()
  try {
    await client.query(
      `create temp table read (id text, number text, title text, currency text, amount_minor text,
        amount text, note text, tags text, created_at text, owner_id text, state text)`,
    )
    const into = client.query(copyFrom("copy read from stdin (format csv, header, null e'\\x01')"))
    await pipeline(Readable.from([text.replace('\u{feff}', '')]), into)
    const { rows: read } = await client.query<{ id: string; title: string; note: string }>(
      'select id, title, note from read order by id',
    )
    expect(read).toEqual(
      rows.map(({ id, title, note }) => ({
        id,
        title: guarded(title),
        note: guarded(note ?? ''),
      })),
    )
  } finally {
    await client.end()
  }
})

test('a page shows each text as it is', async () => {
  const known = new Map(rows.map(one => [one.id, one]))
  let cursor = ''
  for (let left = count; left > 0; left -= 100) {
    const path = `/v1/deals?limit=100${cursor && `&cursor=${cursor}`}`
    const { body } = await deals.world.call('GET', path, token())
    for (const { id, title, note } of body.data) {
      expect({ title, note }).toEqual({ title: known.get(id)?.title, note: known.get(id)?.note })
      known.delete(id)
    }
    cursor = body.next_cursor
  }
  expect(known.size).toBe(0)
})

test('a text finds itself and what begins like it, whatever it contains', async () => {
  for (let at = 1; at < count; at += 97) {
    const { id = '', title = '' } = rows[at] ?? {}
    if (title.length > 200) continue
    const query = new URLSearchParams({ find: title, limit: '100' })
    const { status, body, text } = await deals.world.call('GET', `/v1/deals?${query}`, token())
    expect(status, text).toBe(200)
    expect(
      body.data.map((one: Deal) => one.id),
      JSON.stringify(title),
    ).toContain(id)
    expect(body.data.length, JSON.stringify(title)).toBeLessThan(100)
  }
})

test('signs of patterns are letters, a capital with a dot is one, and accents do not count', async () => {
  const other = await deals.manager()
  const titles = [
    '100%',
    '100 per cent',
    'a_b',
    'axb',
    'İstanbul',
    'istanbul 2',
    `Z${'\u0351'.repeat(199)}`,
  ]
  const made = some(titles.length, [other.principal.id]).map((row, at) => ({
    ...row,
    title: titles[at] ?? '',
  }))
  await deals.write(other, made)
  const found = async (find: string) => {
    const query = new URLSearchParams({ find })
    const { body } = await deals.world.call('GET', `/v1/deals?${query}`, { token: other.token })
    return (body.data as Deal[]).map(one => titles.indexOf(one.title)).toSorted((a, b) => a - b)
  }
  expect(await found('100%')).toEqual([0])
  expect(await found('a_')).toEqual([2])
  expect(await found('%%')).toEqual([])
  expect(await found('__')).toEqual([])
  for (const text of ['istan', 'İSTAN', 'ISTAN', 'ıstan']) {
    expect(await found(text), text).toEqual(text === 'ıstan' ? [] : [4, 5])
  }
  expect(await found(`z${'\u0301'.repeat(199)}`)).toEqual([6])
  expect(await found(`' or 1=1 --`)).toEqual([])
})

/** The reply to an export, of which nothing is read yet. */
function exported(url: string, who: Person): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/csv', authorization: `Bearer ${who.token}` }
    request(`${url}/v1/deals`, { headers, agent: false }, resolve).on('error', reject).end()
  })
}

/** How many lines come, and whether the reply ends as a whole one does. */
async function readAll(reply: IncomingMessage) {
  let text = ''
  try {
    for await (const part of reply.setEncoding('utf8')) text += String(part)
  } catch {
    // It was broken off.
  }
  const lines = text.match(/(?<=\r\n)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12},/g) ?? []
  return { ids: new Set(lines).size, whole: reply.complete }
}

test('exports whose readers stall hold no connection, and end with the right of their reader', async () => {
  const colleague = deals.world.person(person.principal.tenant_id)
  await deals.world.grant(colleague, 'deals.deals.read_any')
  const { url } = deals.world
  // As many as the platform has connections.
  const [kept, ended, ...others] = await Promise.all([
    exported(url, person),
    exported(url, colleague),
    exported(url, person),
    exported(url, colleague),
  ])
  const reads = Array.from({ length: 20 }, () => deals.world.call('GET', '/v1/deals', token()))
  for (const { status } of await Promise.all(reads)) expect(status).toBe(200)
  await deals.world.faces.people.revoke(colleague.principal, 'deals.deals.read_any')
  const cut = await readAll(ended)
  expect(cut.whole).toBe(false)
  expect(cut.ids).toBeGreaterThan(0)
  expect(cut.ids).toBeLessThan(count)
  expect(await readAll(kept)).toEqual({ ids: count, whole: true })
  for (const one of others) one.destroy()
})

test('a file that a killed process was sending does not look whole', async () => {
  const own = await startProcess({ ...deals.world.environment, PORT: '0', ROLES: 'api' })
  const reply = await exported(own.url, person)
  reply.once('readable', () => void own.kill('SIGKILL'))
  const { whole, ids } = await readAll(reply)
  expect([whole, ids < count]).toEqual([false, true])
})
