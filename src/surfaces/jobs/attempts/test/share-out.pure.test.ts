/** The shares that tenants get, for any lanes and any flood. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOut, type OpenLane, openTurns } from '../claims/share-out.ts'

const tenants = ['a', 'b', 'c', 'd', 'e', 'f']
const lane = fc.record({
  tenant_id: fc.constantFrom(...tenants),
  room: fc.oneof(fc.nat(6), fc.constant(Number.POSITIVE_INFINITY)),
})
const places = fc.record({
  lanes: fc.array(lane, { maxLength: 20 }),
  free: fc.nat(60),
  limit: fc.integer({ min: 1, max: 12 }),
  running: fc.record(Object.fromEntries(tenants.map(id => [id, fc.nat(14)]))),
  turns: fc.record(Object.fromEntries(tenants.map(id => [id, fc.nat(30)]))),
})

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

function shared({
  lanes,
  free,
  limit,
  running,
  turns,
}: typeof places extends fc.Arbitrary<infer P> ? P : never) {
  const quotas = shareOut(lanes, free, limit, id => ({
    running: running[id] ?? 0,
    turn: turns[id] ?? 0,
  }))
  const given = (id: string) => sum(quotas.filter((_, at) => lanes[at]?.tenant_id === id))
  const room = (id: string) => {
    const own = sum(lanes.filter(one => one.tenant_id === id).map(one => one.room))
    return Math.min(own, Math.max(0, limit - (running[id] ?? 0)))
  }
  return { quotas, given, room }
}

test('no slot stays free that a lane may take, and no limit is exceeded', () => {
  fc.assert(
    fc.property(places, given_places => {
      const { quotas, given, room } = shared(given_places)
      const { lanes, free } = given_places
      quotas.forEach((quota, at) => expect(quota).toBeLessThanOrEqual(lanes[at]?.room ?? 0))
      for (const id of tenants) expect(given(id)).toBeLessThanOrEqual(room(id))
      expect(sum(quotas)).toBe(Math.min(free, sum(tenants.map(room))))
    }),
    { numRuns: 2000 },
  )
})

test('no lane gets a slot that a tenant with fewer could have had', () => {
  fc.assert(
    fc.property(places, given_places => {
      const { given, room } = shared(given_places)
      const held = (id: string) => (given_places.running[id] ?? 0) + given(id)
      for (const rich of tenants.filter(id => given(id) > 0)) {
        for (const poor of tenants.filter(id => given(id) < room(id))) {
          expect(held(rich)).toBeLessThanOrEqual(held(poor) + 1)
        }
      }
    }),
    { numRuns: 2000 },
  )
})

test('lanes of one tenant are served in turn', () => {
  const lanes = ['x', 'y', 'z'].map(() => ({ tenant_id: 'a', room: 100 }))
  expect(shareOut(lanes, 9, 100, () => ({ running: 0, turn: 0 }))).toEqual([3, 3, 3])
})

test('over time the shares of tenants that always wait differ by one turn, newcomers included', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ free: fc.integer({ min: 1, max: 7 }), waiting: fc.subarray(tenants) }), {
        minLength: 5,
        maxLength: 60,
      }),
      rounds => {
        const turns = openTurns()
        // `a` and `b` always wait; the others come and go as they like.
        const served = new Map<string, number>()
        for (const { free, waiting } of rounds) {
          const lanes: OpenLane[] = [...new Set(['a', 'b', ...waiting])].map(tenant_id => ({
            tenant_id,
            room: Number.POSITIVE_INFINITY,
          }))
          const quotas = shareOut(lanes, free, 1000, id => ({ running: 0, turn: turns.of(id) }))
          turns.served(new Map(lanes.map(({ tenant_id }, at) => [tenant_id, quotas[at] ?? 0])))
          lanes.forEach(({ tenant_id }, at) => {
            served.set(tenant_id, (served.get(tenant_id) ?? 0) + (quotas[at] ?? 0))
          })
          const ahead = Math.abs((served.get('a') ?? 0) - (served.get('b') ?? 0))
          expect(ahead).toBeLessThanOrEqual(1)
          for (const count of served.values()) {
            // A newcomer begins where the others stand, so it cannot have had more than they since.
            expect(count).toBeLessThanOrEqual((served.get('a') ?? 0) + 7)
          }
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('ten jobs against a flood of a million end within twice their time alone at an equal share', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 20 }), (free, lanes) => {
      // The flood comes through several lanes at once.
      const flood: OpenLane[] = Array.from({ length: lanes }, () => ({ tenant_id: 'f', room: 1e6 }))
      const turns = openTurns()
      let left = 10
      let rounds = 0
      while (left > 0) {
        rounds++
        const open = [...flood, { tenant_id: 'a', room: left }]
        const quotas = shareOut(open, free, 1000, id => ({ running: 0, turn: turns.of(id) }))
        const own = quotas.at(-1) ?? 0
        turns.served(
          new Map([
            ['f', sum(quotas) - own],
            ['a', own],
          ]),
        )
        left -= own
      }
      // Half of the places are its own.
      expect(rounds).toBeLessThanOrEqual(2 * Math.ceil(10 / Math.max(1, free / 2)))
    }),
  )
})
