/** Many links at once, and how many one owner may make. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
beforeAll(async () => {
  world = await openLinkWorld({ LINKS_CREATES_PER_MINUTE: '1000', KERNEL_RATE_FACTOR: '1000' })
})
afterAll(() => world.close())

const alias = () => `b-${newId().slice(-12)}`

describe.concurrent('a batch', () => {
  const batch = (token: string, links: unknown[], key?: string) =>
    world.call('POST', '/v1/links/batches', { token, body: { links }, ...(key ? { key } : {}) })
  const link = (more: object = {}) => ({ destination_url: 'https://www.example.com/', ...more })

  test('is made in its order', async () => {
    const { token } = await world.member()
    const aliases = [alias(), alias(), alias()].sort().reverse()
    const made = await batch(token, [link(), ...aliases.map(one => link({ alias: one }))])
    expect(made.status, made.text).toBe(201)
    const codes = made.body.data.map((one: { code: string }) => one.code)
    expect(codes.slice(1)).toEqual(aliases)
  })

  test('is made as a whole or not at all', async () => {
    const { token } = await world.member()
    const kept = alias()
    const bad = await batch(token, [link({ alias: kept }), link({ destination_url: 'ftp://x' })])
    expect([bad.status, bad.body.code]).toEqual([422, 'destination_not_allowed'])
    expect(bad.body.errors[0].pointer).toBe('/links/1/destination_url')
    const twice = await batch(token, [link({ alias: kept }), link({ alias: kept })])
    expect([twice.status, twice.body.code]).toEqual([409, 'alias_taken'])
    const found = await world.call('GET', `/v1/links/${kept}`, { token })
    expect(found.status).toBe(404)
  })

  test('of a hundred and one is too large, of a hundred is not', async () => {
    const { token } = await world.member()
    const many = Array.from({ length: 101 }, () => link())
    expect((await batch(token, many)).body.code).toBe('validation_failed')
    const made = await batch(token, many.slice(1))
    expect(made.body.data).toHaveLength(100)
  })

  test('with the same aliases in another order does not wait for another for ever', async () => {
    const people = await Promise.all([world.member(), world.member()])
    const aliases = Array.from({ length: 20 }, alias)
    const orders = [aliases, aliases.toReversed()]
    const answers = await Promise.all(
      people.map(({ token }, at) =>
        batch(
          token,
          (orders[at] ?? []).map(one => link({ alias: one })),
        ),
      ),
    )
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['201', '409'])
  })
})

describe('limits', () => {
  test('of one owner: so many a minute, and a batch counts its links', async () => {
    const strict = await openLinkWorld({ LINKS_CREATES_PER_MINUTE: '5', KERNEL_RATE_FACTOR: '1' })
    try {
      const who = await strict.member()
      const links = Array.from({ length: 4 }, () => ({ destination_url: 'https://example.com/' }))
      const asked = () =>
        strict.call('POST', '/v1/links/batches', { token: who.token, body: { links } })
      expect((await asked()).status).toBe(201)
      const refused = await asked()
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      // What was refused took nothing.
      expect((await strict.shorten(who, {})).status).toBe(201)
      expect((await strict.shorten(who, {})).status).toBe(429)
    } finally {
      await strict.close()
    }
  })

  test('of one owner: a whole batch fits under what is usual, and is paid off before the next', async () => {
    const usual = await openLinkWorld({ LINKS_CREATES_PER_MINUTE: '60', KERNEL_RATE_FACTOR: '1' })
    try {
      const who = await usual.member()
      const links = Array.from({ length: 100 }, () => ({ destination_url: 'https://example.com/' }))
      const asked = () =>
        usual.call('POST', '/v1/links/batches', { token: who.token, body: { links } })
      expect((await asked()).status).toBe(201)
      const again = await asked()
      expect([again.status, again.body.code]).toEqual([429, 'rate_limited'])
      // A hundred links are a hundred seconds' worth at sixty a minute.
      expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(60)
      const one = await usual.shorten(who, {})
      expect(one.status).toBe(429)
      expect(Number(one.headers.get('retry-after'))).toBeLessThanOrEqual(41)
    } finally {
      await usual.close()
    }
  })

  test('of one owner: so many a day', async () => {
    const strict = await openLinkWorld({ LINKS_CREATES_PER_DAY: '2', KERNEL_RATE_FACTOR: '1' })
    try {
      const who = await strict.member()
      const answers = [await strict.shorten(who, {}), await strict.shorten(who, {})]
      expect(answers.map(({ status }) => status)).toEqual([201, 201])
      expect((await strict.shorten(who, {})).body.code).toBe('quota_exceeded')
    } finally {
      await strict.close()
    }
  })
})
