/** Guessing is throttled before a hash is computed, nobody can lock out a known device, and valid bursts pass. */
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'

const world = await openProductWorld()
const networks = await openProductWorld({
  KERNEL_THROTTLE_LOOPBACK: 'true',
  KERNEL_RATE_FACTOR: '1',
  IDENTITY_REGISTRATIONS_PER_HOUR: '3',
  IDENTITY_RESETS_PER_EMAIL_PER_HOUR: '2',
  IDENTITY_LOGIN_NETWORK_BURST: '4',
})
const narrow = await openProductWorld({ IDENTITY_HASH_QUEUE: '1', IDENTITY_HASH_WAIT_MS: '10000' })
afterAll(() => Promise.all([world.close(), networks.close(), narrow.close()]))

const wrong = (member: Member, more: object = {}, at = world) =>
  at.login({ ...member, password: 'not the password' }, more)

async function hashes(at = world): Promise<number> {
  const text =
    await at.platform.kernel.metrics.registry.getSingleMetricAsString('auth_hashes_total')
  return Number(/^auth_hashes_total (\d+)/m.exec(text)?.[1])
}

test('50 wrong guesses at once compute at most 5 hashes', async () => {
  const member = await world.member()
  const before = await hashes()
  const all = await Promise.all(Array.from({ length: 50 }, () => wrong(member)))
  expect(await hashes()).toBeLessThanOrEqual(before + 5)
  const refused = all.filter(one => one.status === 429)
  expect(refused).toHaveLength(45)
  expect(all.filter(one => one.status === 401)).toHaveLength(5)
  for (const { headers, body } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(body.retry_after).toBe(Number(headers.get('retry-after')))
  }
})

test('after a stranger’s guesses the known device logs in, and a stranger does not', async () => {
  const member = await world.member()
  for (let guess = 0; guess < 50; guess++) await wrong(member)
  expect((await world.login(member)).status).toBe(429)
  const { device_token } = member
  expect((await world.login(member, { device_token })).status).toBe(201)
  const other = await world.member()
  expect((await world.login(member, { device_token: other.device_token })).status).toBe(429)
  expect((await world.login(member, { device_token: `${device_token}x` })).status).toBe(429)
})

test('a known device has a bucket of its own', async () => {
  const member = await world.member()
  const { device_token } = member
  const statuses: number[] = []
  for (let guess = 0; guess < 12; guess++)
    statuses.push((await wrong(member, { device_token })).status)
  expect(statuses.filter(status => status === 401)).toHaveLength(10)
  expect((await world.login(member)).status).toBe(201)
})

test('an unknown address is throttled like a known one', async () => {
  const tenant = await world.tenant()
  const statuses: number[] = []
  for (let guess = 0; guess < 6; guess++) {
    const nobody = { email: 'nobody@example.test', password: 'not the password', tenant }
    statuses.push((await world.login(nobody)).status)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
})

test('50 valid logins of one account at once are never called wrong', async () => {
  const member = await world.member()
  const all = await Promise.all(Array.from({ length: 50 }, () => world.login(member)))
  expect(all.map(one => one.status).filter(status => ![201, 429, 503].includes(status))).toEqual([])
  expect(all.filter(one => one.status === 201).length).toBeGreaterThan(5)
  const told = all.filter(one => one.status !== 201).map(one => one.headers.get('retry-after'))
  expect(told).not.toContain(null)
  expect((await world.login(member)).status).toBe(201)
})

test('more logins than the queue holds are told to come again', async () => {
  const tenant = await narrow.tenant()
  const all = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      narrow.login({ email: `n${n}@example.test`, password: 'x', tenant }),
    ),
  )
  const busy = all.filter(one => one.status === 503)
  expect(busy.length).toBeGreaterThan(0)
  for (const { body, headers } of busy) {
    expect(body.code).toBe('overloaded')
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  }
  expect(all.filter(one => ![401, 503].includes(one.status))).toEqual([])
})

describe('a network', () => {
  test('may register, reset and guess so often', async () => {
    const tenant = await networks.tenant()
    const statuses = async (times: number, ask: (n: number) => Promise<{ status: number }>) => {
      const seen: number[] = []
      for (let n = 0; n < times; n++) seen.push((await ask(n)).status)
      return seen
    }
    const password = 'correct horse battery staple'
    const registered = await statuses(4, n =>
      networks.call('POST', '/v1/accounts', {
        body: { email: `r${n}@example.test`, password, tenant: tenant.slug },
      }),
    )
    expect(registered).toEqual([202, 202, 202, 429])
    const reset = await statuses(3, () =>
      networks.call('POST', '/v1/password-reset-requests', {
        body: { email: 'r0@example.test', tenant: tenant.slug },
      }),
    )
    expect(reset).toEqual([202, 202, 429])
    const guessed = await statuses(5, n =>
      networks.login({ email: `g${n}@example.test`, password: 'x', tenant }),
    )
    expect(guessed).toEqual([401, 401, 401, 401, 429])
  })
})
