/**
 * Converts PostgreSQL's values to JavaScript's. Rows are sent to clients without a further
 * conversion, so each type has one form. A timestamp never becomes a Date, because that would cost
 * time and lose microseconds. A bigint becomes a number only if the number is exact. Otherwise the
 * read fails.
 */
import pg from 'pg'

const int8 = 20
const timestamptz = 1184
const date = 1082
const int8Array = 1016
const timestamptzArray = 1185
const dateArray = 1182

type Parser = (text: string) => unknown

const parsers = new Map<number, Parser>([
  [int8, parseBigint],
  [timestamptz, parseTimestamp],
  [date, text => text],
  [int8Array, arrayOf(parseBigint)],
  [timestamptzArray, arrayOf(parseTimestamp)],
  [dateArray, arrayOf(text => text)],
])

export const types = {
  // The driver requests text only; nothing here uses the binary format.
  getTypeParser: (oid: number): Parser =>
    parsers.get(oid) ?? (pg.types.getTypeParser(oid, 'text') as Parser),
}

function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint beyond 2^53 - 1: ${text}`)
  return value
}

/** `2026-11-21 09:18:29.123456+00` becomes `2026-11-21T09:18:29.123Z`; sessions run in UTC. */
function parseTimestamp(text: string): string {
  if (text === 'infinity' || text === '-infinity') return text
  if (!text.endsWith('+00')) throw new RangeError('the session time zone is not UTC')
  const [day = '', time = ''] = text.slice(0, -3).split(' ')
  const [clock = '', fraction = ''] = time.split('.')
  return `${day}T${clock}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

/**
 * An array of one dimension whose elements contain neither commas nor quotes: `{1,NULL}`,
 * `{"2026-11-21 09:18:29+00"}`.
 */
function arrayOf(parse: Parser): Parser {
  return text => {
    if (text === '{}') return []
    const members = text.slice(1, -1).split(',')
    return members.map(one => (one === 'NULL' ? null : parse(one.replaceAll('"', ''))))
  }
}
