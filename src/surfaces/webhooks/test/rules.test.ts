/** Decisions that need no database: when a lane is left alone, what follows an answer, who may begin. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterAnswer, breakerAt, closed } from '../lanes/breaker.ts'
import { fresh, Lane } from '../lanes/lane.ts'
import { loadOf, shareOut } from '../lanes/share.ts'
import { learn, nextOf, type Rules } from '../sending/judge.ts'
import { excerptOf, ofResponse, type Outcome } from '../sending/outcome.ts'
import { groupOf, mayRead, patternsOf } from '../types/event-types.ts'

const breaker = { failures: 10, open_ms: 30_000, max_open_ms: 900_000 }
const rules: Rules = {
  schedule_seconds: [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  max_age_seconds: 96 * 3600,
  max_held_age_seconds: 14 * 86_400,
  degraded_seconds: 86_400,
  auto_disable_seconds: 5 * 86_400,
  breaker,
}
const failed: Outcome = {
  verdict: 'retry',
  http_status: 500,
  error_code: 'http_5xx',
  excerpt: null,
  timings: null,
  remote_ip: null,
  wait_seconds: null,
  faulty: true,
}
const config = { version: 1, endpoint: '', max_in_flight: 8, rate_per_second: null, secrets: [] }
let lanes = 0
const laneOf = (tenant_id: string, more = {}) =>
  new Lane({ id: `lane-${++lanes}`, tenant_id, shard: 0 }, config, {
    ...fresh,
    ewma_ms: 5,
    ...more,
  })

describe('the breaker', () => {
  test('opens at ten faults in a row, doubles up to its most, and one success closes it', () => {
    let at = 0
    let state = closed
    for (let fault = 1; fault <= 10; fault++) {
      expect(state.state).toBe('closed')
      state = afterAnswer(state, true, breaker, at, 0.5)
    }
    for (const open_ms of [30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000]) {
      expect(state).toMatchObject({ state: 'open', open_ms, open_until_ms: at + open_ms })
      expect(breakerAt(state, at + open_ms - 1).state).toBe('open')
      at += open_ms
      expect(breakerAt(state, at).state).toBe('half_open')
      state = afterAnswer(state, true, breaker, at, 0.5)
    }
    at = state.open_until_ms
    expect(afterAnswer(state, false, breaker, at, 0.5)).toMatchObject({
      state: 'closed',
      open_ms: 0,
      consecutive: 0,
    })
  })

  test('opens when half of the last twenty failed, but not of older ones', () => {
    const feed = (answers: readonly boolean[], every_ms: number) =>
      answers.reduce((state, faulty, index) => {
        return afterAnswer(state, faulty, breaker, index * every_ms, 0.5)
      }, closed)
    const mixed = Array.from({ length: 20 }, (_, index) => index % 2 === 1)
    expect(feed(mixed, 100).state).toBe('open')
    expect(feed(mixed, 10_000).state).toBe('closed')
    expect(feed(mixed.slice(0, 18), 100).state).toBe('closed')
  })

  test('is closed only by an answer that was asked for after its time', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(200_000))), steps => {
        let at = 0
        let state = closed
        for (const [faulty, later] of steps) {
          at += later
          const before = breakerAt(state, at)
          state = afterAnswer(state, faulty, breaker, at, 0.5)
          if (before.state === 'open') expect(state.state).toBe('open')
          if (state.state === 'open')
            expect(state.open_until_ms).toBeGreaterThan(before.state === 'open' ? 0 : at)
          expect(state.open_ms).toBeLessThanOrEqual(breaker.max_open_ms)
        }
      }),
    )
  })
})

describe('the schedule', () => {
  const since = '2026-11-21T00:00:00.000Z'
  const begin = Date.parse(since)

  test('is that of the standard: ten attempts in 75.6 hours', () => {
    const waits: number[] = []
    let at = begin
    for (let tries = 0; ; tries++) {
      const next = nextOf({ tries, since, held_seconds: 0 }, failed, rules, at, 0.5)
      if (next.state !== 'pending') {
        expect(next).toMatchObject({ state: 'exhausted', tries: 10 })
        break
      }
      waits.push(next.delay_ms / 1000)
      at += next.delay_ms
    }
    expect(waits).toEqual(rules.schedule_seconds.slice(1))
    expect((at - begin) / 3_600_000).toBeCloseTo(75.6, 1)
  })

  test('spreads by a fifth, keeps at least a second, and follows Retry-After up to a day', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 8 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.option(fc.nat(200_000)),
        (tries, random, asked) => {
          const outcome = {
            ...failed,
            wait_seconds: asked === null ? null : Math.min(asked, 86_400),
          }
          const next = nextOf({ tries, since, held_seconds: 0 }, outcome, rules, begin, random)
          const step = (rules.schedule_seconds[tries + 1] ?? 0) * 1000
          expect(next.state).toBe('pending')
          expect(next.delay_ms).toBeGreaterThanOrEqual(
            Math.max(1000, Math.min(step * 0.8, 86_400_000)) - 1,
          )
          expect(next.delay_ms).toBeLessThanOrEqual(86_400_000)
          if (asked !== null)
            expect(next.delay_ms).toBeGreaterThanOrEqual(Math.min(asked, 86_400) * 1000)
        },
      ),
    )
  })

  test('ends with age, but time on hold does not count, up to a fortnight', () => {
    const at = begin + 97 * 3_600_000
    const late = (held_seconds: number, now = at) =>
      nextOf({ tries: 0, since, held_seconds }, failed, rules, now, 0.5).state
    expect(late(0)).toBe('exhausted')
    expect(late(2 * 3600)).toBe('pending')
    expect(late(20 * 86_400, begin + 14 * 86_400_000 + 1)).toBe('exhausted')
  })

  test('our own faults use no attempt, and a blocked address ends at the fourth', () => {
    const ours = nextOf(
      { tries: 3, since, held_seconds: 0 },
      { ...failed, verdict: 'ours' },
      rules,
      begin,
      0.5,
    )
    expect(ours).toMatchObject({ state: 'pending', counted: false, tries: 3 })
    const blocked = (tries: number) =>
      nextOf(
        { tries, since, held_seconds: 0 },
        { ...failed, verdict: 'blocked' },
        rules,
        begin,
        0.5,
      )
    expect([0, 1, 2].map(tries => blocked(tries).state)).toEqual(['pending', 'pending', 'pending'])
    expect(blocked(3).state).toBe('permanent_failure')
  })
})

describe('a subscription without success', () => {
  test('is degraded after a day and disabled after five, once each, and only if it was tried', () => {
    const lane = laneOf('a')
    const day = 86_400_000
    const told = Array.from({ length: 30 }, (_, index) => {
      return learn(lane, failed, 5, rules, (index * day) / 4, 0.5)
    })
    expect(told.filter(one => one === 'degraded')).toHaveLength(1)
    expect(told.indexOf('degraded')).toBe(4)
    expect(told.indexOf('failing')).toBe(20)
    const seldom = laneOf('a')
    const rarely = [0, 3, 6, 9].map(days => learn(seldom, failed, 5, rules, days * day, 0.5))
    expect(rarely).toEqual([null, 'degraded', null, null])
    expect(
      learn(seldom, { ...failed, verdict: 'delivered', faulty: false }, 5, rules, 10 * day, 0.5),
    ).toBeNull()
    expect(seldom).toMatchObject({ failures: 0, failing_since_ms: null, degraded: false })
  })
})

describe('shares', () => {
  const room = { in_flight: 100, in_flight_slow: 20 }

  test('never exceed a lane, a bulkhead or half for a tenant', () => {
    const one = fc.record({
      tenant: fc.constantFrom('a', 'b', 'c'),
      slow: fc.boolean(),
      busy: fc.nat(8),
      known: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(one, { maxLength: 60 }),
        fc.integer({ min: 1, max: 80 }),
        (made, most) => {
          const all = made.map(({ tenant, slow, busy, known }) => {
            const lane = laneOf(tenant, { ewma_ms: known ? (slow ? 3000 : 5) : null })
            lane.in_flight = busy
            return lane
          })
          const before = loadOf(all, 0)
          const shares = shareOut(new Set(all), loadOf(all, 0), room, most, 0, () => {})
          const after = loadOf(all, 0)
          const given = shares.reduce((sum, share) => sum + share.many, 0)
          expect(given).toBeLessThanOrEqual(most)
          for (const { lane } of shares) expect(lane.in_flight).toBeLessThanOrEqual(8)
          expect(after.slow).toBeLessThanOrEqual(Math.max(before.slow, room.in_flight_slow))
          if (given > 0 && before.fast + before.slow <= room.in_flight) {
            expect(after.fast + Math.min(after.slow, room.in_flight_slow)).toBeLessThanOrEqual(
              Math.max(room.in_flight, before.fast + before.slow),
            )
          }
          for (const [tenant, many] of after.tenants) {
            expect(many).toBeLessThanOrEqual(Math.max(50, before.tenants.get(tenant) ?? 0))
          }
        },
      ),
    )
  })

  test('go round: a lane with little to do is not behind one with much', () => {
    const all = Array.from({ length: 30 }, (_, index) => laneOf(`t${index % 3}`))
    const hungry = new Set(all)
    const first = shareOut(hungry, loadOf(all, 0), room, 40, 0, () => {})
    expect(first.map(share => share.lane)).toEqual(all.slice(0, 5))
    const second = shareOut(hungry, loadOf(all, 0), room, 40, 0, lane => hungry.delete(lane))
    expect(second.map(share => share.lane)).toEqual(all.slice(5, 10))
  })

  test('keep to a rate', () => {
    const lane = new Lane(
      { id: 'r', tenant_id: 'a', shard: 0 },
      { ...config, max_in_flight: 64, rate_per_second: 50 },
      { ...fresh, ewma_ms: 5 },
    )
    expect(lane.room(0)).toBe(5)
    lane.reserve(5)
    expect(lane.room(0)).toBe(0)
    expect(lane.opensInMs(0)).toBeGreaterThan(0)
  })
})

describe('an answer', () => {
  const response = (status: number, headers = {}) =>
    ofResponse({
      status,
      headers,
      body: Buffer.from(''),
      truncated: false,
      timings: { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 0, total_ms: 0 },
      url: '',
      address: '',
    })

  test.for([
    [200, 'delivered', null],
    [204, 'delivered', null],
    [299, 'delivered', null],
    [301, 'retry', 'redirect_not_followed'],
    [400, 'permanent', 'http_4xx'],
    [404, 'permanent', 'http_4xx'],
    [408, 'retry', 'http_4xx'],
    [410, 'gone', 'gone'],
    [429, 'retry', 'rate_limited'],
    [500, 'retry', 'http_5xx'],
    [501, 'permanent', 'http_5xx'],
    [502, 'retry', 'http_5xx'],
    [505, 'permanent', 'http_5xx'],
    [507, 'retry', 'http_5xx'],
    [599, 'retry', 'http_5xx'],
  ] as const)('%i means %s', ([status, verdict, error_code]) => {
    expect(response(status)).toMatchObject({ verdict, error_code })
  })

  test('asks for a wait of at most a day, and only where that means something', () => {
    expect(response(503, { 'retry-after': '120' }).wait_seconds).toBe(120)
    expect(response(429, { 'retry-after': '999999' }).wait_seconds).toBe(86_400)
    expect(response(500, { 'retry-after': '120' }).wait_seconds).toBeNull()
  })

  test('is kept as a text that can be stored, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6000 }), bytes => {
        const text = excerptOf(Buffer.from(bytes)) ?? ''
        expect(text.length).toBeLessThanOrEqual(1024)
        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toContain('\u0000')
      }),
    )
    expect(excerptOf(Buffer.from('ok\u0007 \n fine'))).toBe('ok \n fine')
  })
})

test('types belong to groups, and a grant reaches a type, a group or all', () => {
  expect(groupOf('payment.authorized')).toBe('payment')
  expect(groupOf('OrderConfirmed')).toBe('order')
  expect(patternsOf('OrderConfirmed')).toEqual(['*', 'order.*', 'OrderConfirmed'])
  const grants = (...types: string[]) => new Set(types.map(type => `webhooks.events.read:${type}`))
  expect(mayRead(grants('order.*'), 'OrderConfirmed')).toBe(true)
  expect(mayRead(grants('OrderConfirmed'), 'order.*')).toBe(false)
  expect(mayRead(grants('payment.*'), '*')).toBe(true)
  expect(mayRead(grants(), '*')).toBe(false)
  expect(mayRead(grants('*'), 'order.*')).toBe(true)
})
