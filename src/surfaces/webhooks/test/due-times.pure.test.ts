/** When a lane is looked at again for a retry. */
import { expect, test } from 'vitest'
import { DueTimes } from '../sending/due-times.ts'

test('each lane comes once its time has come, and not before', () => {
  const times = new DueTimes()
  times.add('a', 1000, 500)
  times.add('b', 1000, 200)
  times.add('b', 1000, 205)
  times.add('later', 1000, 60_001)
  expect(times.take(1199)).toEqual([])
  expect(times.inMs(1000)).toBe(200)
  expect(times.take(1225)).toEqual(['b'])
  expect(times.inMs(1225)).toBe(275)
  expect(times.take(5000)).toEqual(['a'])
  expect([times.take(1e9), times.inMs(1e9)]).toEqual([[], Infinity])
})
