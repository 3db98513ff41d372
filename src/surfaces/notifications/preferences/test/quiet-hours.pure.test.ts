/** Quiet hours over changes of the clock: the release is never inside a window, and nothing earlier is free. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTimezone, quietUntil } from '../quiet-hours.ts'

const at = (text: string) => Date.parse(text)
const until = (now: string, start: string, end: string, zone: string, days?: number[]) => {
  const found = quietUntil(at(now), { start, end, ...(days ? { days } : {}) }, zone)
  return found === null ? null : new Date(found).toISOString()
}

describe('quiet hours', () => {
  test.each([
    // Spring: 02:00 to 03:00 does not exist in Berlin on 2026-03-29.
    ['2026-03-29T00:30:00Z', '22:00', '02:30', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-03-28T23:00:00Z', '22:00', '07:00', 'Europe/Berlin', '2026-03-29T05:00:00.000Z'],
    // Autumn: 02:30 comes twice; the window ends with the second.
    ['2026-10-25T00:15:00Z', '22:00', '02:30', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
    ['2026-10-25T00:45:00Z', '22:00', '02:30', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
    // Half an hour on Lord Howe.
    ['2026-04-04T14:45:00Z', '22:00', '01:45', 'Australia/Lord_Howe', '2026-04-04T15:15:00.000Z'],
    // Apia had no 2011-12-30.
    ['2011-12-30T09:30:00Z', '22:00', '07:00', 'Pacific/Apia', '2011-12-30T17:00:00.000Z'],
    ['2026-06-01T12:00:00Z', '22:00', '07:00', 'UTC', null],
    ['2026-06-01T22:00:00Z', '22:00', '07:00', 'UTC', '2026-06-02T07:00:00.000Z'],
    ['2026-06-02T07:00:00Z', '22:00', '07:00', 'UTC', null],
  ])('at %s, %s to %s in %s, end at %s', (now, start, end, zone, expected) => {
    expect(until(now, start, end, zone)).toBe(expected)
  })

  test('of a day are those that start on it', () => {
    // A Friday night, and a Saturday night.
    expect(until('2026-06-05T23:00:00Z', '22:00', '07:00', 'UTC', [5])).toBe(
      '2026-06-06T07:00:00.000Z',
    )
    expect(until('2026-06-06T23:00:00Z', '22:00', '07:00', 'UTC', [5])).toBeNull()
    expect(until('2026-06-06T01:00:00Z', '22:00', '07:00', 'UTC', [5])).toBe(
      '2026-06-06T07:00:00.000Z',
    )
  })

  test('end at an instant that is free, in every zone', () => {
    const zones = Intl.supportedValuesOf('timeZone')
    const minute = fc.integer({ min: 0, max: 1439 })
    const clock = (value: number) =>
      `${String(Math.floor(value / 60)).padStart(2, '0')}:${String(value % 60).padStart(2, '0')}`
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({
          min: at('2025-01-01T00:00:00Z') / 1000,
          max: at('2028-01-01T00:00:00Z') / 1000,
        }),
        minute,
        minute,
        (zone, seconds, from, to) => {
          fc.pre(from !== to)
          const quiet = { start: clock(from), end: clock(to) }
          const end = quietUntil(seconds * 1000, quiet, zone)
          if (end === null) return
          expect(end).toBeGreaterThan(seconds * 1000)
          expect(quietUntil(end, quiet, zone)).toBeNull()
          // A minute earlier it was still quiet.
          const before = Math.max(seconds * 1000, end - 60_000)
          expect(quietUntil(before, quiet, zone)).toBe(end)
        },
      ),
      { numRuns: 300 },
    )
  })
})

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Mars/Olympus', false],
  ['', false],
  ['../etc', false],
])('%j is a time zone: %s', (zone, expected) => {
  expect(isTimezone(zone)).toBe(expected)
})
