/** Decisions that need no database: when a lane is left alone, and what follows a failure. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterAnswer, breakerAt, closed } from '../lanes/breaker.ts'
import { learn, nextOf, type Rules } from '../sending/decide-retry.ts'
import type { Outcome } from '../sending/outcome.ts'
import { laneOf } from './lanes.ts'

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
          expect(before.state === 'open' && state.state !== 'open').toBe(false)
          const opened = before.state !== 'open' && state.state === 'open'
          expect(opened && state.open_until_ms <= at).toBe(false)
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
    const ask = (tries: number) => nextOf({ tries, since, held_seconds: 0 }, failed, rules, at, 0.5)
    let next = ask(0)
    while (next.state === 'pending') {
      waits.push(next.delay_ms / 1000)
      at += next.delay_ms
      next = ask(next.tries)
    }
    expect(next).toMatchObject({ state: 'exhausted', tries: 10 })
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
          expect(next.delay_ms).toBeGreaterThanOrEqual(Math.min(asked ?? 0, 86_400) * 1000)
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
    const announced = Array.from({ length: 30 }, (_, index) => {
      return learn(lane, failed, 5, rules, (index * day) / 4, 0.5)
    })
    expect(announced.filter(one => one === 'degraded')).toHaveLength(1)
    expect(announced.indexOf('degraded')).toBe(4)
    expect(announced.indexOf('failing')).toBe(20)
    const seldom = laneOf('a')
    const rarely = [0, 3, 6, 9].map(days => learn(seldom, failed, 5, rules, days * day, 0.5))
    expect(rarely).toEqual([null, 'degraded', null, null])
    expect(
      learn(seldom, { ...failed, verdict: 'delivered', faulty: false }, 5, rules, 10 * day, 0.5),
    ).toBeNull()
    expect(seldom).toMatchObject({ failures: 0, failing_since_ms: null, degraded: false })
  })
})
