/** The cursor of a lane against a model of the lane: nothing is lost, nothing is walked over twice. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLaneCursor, type Key, type Stretch } from '../claims/lane-cursor.ts'

const compare = (a: Key, b: Key) =>
  a.rank - b.rank ||
  Number(a.ready_at > b.ready_at) - Number(a.ready_at < b.ready_at) ||
  Number(a.job_id > b.job_id) - Number(a.job_id < b.job_id)
const covers = ({ from, to_rank }: Stretch, key: Key) =>
  key.rank <= to_rank &&
  (from.ready_at === '-infinity' ? key.rank >= from.rank : compare(key, from) > 0)

const key = fc.record({
  rank: fc.integer({ min: 0, max: 9 }),
  ready_at: fc.integer({ min: 10, max: 40 }).map(String),
  job_id: fc.integer({ min: 100, max: 999 }).map(String),
})
const step = fc.oneof(
  fc.record({ add: fc.array(key, { maxLength: 8 }) }),
  fc.record({ claim: fc.integer({ min: 1, max: 6 }), after_ms: fc.integer({ min: 0, max: 700 }) }),
)

test('what a claim asks for is in order and without overlap, whatever was taken', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 20 }), key, (taken, probe) => {
      const cursor = openLaneCursor()
      const front = cursor.next(0)
      const sorted = taken.toSorted(compare)
      cursor.took(front, sorted, sorted.length, 0)
      const { stretches, from_front } = cursor.next(1)
      expect(from_front).toBe(false)
      const last = sorted.findLast(one => one.rank === probe.rank)
      const behind = !last || compare(probe, last) > 0
      expect(stretches.filter(one => covers(one, probe))).toHaveLength(behind ? 1 : 0)
      stretches.slice(1).forEach(({ from }, at) => {
        expect(from.rank).toBe((stretches[at]?.to_rank ?? Number.NaN) + 1)
      })
    }),
    { numRuns: 2000 },
  )
})

test('every row is taken once, wherever it appears, and a lane is only called empty when it is', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const cursor = openLaneCursor()
      const waiting = new Map<string, Key>()
      const taken = new Set<string>()
      const name = (one: Key) => `${one.rank} ${one.ready_at} ${one.job_id}`
      let now_ms = 0
      const claim = (wanted: number) => {
        const asked = cursor.next(now_ms)
        const found = [...waiting.values()]
          .filter(one => asked.stretches.some(stretch => covers(stretch, one)))
          .sort(compare)
          .slice(0, wanted)
        for (const one of found) {
          expect(taken.has(name(one))).toBe(false)
          taken.add(name(one))
          waiting.delete(name(one))
        }
        const said = cursor.took(asked, found, wanted, now_ms)
        expect(said === 'empty' && waiting.size > 0).toBe(false)
        return said
      }
      for (const one of steps) {
        if ('add' in one) {
          for (const added of one.add) if (!taken.has(name(added))) waiting.set(name(added), added)
        } else {
          now_ms += one.after_ms
          claim(one.claim)
        }
      }
      // A runner that goes on while a lane has more, or was short, empties it.
      for (let claims = 0; claim(5) !== 'empty'; claims++) expect(claims).toBeLessThan(200)
      expect(waiting.size).toBe(0)
    }),
    { numRuns: 1000 },
  )
})

test('looks from the front that cost much are rare', () => {
  const cursor = openLaneCursor()
  const front = cursor.next(0)
  const one = { rank: 5, ready_at: '1', job_id: '1' }
  expect(cursor.took(front, [one], 2, 200)).toBe('empty')
  expect(cursor.next(300).from_front).toBe(false)
  expect(cursor.next(1999).from_front).toBe(false)
  expect(cursor.next(2000).from_front).toBe(true)
})

test('a lane that always has more is looked at from the front once a second', () => {
  const cursor = openLaneCursor()
  let fronts = 0
  for (let now_ms = 0; now_ms < 10_000; now_ms += 10) {
    const claim = cursor.next(now_ms)
    if (claim.from_front) fronts++
    cursor.took(claim, [{ rank: 5, ready_at: String(now_ms), job_id: '1' }], 1, now_ms)
  }
  expect(fronts).toBe(10)
})
