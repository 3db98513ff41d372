/**
 * Pages and versions: nothing skipped, nothing twice, a cursor is valid only for its own list, no
 * lost update.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type Answer, type Person, type World } from '../../../../test/world.ts'

let world: World
let admin: pg.Client
beforeAll(async () => {
  world = await openWorld()
  admin = new pg.Client({ connectionString: world.database_url })
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await world.close()
})

async function writer(): Promise<Person> {
  const person = world.person()
  await world.grant(person, 'notes.notes.write:*')
  return person
}

async function write(person: Person, title: string, kind = 'plain'): Promise<string> {
  const answer = await world.call('POST', '/v1/notes', {
    token: person.token,
    body: { title, kind },
  })
  expect(answer.status).toBe(201)
  return answer.body.id as string
}

async function walk(person: Person, path: string, between: () => Promise<void> = async () => {}) {
  const seen: string[] = []
  let page: Answer
  let cursor = ''
  do {
    page = await world.call('GET', `${path}${cursor}`, { token: person.token })
    expect(page.status).toBe(200)
    seen.push(...page.body.data.map((note: { id: string }) => note.id))
    cursor = `&cursor=${page.body.next_cursor}`
    await between()
  } while (page.body.has_more)
  expect(page.body.next_cursor).toBeNull()
  return seen
}

describe('pages', () => {
  test('10,000 rows of one timestamp, while others are written: each once', async () => {
    const person = await writer()
    await admin.query(
      `insert into notes.notes (tenant_id, id, owner_id, title, created_at)
       select $1, gen_random_uuid(), $2, 'n', '2026-01-01T00:00:00.123456Z' from generate_series(1, 10000)`,
      [person.principal.tenant_id, person.principal.id],
    )
    const { rows } = await admin.query('select id from notes.notes where tenant_id = $1', [
      person.principal.tenant_id,
    ])
    const before = new Set(rows.map((row: { id: string }) => row.id))
    let more = 0
    const seen = await walk(person, '/v1/notes?limit=100', async () => {
      if (more++ % 20 === 0) await write(person, 'later')
    })
    const old = seen.filter(id => before.has(id))
    expect(old).toHaveLength(10_000)
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('go on where their anchor was deleted', async () => {
    const person = await writer()
    const ids = []
    for (let i = 0; i < 5; i++) ids.unshift(await write(person, `n${i}`))
    const first = await world.call('GET', '/v1/notes?limit=2', { token: person.token })
    await world.call('DELETE', `/v1/notes/${ids[1]}`, { token: person.token })
    const next = await world.call('GET', `/v1/notes?limit=2&cursor=${first.body.next_cursor}`, {
      token: person.token,
    })
    expect(next.body.data.map((note: { id: string }) => note.id)).toEqual(ids.slice(2, 4))
    expect(first.headers.get('link')).toBe(
      `</v1/notes?limit=2&cursor=${first.body.next_cursor}>; rel="next"`,
    )
  })

  test('refuse a cursor that was edited, or belongs to another filter or tenant', async () => {
    const person = await writer()
    for (let i = 0; i < 3; i++) await write(person, `n${i}`, 'poem')
    const page = await world.call('GET', '/v1/notes?limit=1&kind=poem', { token: person.token })
    const cursor = page.body.next_cursor as string
    const ask = (path: string, { token } = person) => world.call('GET', path, { token })
    expect((await ask(`/v1/notes?limit=2&kind=poem&cursor=${cursor}`)).status).toBe(200)
    const edited = cursor.slice(0, 20) + (cursor[20] === 'A' ? 'B' : 'A') + cursor.slice(21)
    for (const path of [
      `/v1/notes?kind=poem&cursor=${edited}`,
      `/v1/notes?kind=law&cursor=${cursor}`,
      `/v1/notes?cursor=${cursor}`,
      `/v1/notes?kind=poem&cursor=${cursor}A`,
      '/v1/notes?kind=poem&cursor=nonsense',
    ]) {
      const answer = await ask(path)
      expect([answer.status, answer.body.code], path).toEqual([400, 'invalid_cursor'])
    }
    const stranger = await writer()
    expect((await ask(`/v1/notes?kind=poem&cursor=${cursor}`, stranger)).body.code).toBe(
      'invalid_cursor',
    )
  })

  test.each(['0', '101', '-1', 'ten', '1.5', ''])('limit=%s is refused', async limit => {
    const person = await writer()
    const answer = await world.call('GET', `/v1/notes?limit=${limit}`, { token: person.token })
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    expect(answer.body.errors[0].location).toBe('query')
  })
})

describe('a search that looks at so many rows and no more', () => {
  const search = (person: Person, query: string) =>
    world.call('GET', `/v1/note-matches?word=blue${query}`, { token: person.token })

  test('continues from where it ended: each match once, and no request reads more', async () => {
    const person = await writer()
    // 1,000 notes of which every 90th matches: pages are short, and some are empty.
    await admin.query(
      `insert into notes.notes (tenant_id, id, owner_id, title, created_at)
       select $1, gen_random_uuid(), $2, case when g % 90 = 0 then 'blue' else 'red' end,
         '2026-01-01T00:00:00.123456Z'::timestamptz + make_interval(secs => g / 2)
       from generate_series(1, 1000) g`,
      [person.principal.tenant_id, person.principal.id],
    )
    const seen: string[] = []
    const sizes: number[] = []
    for (let cursor = ''; ;) {
      const { status, body } = await search(person, `&limit=3${cursor}`)
      expect(status).toBe(200)
      seen.push(...body.data.map((note: { id: string }) => note.id))
      sizes.push(body.data.length)
      if (!body.has_more) break
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(new Set(seen).size).toBe(11)
    expect(seen).toHaveLength(11)
    // 200 rows hold two or three matches; a page of three that is full ends its look.
    expect(sizes.length).toBeGreaterThan(4)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3)
  })

  test('says where there is nothing more', async () => {
    const person = await writer()
    for (const title of ['blue', 'red', 'blue']) await write(person, title)
    const { body } = await search(person, '')
    expect([body.data.length, body.has_more, body.next_cursor]).toEqual([2, false, null])
    expect(body.data[0]).not.toHaveProperty('created_us')
  })
})

describe('versions', () => {
  test('two changes of one version at once: one succeeds, the other gets the current version', async () => {
    const person = await writer()
    const id = await write(person, 'first')
    const change = (title: string) =>
      world.call('PATCH', `/v1/notes/${id}`, {
        token: person.token,
        body: { title },
        headers: { 'if-match': '"1"' },
      })
    for (let round = 0; round < 10; round++) {
      const [a, b] = await Promise.all([change('a'), change('b')])
      const statuses = [a.status, b.status].sort((one, other) => one - other)
      expect(statuses).toEqual(round === 0 ? [200, 412] : [412, 412])
      const loser = a.status === 412 ? a : b
      expect([loser.body.code, loser.headers.get('etag')]).toEqual(['precondition_failed', '"2"'])
    }
  })

  test('understands lists, any, weak tags and nonsense', async () => {
    const person = await writer()
    const id = await write(person, 'x')
    const change = (tag: string) =>
      world.call('PATCH', `/v1/notes/${id}`, {
        token: person.token,
        body: { title: 'y' },
        headers: { 'if-match': tag },
      })
    expect((await change('"7", "1"')).status).toBe(200)
    expect((await change('*')).status).toBe(200)
    expect((await change('W/"3"')).status).toBe(412)
    expect((await change('"abc"')).status).toBe(412)
    expect((await change('3')).body.code).toBe('invalid_header')
    const read = await world.call('GET', `/v1/notes/${id}`, { token: person.token })
    expect(read.headers.get('etag')).toBe('"3"')
    const same = await world.call('GET', `/v1/notes/${id}`, {
      token: person.token,
      headers: { 'if-none-match': 'W/"2", "3"' },
    })
    expect([same.status, same.text]).toEqual([304, ''])
  })

  test('a deletion repeats as 204, and what never was is 404', async () => {
    const person = await writer()
    const id = await write(person, 'x')
    const remove = (which: string) =>
      world.call('DELETE', `/v1/notes/${which}`, { token: person.token })
    for (let i = 0; i < 3; i++) {
      const answer = await remove(id)
      expect([answer.status, answer.text]).toEqual([204, ''])
    }
    expect((await remove('01890000-0000-7000-8000-000000000000')).status).toBe(404)
    expect((await world.call('GET', `/v1/notes/${id}`, { token: person.token })).status).toBe(404)
  })
})
