/** Who may begin: no lane, bulkhead or tenant takes more than its share. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadOf, shareOut } from '../lanes/share.ts'
import { laneOf } from './lanes.ts'

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
            const ewma_ms = slow ? 3000 : 5
            const lane = laneOf(tenant, { ewma_ms: known ? ewma_ms : null })
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
          const used = after.fast + Math.min(after.slow, room.in_flight_slow)
          expect(used).toBeLessThanOrEqual(Math.max(room.in_flight, before.fast + before.slow))
          for (const [tenant, many] of after.tenants) {
            expect(many).toBeLessThanOrEqual(Math.max(50, before.tenants.get(tenant) ?? 0))
          }
        },
      ),
    )
  })

  test('go round: a lane with little to do is not behind one with much', () => {
    const all = Array.from({ length: 30 }, (_, index) => laneOf(`t${index % 3}`))
    const ready = new Set(all)
    const first = shareOut(ready, loadOf(all, 0), room, 40, 0, () => {})
    expect(first.map(share => share.lane)).toEqual(all.slice(0, 5))
    const second = shareOut(ready, loadOf(all, 0), room, 40, 0, lane => ready.delete(lane))
    expect(second.map(share => share.lane)).toEqual(all.slice(5, 10))
  })

  test('keep to a rate', () => {
    const lane = laneOf('a', { ewma_ms: 5 }, { max_in_flight: 64, rate_per_second: 50 })
    expect(lane.room(0)).toBe(5)
    lane.reserve(5)
    expect(lane.room(0)).toBe(0)
    expect(lane.opensInMs(0)).toBeGreaterThan(0)
  })
})
