/** Who guesses codes is slowed down soon, and costs the database little. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
let owner: Member
beforeAll(async () => {
  world = await openLinkWorld({
    KERNEL_RATE_FACTOR: '1',
    KERNEL_TRUSTED_PROXIES: '127.0.0.1',
    LINKS_MISSES_PER_MINUTE: '50',
  })
  owner = await world.member()
})
afterAll(() => world.close())

const visit = (code: string, address: string, headers = {}) =>
  world.call('GET', `/${code}`, { headers: { 'x-forwarded-for': address, ...headers } })

async function reads(): Promise<number> {
  const { text } = await world.call('GET', '/metrics')
  return Number(/^links_reads_total (\d+)$/m.exec(text)?.[1])
}

// A run that is repeated guesses from another network.
let runs = 0

test('a network is refused after so many misses, others and known links are not', async () => {
  const network = `198.51.${100 + runs++}`
  const { code } = (await world.shorten(owner, {})).body
  expect((await visit(code, `${network}.7`)).status).toBe(302)
  const before = await reads()
  const statuses: number[] = []
  const refusals = () => statuses.filter(status => status === 429).length
  for (let guess = 0; refusals() < 100 && guess < 1000; guess++) {
    statuses.push((await visit(`guess-${guess}`, `${network}.${guess % 250}`)).status)
  }
  expect(refusals()).toBe(100)
  const refused = statuses.indexOf(429)
  expect(refused).toBeGreaterThanOrEqual(50)
  expect(new Set(statuses.slice(0, refused))).toEqual(new Set([404]))
  // What is refused is not looked up; the limit lets a few more through as time passes.
  const looked_up = statuses.filter(status => status === 404).length
  expect((await reads()) - before).toBeLessThanOrEqual(looked_up + 1)
  // The end of the link's scan drops it from the cache; another visitor has it read again.
  const known = async () => {
    expect((await visit(code, '203.0.113.9')).status).toBe(302)
    return (await visit(code, `${network}.7`)).status
  }
  await expect.poll(known, { timeout: 150_000 }).toBe(302)
  expect((await visit('guess-1', '203.0.113.9')).status).toBe(404)
  let refusal = await visit('another', `${network}.7`)
  for (let more = 0; refusal.status === 404 && more < 20; more++) {
    refusal = await visit(`another-${more}`, `${network}.7`)
  }
  const { status, headers, body } = refusal
  expect([status, body.code]).toEqual([429, 'rate_limited'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(headers.get('ratelimit')).toBe(`"operation";r=0;t=${headers.get('retry-after')}`)
})

test('a zero character is not a code: it is not looked up', async () => {
  const before = await reads()
  for (const code of ['%00', 'abc%00def', 'abc%00']) {
    expect([code, (await visit(code, '192.0.2.2')).status]).toEqual([code, 404])
  }
  expect((await reads()) - before).toBe(0)
})

test('a code that is requested repeatedly is looked up once', async () => {
  const before = await reads()
  for (let visits = 0; visits < 20; visits++) {
    expect((await visit('nothing-here', '192.0.2.1')).status).toBe(404)
  }
  expect((await reads()) - before).toBe(1)
})

test('a path that cannot be a code is not a guess: browsers request icons of every host', async () => {
  const statuses: number[] = []
  for (let visits = 0; visits < 120; visits++) {
    statuses.push((await visit('apple-touch-icon.png', '198.18.0.65')).status)
  }
  expect(new Set(statuses)).toEqual(new Set([404]))
  expect((await visit('a-first-guess', '198.18.0.65')).status).toBe(404)
})

test('an IPv6 network counts as one', async () => {
  const statuses: number[] = []
  for (let guess = 0; guess < 120; guess++) {
    statuses.push((await visit(`six-${guess}`, `2001:db8:1:2::${guess.toString(16)}`)).status)
  }
  expect([statuses.includes(429), (await visit('six-x', '2001:db8:1:3::1')).status]).toEqual([
    true,
    404,
  ])
})
