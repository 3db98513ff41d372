/** Rates: no burst beyond the limit at any moment, one bucket for one caller, headers that say so. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../../../test/world.ts'
import { newId } from '../../ids.ts'
import { clientAddress } from '../client-address.ts'
import { networkOf, openRateLimiter, type RateSettings } from '../rate.ts'

const settings: RateSettings = {
  'kernel.rate_read_per_minute': 60,
  'kernel.rate_write_per_minute': 6,
  'kernel.rate_expensive_per_minute': 1,
  'kernel.rate_matches_per_minute': 1,
  'kernel.rate_webhook_in_per_minute': 60,
  'kernel.rate_tenant_factor': 10,
  'kernel.rate_factor': 1,
  'kernel.throttle_loopback': true,
}

describe('the limiter', () => {
  test('never lets through more than burst + rate in any window', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 400 }), waits => {
        let at = 0
        const limiter = openRateLimiter(
          settings,
          () => {},
          () => at,
        )
        const passed: number[] = []
        for (const wait of waits) {
          at += wait
          try {
            limiter.take('read', null, '192.0.2.1')
            passed.push(at)
          } catch {
            // Refused: what counts is what passed.
          }
        }
        for (const from of passed) {
          const inside = passed.filter(time => time >= from && time < from + 10_000).length
          expect(inside).toBeLessThanOrEqual(60 + 10 + 1)
        }
      }),
    )
  })

  test('a route that is not shared does not use up the rate of its tenant', () => {
    const limiter = openRateLimiter(
      { ...settings, 'kernel.rate_tenant_factor': 2 },
      () => {},
      () => 0,
    )
    const take = (id: string, shared: boolean) => {
      const who = { id, tenant_id: 't', kind: 'account', session_id: null } as const
      limiter.take('write', { ...who, aal: 'aal1', auth_time: 0 }, '192.0.2.1', '', shared)
    }
    for (const id of ['a', 'b', 'c', 'd']) for (let i = 0; i < 6; i++) take(id, false)
    expect(() => take('a', false)).toThrow()
    // Nothing of the tenant's twelve is used up by the others.
    for (let i = 0; i < 12; i++) take(`e${i}`, true)
    expect(() => take('f', true)).toThrow()
    take('f', false)
  })

  test('what the path names has a bucket of its own, for each caller', () => {
    const limiter = openRateLimiter(
      settings,
      () => {},
      () => 0,
    )
    const take = (address: string, about: string) =>
      limiter.take('webhook_in', null, address, about)
    for (let i = 0; i < 60; i++) take('192.0.2.1', ' stripe acct_1')
    expect(() => take('192.0.2.1', ' stripe acct_1')).toThrow()
    // Neither another account nor another sender has to wait for it.
    expect(take('192.0.2.1', ' stripe acct_2')).not.toBeNull()
    expect(take('192.0.2.2', ' stripe acct_1')).not.toBeNull()
  })

  test('accepts a waiting caller after the time in Retry-After', () => {
    let at = 0
    const limiter = openRateLimiter(
      settings,
      () => {},
      () => at,
    )
    for (let i = 0; i < 6; i++) limiter.take('write', null, '192.0.2.1')
    let retry_after = 0
    try {
      limiter.take('write', null, '192.0.2.1')
    } catch (error) {
      retry_after = (error as { details: { retry_after: number } }).details.retry_after
    }
    expect(retry_after).toBeGreaterThanOrEqual(1)
    at += retry_after * 1000
    expect(() => limiter.take('write', null, '192.0.2.1')).not.toThrow()
  })

  test('bounds a tenant, however many principals it has', () => {
    const limiter = openRateLimiter(
      settings,
      () => {},
      () => 0,
    )
    const tenant_id = 't'
    let passed = 0
    for (let i = 0; i < 200; i++) {
      try {
        const who = {
          id: `p${i}`,
          tenant_id,
          kind: 'account',
          session_id: null,
          aal: 'aal1',
          auth_time: 0,
        } as const
        limiter.take('write', who, '192.0.2.1')
        passed++
      } catch {
        // Refused: what counts is what passed.
      }
    }
    expect(passed).toBe(60)
  })

  test('counts an IPv6 network as one caller', () => {
    const one = [
      '2001:db8:1:2::1',
      '2001:db8:1:2:ffff::',
      '2001:db8:1:2:a:b:c:d',
      '2001:0db8:0001:0002::9',
    ]
    expect(new Set(one.map(networkOf)).size).toBe(1)
    expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'))
    expect(networkOf('::1')).toBe('0:0:0:0::/64')
    expect(networkOf('192.0.2.7')).toBe('192.0.2.7')
  })
})

describe('the address of the caller', () => {
  test.each([
    ['no proxy is trusted', [], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    [
      'a client sends a forged header',
      ['10.0.0.0/8'],
      '203.0.113.9',
      '198.51.100.1',
      '203.0.113.9',
    ],
    ['through our own proxy', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [
      'the client spoofs before our proxy',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '1.2.3.4, 198.51.100.1',
      '198.51.100.1',
    ],
    ['two of our proxies', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['an invalid value is not an address', ['10.0.0.0/8'], '10.1.2.3', 'x, unknown', '10.1.2.3'],
    ['a mapped peer', ['10.0.0.0/8'], '::ffff:10.1.2.3', '2001:db8::1', '2001:db8::1'],
    ['only our proxies', ['10.0.0.0/8'], '10.1.2.3', '10.0.0.1', '10.0.0.1'],
  ] as [string, string[], string, string, string][])(
    '%s',
    (_name, trusted, peer, header, expected) => {
      expect(clientAddress(trusted)(peer, header)).toBe(expected)
    },
  )
})

describe('over HTTP', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({
      KERNEL_RATE_FACTOR: '1',
      KERNEL_RATE_READ_PER_MINUTE: '5',
      KERNEL_RATE_TENANT_FACTOR: '1',
      KERNEL_THROTTLE_LOOPBACK: 'true',
    })
  })
  afterAll(() => world.close())

  test('says the limit, and when to come back', async () => {
    const { token } = world.person()
    const answers = []
    for (let i = 0; i < 7; i++) answers.push(await world.call('GET', '/v1/notes', { token }))
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"read";q=5;w=60')
    const refused = answers.at(-1)?.headers
    expect(refused?.get('ratelimit')).toBe(`"read";r=0;t=${refused?.get('retry-after')}`)
    const last = answers[6]
    expect(last?.body.code).toBe('rate_limited')
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(last?.body.retry_after).toBe(Number(last?.headers.get('retry-after')))
    const other = world.person()
    expect((await world.call('GET', '/v1/notes', { token: other.token })).status).toBe(200)
    expect((await world.call('GET', '/healthz')).status).toBe(200)
  })

  test('a route without the limit of the tenant still serves its other people', async () => {
    const { token, principal } = world.person()
    for (let i = 0; i < 5; i++) await world.call('GET', '/v1/notes', { token })
    const { token: other } = world.person(principal.tenant_id)
    const list = await world.call('GET', '/v1/notes', { token: other })
    const one = await world.call('GET', `/v1/notes/${newId()}`, { token: other })
    expect([list.status, one.status]).toEqual([429, 404])
  })

  test('a spoofed header opens no new bucket', async () => {
    const statuses = []
    for (let i = 0; i < 8; i++) {
      const headers = { 'x-forwarded-for': `198.51.100.${i}` }
      statuses.push((await world.call('GET', '/problems', { headers })).status)
    }
    expect(statuses.filter(status => status === 200)).toHaveLength(5)
  })
})
