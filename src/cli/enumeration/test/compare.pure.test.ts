/** The comparison of two sets of times: known quantiles of Kolmogorov's distribution, and its laws. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compare } from '../compare.ts'

/** 200 values between 100 and 101, so that no median is far from another. */
const even = Array.from({ length: 200 }, (_, n) => 100 + n / 200)
/** The same, with the smallest of them moved to the top. */
const moved = (count: number) => even.map((value, n) => (n < count ? value + 1 : value))

test('the same thing measured twice is alike', () => {
  const between = even.map(value => value + 1 / 400)
  const { distance, p, apart, alike } = compare(even, between)
  expect(distance).toBeCloseTo(1 / 200, 10)
  expect([p, alike]).toEqual([1, true])
  expect(apart).toBeLessThan(0.001)
})

test('the distance at which two distributions differ is the one of the tables', () => {
  // Of 200 and 200 values: 1.36 and 1.63 times the root of 2/200 for 5 % and 1 %.
  expect(compare(even, moved(27)).p).toBeCloseTo(0.05, 2)
  const last = compare(even, moved(32))
  expect(last.distance).toBeCloseTo(0.16, 10)
  expect(last.p).toBeCloseTo(0.0104, 3)
  expect(last.alike).toBe(true)
  const first = compare(even, moved(33))
  expect(first.p).toBeCloseTo(0.0075, 3)
  expect(first.alike).toBe(false)
})

test('medians that differ by a tenth are detected where few values prove nothing else', () => {
  const few = [100, 101, 102]
  const shifted = few.map(value => value * 1.12)
  const { apart, p, alike } = compare(few, shifted)
  expect(apart).toBeCloseTo(0.12, 10)
  expect(p).toBeGreaterThan(0.01)
  expect(alike).toBe(false)
})

test('a wider distribution with the same median is detected', () => {
  const wide = even.map(value => 100.5 + (value - 100.5) * 3)
  const { apart, p, alike } = compare(even, wide)
  expect(apart).toBeLessThan(0.001)
  expect(p).toBeLessThan(0.001)
  expect(alike).toBe(false)
})

test('who comes first does not matter, nor does the unit', () => {
  const times = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(times, times, fc.integer({ min: 1, max: 1000 }), (one, other, unit) => {
      const { distance, p } = compare(one, other)
      const scaled = (values: number[]) => values.map(value => value * unit)
      expect(compare(other, one)).toMatchObject({ distance, p })
      expect(compare(scaled(one), scaled(other))).toMatchObject({ distance, p })
      expect(p).toBeGreaterThanOrEqual(0)
      expect(p).toBeLessThanOrEqual(1)
      // By its definition, without the walk.
      const share = (values: number[], at: number) =>
        values.filter(value => value <= at).length / values.length
      const gaps = [...one, ...other].map(at => Math.abs(share(one, at) - share(other, at)))
      expect(distance).toBeCloseTo(Math.max(...gaps), 10)
    }),
  )
})
