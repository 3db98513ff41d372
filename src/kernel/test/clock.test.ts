/** A time that a request may name is one instant, for this code and for PostgreSQL. */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../../test/world.ts'
import { isTime, parseTime } from '../clock.ts'

let world: World
let client: pg.Client
beforeAll(async () => {
  world = await openWorld({})
  client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await world.close()
})

const two = (below: number) => fc.nat(below).map(value => String(value).padStart(2, '0'))
const years = fc.oneof(fc.constantFrom(0, 1, 1900, 2000, 2028, 9999), fc.nat(9999))
const zones = fc.oneof(
  fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+15:59', '-16:00', '+24:00'),
  fc.tuple(fc.constantFrom('+', '-'), two(25), two(61)).map(([sign, h, m]) => `${sign}${h}:${m}`),
)
/** Mostly times, often at the edge of what is none. */
const texts = fc
  .tuple(
    years,
    two(13),
    two(32),
    two(25),
    two(61),
    two(61),
    fc.constantFrom('', '.5', '.999'),
    zones,
  )
  .map(([year, month, day, hour, minute, second, fraction, zone]) => {
    const date = `${String(year).padStart(4, '0')}-${month}-${day}`
    return `${date}T${hour}:${minute}:${second}${fraction}${zone}`
  })

test('whatever counts as a time is the same one in the database', async () => {
  const times = fc.sample(texts, 100_000).filter(isTime)
  expect(times.length).toBeGreaterThan(1_000)
  const { rows } = await client.query<{ ms: string }>(
    `select (extract(epoch from t::timestamptz) * 1000)::bigint::text as ms
     from unnest($1::text[]) with ordinality as given (t, n) order by n`,
    [times],
  )
  expect(rows.map(({ ms }) => Number(ms))).toEqual(times.map(parseTime))
})

test.each([
  ['2028-02-29T00:00:00Z', true],
  ['2026-12-01t01:00:00.123456789z', true],
  ['2026-12-01T01:00:00+05:30', true],
  ['9999-12-31T23:59:58Z', true],
  ['2027-02-29T00:00:00Z', false],
  ['2027-02-30T00:00:00Z', false],
  ['0000-01-01T00:00:00Z', false],
  ['0001-01-01T00:00:00+01:00', false],
  ['0000-12-31T22:11:59-03:17', false],
  ['9999-12-31T23:59:59-01:00', false],
  ['2026-12-01T24:00:00Z', false],
  ['2026-12-31T23:59:60Z', false],
  ['2026-12-01T01:00:00+16:00', false],
  ['2026-12-01T01:00:00', false],
  ['2026-12-01 01:00:00Z', false],
  ['2026-12-01', false],
])('%s: %s', (text, expected) => {
  expect(isTime(text)).toBe(expected)
})
