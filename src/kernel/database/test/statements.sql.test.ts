/** The `sql` tag lets a value become nothing but a parameter, and what comes back has one exact form. */
import fc from 'fast-check'
import { Type, type TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { openDb, type Db } from '../db.ts'
import { compile, sql, type Sql } from '../sql.ts'

let clone: Clone
let db: Db
beforeAll(async () => {
  clone = await cloneDatabase()
  db = openDb({
    url: clone.url,
    pool: 1,
    wait_ms: 5000,
    check_rows: true,
    application_name: 'sql-test',
    outbox: () => [],
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
})
afterAll(async () => {
  await db.close()
  await clone.drop()
})

describe('the tag', () => {
  test('makes a parameter of every value, numbered through all fragments', () => {
    const inner = sql`b = ${2} or c = any (${[3, 4]}::int[])`
    const { text, values } = compile(sql`select ${'1'} where a = ${1} and (${inner}) limit ${5}`)
    expect(text).toBe('select $1 where a = $2 and (b = $3 or c = any ($4::int[])) limit $5')
    expect(values).toEqual(['1', 1, 2, [3, 4], 5])
  })

  test('joins fragments and quotes identifiers', () => {
    const conditions = [sql`a = ${1}`, sql`b = ${2}`, sql`${sql.id('kernel', 'c')} is null`]
    const { text, values } = compile(sql`where ${sql.join(conditions, ' and ')}${sql.empty}`)
    expect(text).toBe('where a = $1 and b = $2 and "kernel"."c" is null')
    expect(values).toEqual([1, 2])
    expect(compile(sql`limit ${sql.count(12)}`)).toMatchObject({ text: 'limit 12', values: [] })
    expect(() => sql.join([], ', ')).toThrow('at least one')
  })

  test('a template has one text, and one parameter for each value that it is given', () => {
    const find = sql.template<{ tenant_id: string; id: string }>(
      ['tenant_id', 'id'],
      ({ tenant_id, id }) =>
        sql`select ${1} where a = ${id} and t = ${tenant_id} and (${sql`b = ${id} or c = ${1}`})`,
    )
    const [first, second] = [
      { tenant_id: 'T', id: 'a' },
      { tenant_id: 'T', id: 'T' },
    ].map(values => compile(find(values)))
    expect(first).toMatchObject({
      text: 'select $1 where a = $2 and t = $3 and (b = $2 or c = $4)',
      values: [1, 'a', 'T', 1],
    })
    expect(second).toEqual({ ...first, values: [1, 'T', 'T', 1] })
    expect(() => compile(sql`with f as (${find({ tenant_id: 'T', id: 'a' })}) select 1`)).toThrow(
      'whole statement',
    )
  })

  test.for(['', 'a b', 'a"b', 'a;b', 'A', 'ä', '1a', 'a-b'])('%j is not an identifier', name => {
    expect(() => sql.id('kernel', name)).toThrow('not an identifier')
  })

  test.for([-1, 1.5, Number.NaN, 2 ** 53])('%d is not a count', count => {
    expect(() => sql.count(count)).toThrow('not a count')
  })

  test('one place in the code may take a value now and a fragment then', () => {
    const where = (what: unknown) => compile(sql`select ${what} as it`)
    expect([where(1), where(sql`2`), where(3)]).toMatchObject([
      { text: 'select $1 as it', values: [1] },
      { text: 'select 2 as it', values: [] },
      { text: 'select $1 as it', values: [3] },
    ])
  })

  test('a statement is named by its text alone', () => {
    const name = (statement: Sql) => compile(statement).name
    expect(name(sql`select ${1}`)).toBe(name(sql`select ${'other'}`))
    expect(name(sql`select ${1}`)).toBe(name(sql`${sql`select ${2}`}`))
    expect(name(sql`select ${1}`)).not.toBe(name(sql`select  ${1}`))
    // PostgreSQL cuts names at 63 bytes.
    expect(name(sql`select ${1}`).length).toBeLessThan(64)
  })

  test('whatever a text holds, it arrives as it was', async () => {
    const text = fc.string({ unit: 'grapheme' }).filter(one => !one.includes('\0'))
    const pieces = fc.constantFrom(`'`, `"`, `\\`, `$1`, `$$`, `--`, `;`, `{}`, `null`)
    const said = fc.array(fc.oneof(text, pieces)).map(all => all.join(''))
    const Row = Type.Object({ it: Type.String(), all: Type.Array(Type.String()) })
    await fc.assert(
      fc.asyncProperty(said, async it => {
        const row = await db.one(Row, sql`select ${it}::text as it, ${[it, 'x']}::text[] as all`)
        expect(row).toEqual({ it, all: [it, 'x'] })
      }),
      { numRuns: 200 },
    )
  })
})

describe('values', () => {
  const valueOf = async (expression: Sql, schema: TSchema = Type.Unknown()): Promise<unknown> =>
    (await db.one(Type.Object({ it: schema }), sql`select ${expression} as it`)).it

  test('a bigint is exact or it is an error', async () => {
    const most = Number.MAX_SAFE_INTEGER
    expect(await valueOf(sql`${most}::bigint`, Type.Integer())).toBe(most)
    expect(await valueOf(sql`${-most}::bigint`)).toBe(-most)
    expect(await valueOf(sql`array[1, ${most}]::bigint[]`)).toEqual([1, most])
    expect(await valueOf(sql`'{}'::bigint[]`)).toEqual([])
    for (const beyond of ['9007199254740992', '-9007199254740992', '9223372036854775807']) {
      await expect(valueOf(sql`${beyond}::bigint`)).rejects.toThrow('beyond 2^53')
      await expect(valueOf(sql`array[1, ${beyond}]::bigint[]`)).rejects.toThrow('beyond 2^53')
    }
    // What failed was the reading: the next statement finds everything in order.
    expect(await valueOf(sql`1::bigint`)).toBe(1)
  })

  test.for([
    ['2026-11-21 09:18:29.123456+00', '2026-11-21T09:18:29.123Z'],
    ['2026-11-21 09:18:29.999999+00', '2026-11-21T09:18:29.999Z'],
    ['2026-11-21 09:18:29.1+00', '2026-11-21T09:18:29.100Z'],
    ['2026-11-21 09:18:29+00', '2026-11-21T09:18:29.000Z'],
    ['2026-11-21 01:18:29+05:30', '2026-11-20T19:48:29.000Z'],
    ['infinity', 'infinity'],
  ])('%s is %s', async ([written, read]) => {
    expect(await valueOf(sql`${written}::timestamptz`, Type.String())).toBe(read)
  })

  test('a time in another zone than UTC is an error, not another time', async () => {
    const Row = Type.Object({ it: Type.String() })
    const read = db.tx(async tx => {
      await tx.run(sql`set local timezone = 'Asia/Kolkata'`)
      return tx.one(Row, sql`select '2026-11-21 09:18:29+00'::timestamptz as it`)
    })
    await expect(read).rejects.toThrow('not UTC')
  })

  test('a date is what is written, also where the machine is in another zone', async () => {
    expect(await valueOf(sql`'2026-11-21'::date`, Type.String())).toBe('2026-11-21')
  })

  test('an array holds what one of its members would be', async () => {
    const at = '2026-11-21T09:18:29.100Z'
    const array = sql`array[${'2026-11-21 09:18:29.1+00'}::timestamptz, null]`
    expect(await valueOf(array)).toEqual([at, null])
    expect(await valueOf(sql`array['2026-11-21'::date]`)).toEqual(['2026-11-21'])
    expect(await valueOf(sql`array[7::bigint, null]`)).toEqual([7, null])
  })

  test('an array is json where it is given as json', async () => {
    expect(await valueOf(sql`${sql.json([1, { a: null }])}::jsonb`)).toEqual([1, { a: null }])
    expect(await valueOf(sql`${sql.json('text')}::jsonb`)).toBe('text')
  })
})

describe('a row', () => {
  const Row = Type.Object({ id: Type.Integer(), name: Type.String() })

  test('that does not fit its schema is an error that names where', async () => {
    const drifts = [
      [sql`select 1 as id, null::text as name`, '/name'],
      [sql`select '1' as id, 'a' as name`, '/id'],
      [sql`select 1 as id, 'a' as renamed`, 'name'],
    ] as const
    for (const [statement, where] of drifts) {
      for (const read of [db.one(Row, statement), db.maybe(Row, statement)]) {
        await expect(read).rejects.toThrow(where)
      }
      await expect(db.tx(tx => tx.many(Row, statement))).rejects.toThrow('does not fit')
    }
  })

  test('returns exactly one row, at most one, or any number', async () => {
    const rows = (count: number) =>
      sql`select g as id, 'a' as name from generate_series(1, ${count}::int) g`
    expect(await db.one(Row, rows(1))).toEqual({ id: 1, name: 'a' })
    expect(await db.maybe(Row, rows(0))).toBeUndefined()
    expect(await db.many(Row, rows(3))).toHaveLength(3)
    await expect(db.one(Row, rows(0))).rejects.toThrow('got 0')
    await expect(db.one(Row, rows(2))).rejects.toThrow('got 2')
    await expect(db.maybe(Row, rows(2))).rejects.toThrow('got 2')
    expect(await db.run(rows(7))).toBe(7)
  })
})
