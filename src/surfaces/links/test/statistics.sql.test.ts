/** The statistics for the owner of a link, in coarse classes. */
import { Agent, get } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { arrived, browser } from './counted.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'
import { visit } from './visitors.ts'

let world: LinkWorld
let owner: Member
beforeAll(async () => {
  world = await openLinkWorld()
  owner = await world.member()
})
afterAll(() => world.close())

async function link(): Promise<string> {
  return (await world.shorten(owner, {})).body.code as string
}

const stats = async (code: string, query = '') =>
  (await world.call('GET', `/v1/links/${code}/stats${query}`, { token: owner.token })).body

/** Answers the port that it came from. */
function follow(url: string, headers: Record<string, string>, agent: Agent) {
  return new Promise<number | undefined>((resolve, reject) => {
    const asked = get(url, { headers, agent }, response => {
      response.resume().on('end', () => resolve(asked.socket?.localPort))
    })
    asked.on('error', reject)
  })
}

describe('statistics', () => {
  test('tell visitors apart who come over one connection, in whatever they differ', async () => {
    const code = await link()
    const proxy = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => proxy.destroy())
    const first = { ...browser, 'accept-language': 'de', 'x-forwarded-for': '8.8.8.8' }
    const others = [
      { ...first, 'accept-language': 'fr' },
      { ...first, 'user-agent': browser['user-agent'].replace('Chrome', 'Firefox') },
      { ...first, 'x-forwarded-for': '81.2.69.142' },
      { ...first, referer: 'https://example.com/' },
      { ...first, 'sec-gpc': '1' },
      { ...first, 'sec-purpose': 'prefetch' },
    ]
    const ports = new Set<number | undefined>()
    for (const headers of [...others.flatMap(other => [first, first, other]), first]) {
      ports.add(await follow(`${world.url}/${code}`, headers, proxy))
    }
    ports.add(await follow(`${world.url}/${code}?s=qr`, first, proxy))
    expect(ports.size).toBe(1)
    await arrived(world, code, 20)
    const { totals, dimensions } = await stats(code)
    expect(totals).toEqual({ clicks: 19, bots: 1 })
    const counts = Object.entries(dimensions as Record<string, { clicks: number }[]>).map(
      ([name, keys]) => [name, keys.map(({ clicks }) => clicks)],
    )
    // One differs in each, and who asks not to be tracked is unknown in all of them.
    expect(Object.fromEntries(counts)).toEqual({
      country: [17, 1, 1],
      device: [18, 1],
      browser: [17, 1, 1],
      os: [18, 1],
      referrer: [1, 18],
      language: [17, 1, 1],
      source: [1, 18],
    })
  })

  test('say who came, and count bots apart', async () => {
    const code = await link()
    const read = (headers = {}) =>
      world.call('GET', `/v1/links/${code}`, { token: owner.token, headers })
    const tag = (await read()).headers.get('etag') ?? ''
    expect((await read({ 'if-none-match': tag })).status).toBe(304)
    const headers = {
      ...browser,
      referer: 'https://news.example.com/a?b',
      'accept-language': 'fr-FR,fr;q=0.9',
      'x-forwarded-for': '8.8.8.8',
    }
    for (let visits = 0; visits < 3; visits++) await visit(`${world.url}/${code}?s=qr`, headers)
    await visit(`${world.url}/${code}`, { 'user-agent': 'curl/8.5.0' })
    await visit(`${world.url}/${code}`, { ...browser, 'sec-gpc': '1' })
    await visit(`${world.url}/${code}`, { ...browser, 'sec-purpose': 'prefetch;prerender' })
    await arrived(world, code, 6)
    const { totals, series, dimensions, from, to, degraded, domain } = await stats(code)
    expect([totals, degraded, domain]).toEqual([{ clicks: 4, bots: 2 }, false, 'dodeca.test'])
    expect([series.length, series[0].day, series.at(-1).day]).toEqual([30, from, to])
    expect([series.at(-1), series[0].clicks]).toEqual([{ day: to, clicks: 4, bots: 2 }, 0])
    const three = (key: string) => [
      { key, clicks: 3 },
      { key: '_unknown', clicks: 1 },
    ]
    expect(dimensions).toEqual({
      country: three('US'),
      device: three('desktop'),
      browser: three('Chrome'),
      os: three('Windows'),
      referrer: three('example.com'),
      language: three('fr'),
      source: three('qr'),
    })
    expect((await read({ 'if-none-match': tag })).body.clicks).toBe(4)
  })

  test('have a range, and only the requested dimensions', async () => {
    const code = await link()
    const one = await stats(code, '?from=2026-01-01&to=2026-01-01&dimensions=os,%20country')
    expect([one.series.length, Object.keys(one.dimensions).sort()]).toEqual([1, ['country', 'os']])
    expect((await stats(code, '?from=2025-01-01&to=2026-02-04')).series).toHaveLength(400)
    // Before the first day that there is, there is none.
    expect((await stats(code, '?to=1970-01-03')).from).toBe('1970-01-01')
    expect((await stats(code, '?from=2025-01-01&to=2026-02-05')).detail).toContain('400 days')
    for (const query of [
      '?from=2025-01-01&to=2026-02-05',
      '?from=2026-01-02&to=2026-01-01',
      '?from=2026-02-30&to=2026-03-01',
      '?from=0000-01-01&to=0000-01-02',
      '?to=0000-12-31',
      '?to=1969-12-31',
      '?dimensions=city',
    ]) {
      expect([query, (await stats(code, query)).code]).toEqual([query, 'validation_failed'])
    }
  })

  test('are for the owner only', async () => {
    const [code, stranger] = [await link(), await world.member()]
    const path = `/v1/links/${code}/stats`
    const { status, body } = await world.call('GET', path, { token: stranger.token })
    expect([status, body.code]).toEqual([404, 'link_not_found'])
  })
})
