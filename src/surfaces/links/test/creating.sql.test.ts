/** Making links: codes and aliases, who may take which, what is refused, and what a key makes once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { Id, newId, sql } from '#dodeca/kernel'
import { storedKey } from '../../../kernel/idempotency/records.ts'
import { createLinks } from '../shortening/create-links.ts'
import type { Member } from '../../../../test/product-world.ts'
import { openLinkWorld, principalOf, type LinkWorld } from './link-world.ts'

let world: LinkWorld
beforeAll(async () => {
  world = await openLinkWorld({
    LINKS_CREATES_PER_MINUTE: '1000',
    LINKS_RESERVED: 'acme-brand,plans',
    KERNEL_RATE_FACTOR: '1000',
  })
})
afterAll(() => world.close())

const alias = () => `a-${newId().slice(-12)}`
const KeyRow = Type.Object({ owner_id: Id, key: Type.String(), link_code: Type.String() })

describe.concurrent('a link', () => {
  test('is made with a random code, and says all that it is', async () => {
    const who = await world.member()
    const made = await world.shorten(who, { destination_url: 'HTTPS://WWW.Example.com:443/a?b#c' })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toEqual({
      code: expect.stringMatching(/^[2-9b-df-hj-np-tv-zB-DF-HJ-NP-TV-Z]{8}$/),
      domain: 'dodeca.test',
      domain_id: '01900000-0000-7000-8000-00000000000a',
      short_url: `http://dodeca.test/${made.body.code}`,
      owner_id: who.id,
      destination_url: 'https://www.example.com/a?b#c',
      state: 'active',
      safety_state: 'clean',
      destination_version: 1,
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      expires_at: null,
      max_clicks: null,
      remaining_clicks: null,
      title: null,
      policy: {
        redirect_status: 302,
        scan: 'warn',
        query: 'ignore',
        cache_seconds: 0,
        edge_cache_seconds: 0,
      },
      clicks: 0,
    })
    expect(made.headers.get('location')).toBe(`/v1/links/${made.body.code}`)
    expect(made.headers.get('etag')).toMatch(/^"1-[\w-]{8}"$/)
    const read = await world.call('GET', `/v1/links/${made.body.code}`, { token: who.token })
    expect(read.body).toEqual(made.body)
    expect(await world.eventTypes({ code: made.body.code })).toEqual(['link.created'])
  })

  test('keeps every given value', async () => {
    const who = await world.member()
    const asked = {
      alias: alias(),
      title: 'Spring sale',
      max_clicks: 3,
      expires_at: '2030-01-01T00:00:00.000Z',
      policy: { redirect_status: 307, query: 'append', cache_seconds: 60, scan: 'block' },
    }
    const { status, body } = await world.shorten(who, asked)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      code: asked.alias,
      title: 'Spring sale',
      max_clicks: 3,
      remaining_clicks: 3,
      expires_at: '2030-01-01T00:00:00.000Z',
      policy: { ...asked.policy, edge_cache_seconds: 0 },
    })
  })

  test('has a code of the requested length', async () => {
    const who = await world.member()
    const { body } = await world.shorten(who, { code_length: 22 })
    expect(body.code).toHaveLength(22)
    expect((await world.shorten(who, { code_length: 7 })).body.code).toBe('validation_failed')
  })
})

describe.concurrent('an alias', () => {
  test('is lower-cased, and said to be', async () => {
    const who = await world.member()
    const given = alias().toUpperCase()
    const made = await world.shorten(who, { alias: given })
    expect(made.body.code).toBe(given.toLowerCase())
    const read = await world.call('GET', `/v1/links/${given}`, { token: who.token })
    expect(read.body.code).toBe(given.toLowerCase())
  })

  test.each([
    'ab',
    '-abc',
    'abc-',
    'a b',
    'ábc',
    'a.b',
    'a/b',
    'x'.repeat(65),
    'аbc',
    'abc\n',
    'abc\u212a',
  ])('of a form like %j is refused, never changed', async given => {
    const { status, body } = await world.shorten(await world.member(), { alias: given })
    expect([status, body.code]).toEqual([422, 'alias_invalid'])
    expect(body.errors).toEqual([{ location: 'body', pointer: '/alias', constraint: 'alias' }])
  })

  test.each([
    'api',
    'Admin',
    'log-in',
    'livez',
    'a-c-m-e-brand',
    'plans',
    'docs',
    'webhooks',
    'web-hooks',
    'Account',
    'console',
  ])('that stands for something, such as %s, is refused', async given => {
    const { status, body } = await world.shorten(await world.member(), { alias: given })
    expect([status, body.code]).toEqual([422, 'alias_reserved'])
  })

  test('of every first segment of a route is refused', async () => {
    const segments = new Set(world.platform.routes.map(({ path }) => path.split('/')[1] ?? ''))
    const words = [...segments].filter(word => /^[a-z0-9][a-z0-9_-]+[a-z0-9]$/i.test(word))
    expect(words).toContain('problems')
    for (const word of words) {
      const { body } = await world.shorten(await world.member(), { alias: word })
      expect(body.code, word).toBe('alias_reserved')
    }
  })

  test('goes to one of fifty who ask at once', async () => {
    const people = await Promise.all([1, 2, 3, 4, 5].map(() => world.member()))
    const wanted = alias()
    const asked = Array.from({ length: 50 }, (_, at) =>
      world.shorten(people[at % 5] as Member, { alias: wanted }),
    )
    const answers = await Promise.all(asked)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(49)
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['alias_taken']))
  })

  test('with one key makes one link, however often it is sent', async () => {
    const who = await world.member()
    const wanted = alias()
    const key = newId()
    const asked = Array.from({ length: 50 }, () => world.shorten(who, { alias: wanted }, { key }))
    const answers = await Promise.all(asked)
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ body }) => body.code))).toEqual(new Set([wanted]))
    for (const { status, body } of answers.filter(one => one.status !== 201)) {
      expect([status, body.code]).toEqual([409, 'idempotency_in_progress'])
    }
    const again = await world.shorten(who, { alias: wanted }, { key })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(made[0]?.body)
    const other = await world.shorten(who, { alias: alias() }, { key })
    expect(other.body.code).toBe('idempotency_key_reused')
  })
})

describe.concurrent('a random code', () => {
  test('that is taken is drawn again, and grows when all are', async () => {
    const who = await world.member()
    const { db } = world.platform.kernel
    const prefix = newId().slice(-12)
    // Three codes of the usual length, and three more of each length above it.
    let drawn = 0
    const newCode = (length: number) => `${prefix}${'x'.repeat(length - 1)}${drawn++ % 3}`
    const principal = principalOf(who)
    const order = { destination_url: 'https://www.example.com/' }
    const make = () =>
      db.tx(tx => createLinks(tx, { ...world.deps, newCode }, principal, [order], () => ''))
    const codes: string[] = []
    for (let made = 0; made < 7; made++) codes.push((await make())[0]?.view.code ?? '')
    expect(new Set(codes).size).toBe(7)
    const lengths = codes.map(code => code.length - prefix.length)
    expect(lengths).toEqual([8, 8, 8, 9, 9, 9, 10])
  })
})

describe.concurrent('refused is', () => {
  test.each([
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at_invalid'],
    [{ expires_at: '2099-01-01T00:00:00Z' }, 'expires_at_invalid'],
    [{ domain: 'go.acme-links.com' }, 'domain_not_found'],
    [{ max_clicks: 1, policy: { redirect_status: 301 } }, 'redirect_status_unsafe'],
    [
      { destination_url: 'https://bit.ly/x', policy: { redirect_status: 308 } },
      'redirect_status_unsafe',
    ],
    [{ policy: { redirect_status: 303 } }, 'validation_failed'],
    [{ policy: { cache_seconds: 301 } }, 'validation_failed'],
    [{ title: 'x'.repeat(201) }, 'validation_failed'],
    [{ max_clicks: 0 }, 'validation_failed'],
  ])('%j with %s', async (body, code) => {
    const answer = await world.shorten(await world.member(), body)
    expect(answer.body.code, answer.text).toBe(code)
  })

  test.each([
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'between 60 seconds and 3653 days'],
    [{ max_clicks: 1, policy: { redirect_status: 301 } }, 'uncounted'],
    [{ destination_url: 'https://bit.ly/x', policy: { redirect_status: 308 } }, 'looked at'],
    [{ alias: 'api' }, 'take another'],
    [{ destination_url: 'example.com' }, 'https://example.com/page'],
  ])('%j, with the cure: %s', async (body, hint) => {
    const answer = await world.shorten(await world.member(), body)
    expect([answer.status, answer.body.detail]).toEqual([422, expect.stringContaining(hint)])
  })

  test('a body of more than 16 KiB', async () => {
    const { status } = await world.shorten(await world.member(), { filler: 'x'.repeat(17_000) })
    expect(status).toBe(413)
  })

  test('a request without a name', async () => {
    const { status } = await world.call('POST', '/v1/links', { body: {} })
    expect(status).toBe(401)
  })
})

test('a permanent redirect may wait for its scan behind a block', async () => {
  const { status, body } = await world.shorten(await world.member(), {
    destination_url: 'https://bit.ly/x',
    policy: { redirect_status: 308, scan: 'block' },
  })
  expect([status, body.state, body.safety_state]).toEqual([201, 'pending_scan', 'suspicious'])
})

test('the keys of creations can be read under their own names', async () => {
  const who = await world.member()
  const key = newId()
  const { body } = await world.shorten(who, {}, { key })
  const rows = await world.platform.kernel.db.many(
    KeyRow,
    sql`
      -- any tenant: one person's key
      select owner_id, key, link_code from links.idempotency_records where key = ${storedKey(key)}`,
  )
  expect(rows).toEqual([{ owner_id: who.id, key: storedKey(key), link_code: body.code }])
})
