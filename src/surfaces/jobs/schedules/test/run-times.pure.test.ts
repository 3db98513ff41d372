/**
 * When schedules run: a table of instants around every kind of clock change, another library's opinion on
 * days without one, and what holds of all schedules.
 */
import { CronExpressionParser } from 'cron-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runTimes } from '../run-times.ts'

function times(cron: string, zone: string) {
  const found = runTimes(cron, zone)
  if (!found) throw new Error(`not a schedule: ${cron} ${zone}`)
  return found
}

function following(cron: string, zone: string, after: string, count: number): string[] {
  const { next } = times(cron, zone)
  const found: string[] = []
  for (let at = next(Date.parse(after)); at !== null && found.length < count; at = next(at))
    found.push(new Date(at).toISOString().replace(':00.000Z', 'Z'))
  return found
}

type Row = [what: string, cron: string, zone: string, after: string, runs: string[]]

const table: Row[] = [
  // Berlin leaps from 02:00 to 03:00 on 2026-03-29 (01:00Z) and falls back from 03:00 to 02:00 on 2026-10-25.
  [
    'a skipped time runs at the first instant after the gap, and the next day as ever',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  ],
  [
    'several skipped times run once',
    '*/20 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00Z', '2026-03-30T00:00Z', '2026-03-30T00:20Z'],
  ],
  [
    'a skipped time that meets one of the next hour runs once',
    '0 2,3 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00Z', '2026-03-30T00:00Z', '2026-03-30T01:00Z'],
  ],
  [
    'a repeated time runs the first time only',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24T12:00Z',
    ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
  ],
  [
    'and so do several, also asked for between the two',
    '*/30 2,3 * * *',
    'Europe/Berlin',
    '2026-10-25T00:10Z',
    ['2026-10-25T00:30Z', '2026-10-25T02:00Z', '2026-10-25T02:30Z', '2026-10-26T01:00Z'],
  ],
  [
    'in New York too',
    '30 1,2 * * *',
    'America/New_York',
    '2026-11-01T00:00Z',
    ['2026-11-01T05:30Z', '2026-11-01T07:30Z', '2026-11-02T06:30Z'],
  ],
  [
    'every half hour follows real time through the repeated hour',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-10-25T00:00Z',
    ['2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z', '2026-10-25T02:00Z'],
  ],
  [
    'every hour follows real time through the gap',
    '0 * * * *',
    'Europe/Berlin',
    '2026-03-29T00:00Z',
    ['2026-03-29T01:00Z', '2026-03-29T02:00Z'],
  ],
  [
    'a midnight that does not exist',
    '0 0 * * *',
    'America/Sao_Paulo',
    '2018-11-03T12:00Z',
    ['2018-11-04T03:00Z', '2018-11-05T02:00Z'],
  ],
  [
    'clocks that leap by half an hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T00:00Z',
    ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
  ],
  [
    'and fall back by half an hour',
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-04T00:00Z',
    ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
  ],
  [
    'a day that a zone left out',
    '0 9 * * *',
    'Pacific/Apia',
    '2011-12-29T12:00Z',
    ['2011-12-29T19:00Z', '2011-12-30T19:00Z'],
  ],
  [
    'the leap day',
    '0 12 29 2 *',
    'UTC',
    '2026-01-01T00:00Z',
    ['2028-02-29T12:00Z', '2032-02-29T12:00Z'],
  ],
  [
    'names of days, and the end of a year',
    '5 23 * DEC THU',
    'Asia/Kolkata',
    '2026-12-30T00:00Z',
    ['2026-12-31T17:35Z', '2027-12-02T17:35Z'],
  ],
]

test.for(table)('%s: %s in %s', ([, cron, zone, after, runs]) => {
  expect(following(cron, zone, after, runs.length)).toEqual(runs)
})

const bad: [string, string][] = [
  ['* * * * * *', 'UTC'],
  ['* * * *', 'UTC'],
  ['@daily', 'UTC'],
  ['60 * * * *', 'UTC'],
  ['0 24 * * *', 'UTC'],
  ['*/0 * * * *', 'UTC'],
  ['0 0 31 2 *', 'UTC'],
  ['? * * * *', 'UTC'],
  ['a b c d e', 'UTC'],
  ['', 'UTC'],
  ['* * * * *', 'Mars/Olympus'],
  ['* * * * *', '+02:00'],
  ['* * * * *', ''],
  ['0 5 * * *', 'Mars/Olympus'],
]

test.for(bad)('"%s" in "%s" is not a schedule', ([cron, zone]) => {
  expect(runTimes(cron, zone)).toBeNull()
})

const minute = fc.integer({ min: 0, max: 59 })
const hour = fc.integer({ min: 0, max: 23 })
const step = fc.integer({ min: 1, max: 30 })
const list = (one: fc.Arbitrary<number>) =>
  fc
    .uniqueArray(one, { minLength: 1, maxLength: 4 })
    .map(values => values.toSorted((a, b) => a - b).join(','))
const expression = fc
  .tuple(
    fc.oneof(
      list(minute),
      fc.constant('*'),
      step.map(n => `*/${n}`),
    ),
    fc.oneof(list(hour), fc.constant('*'), fc.constant('8-18/2')),
    fc.oneof(fc.constant('*'), fc.integer({ min: 1, max: 28 }).map(String)),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, fc.constantFrom('1', '2,7', 'JUN')),
    fc.constant('*'),
  )
  .map(fields => fields.join(' '))
const weekly = fc
  .tuple(list(minute), list(hour), fc.constantFrom('1-5', '0', 'MON', '3,6'))
  .map(([minutes, hours, days]) => `${minutes} ${hours} * * ${days}`)
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Santiago',
  'Pacific/Kiritimati',
)
const instant = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2028, 0, 1) })

describe('any schedule', () => {
  test('agrees with another library where clocks do not change', () => {
    fc.assert(
      fc.property(fc.oneof(expression, weekly), instant, (cron, after_ms) => {
        const theirs = CronExpressionParser.parse(cron, {
          currentDate: new Date(after_ms),
          tz: 'UTC',
        })
        expect(times(cron, 'UTC').next(after_ms)).toBe(theirs.next().getTime())
      }),
      { numRuns: 300 },
    )
  })

  test('runs later and later, and asked from anywhere between two runs, it names the later one', () => {
    fc.assert(
      fc.property(
        expression,
        zone,
        instant,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (cron, tz, after_ms, part) => {
          const { next } = times(cron, tz)
          const first = next(after_ms) ?? 0
          const second = next(first) ?? 0
          expect(first).toBeGreaterThan(after_ms)
          expect(second).toBeGreaterThan(first)
          const between = Math.min(second - 1, first + Math.floor((second - first) * part))
          expect(next(between)).toBe(second)
          expect(next(Math.max(after_ms, first - 1))).toBe(first)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('that names one time of day runs on each day exactly once, for two years', () => {
    fc.assert(
      fc.property(minute, hour, zone, (m, h, tz) => {
        const { next } = times(`${m} ${h} * * *`, tz)
        const from = Date.UTC(2026, 0, 1)
        const day = new Intl.DateTimeFormat('en-CA', { timeZone: tz, dateStyle: 'short' })
        const days: string[] = []
        for (let at = next(from); at !== null && days.length < 730; at = next(at))
          days.push(day.format(at))
        expect(new Set(days).size).toBe(730)
      }),
      { numRuns: 15 },
    )
  })
})
