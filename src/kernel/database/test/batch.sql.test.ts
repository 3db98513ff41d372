/** Statements of one transaction that are sent together, and the cached columns of a statement. */
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { sql } from '../sql.ts'
import { open, put, read, useDatabase } from './doors.ts'

useDatabase()

const Count = Type.Object({ n: Type.Integer() })

describe('statements of one turn', () => {
  for (const prepare of [true, false]) {
    test(`return their own rows, ${prepare ? 'prepared' : 'not prepared'}`, async () => {
      const { db } = open({ pool: 1, prepare })
      const id = newId()
      for (let round = 0; round < 3; round++) {
        const found = await db.tx(tx =>
          Promise.all([
            tx.one(Count, sql`select 1 as n`),
            tx.run(sql`delete from public.thing where id = ${id}`),
            tx.run(put(id, round)),
            tx.one(Count, sql`select n from public.thing where id = ${id}`),
            tx.many(Count, sql`select n from generate_series(1, ${round}::int) n order by n`),
          ]),
        )
        const series = [1, 2].slice(0, round).map(n => ({ n }))
        expect(found).toEqual([{ n: 1 }, round === 0 ? 0 : 1, 1, { n: round }, series])
      }
    })
  }

  test('are skipped after one that failed, and the connection is used again', async () => {
    const { db } = open({ pool: 1 })
    const id = newId()
    const all = [put(id, 1), put(newId(), -1), put(newId(), 2), sql`select 4`]
    let settled: PromiseSettledResult<number>[] = []
    const work = db.tx(async tx => {
      settled = await Promise.allSettled(all.map(one => tx.run(one)))
    })
    await expect(work).rejects.toThrow('rolled back')
    expect(settled.map(one => one.status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ])
    for (const one of settled.slice(1)) {
      expect(one).toMatchObject({ reason: { code: '23514', constraint: 'thing_n' } })
    }
    expect(await read(db, id)).toBeUndefined()
    // The skipped statement was never prepared, though it was sent once.
    expect(await db.tx(tx => tx.run(sql`select 4`))).toBe(1)
  })

  test('that are not awaited are rolled back when the work throws', async () => {
    const { db } = open({ pool: 1 })
    const id = newId()
    const thrown = db.tx(tx => {
      tx.run(put(id, 1)).catch(() => {})
      throw new Error('given up')
    })
    await expect(thrown).rejects.toThrow('given up')
    expect(await read(db, id)).toBeUndefined()
    expect(await db.run(sql`commit`)).toBe(0)
  })
})

describe('a statement', () => {
  test('with a value that cannot be sent is refused before it is sent', async () => {
    const { db } = open({ pool: 1 })
    const circle: Record<string, unknown> = {}
    circle['itself'] = circle
    await expect(db.run(sql`select ${circle}::jsonb`)).rejects.toThrow('circular')
    await expect(db.tx(tx => tx.run(sql`select ${circle}::jsonb`))).rejects.toThrow('circular')
    expect(await db.run(sql`select 1`)).toBe(1)
  })

  test('whose commit fails is refused, though it was complete', async () => {
    const { db } = open({ pool: 1 })
    await db.run(sql`create table public.later
      (n int unique deferrable initially deferred)`)
    await db.run(sql`insert into public.later values (1)`)
    const again = sql`insert into public.later values (1)`
    await expect(db.run(again)).rejects.toMatchObject({ code: '23505' })
    await expect(db.tx(tx => tx.run(again))).rejects.toMatchObject({ code: '23505' })
    expect(await db.one(Count, sql`select count(*)::int as n from public.later`)).toEqual({ n: 1 })
  })

  test('whose columns change is an error, not rows of the wrong form', async () => {
    const { db } = open({ pool: 1 })
    const Row = Type.Object({ n: Type.Unknown() })
    await db.run(sql`create table public.changing as select 1 as n`)
    const all = sql`select * from public.changing`
    expect(await db.many(Row, all)).toEqual([{ n: 1 }])
    await db.run(sql`alter table public.changing alter n type text`)
    await expect(db.many(Row, all)).rejects.toThrow('cached plan')
    await db.run(sql`alter table public.changing alter n type int using n::int`)
    expect(await db.many(Row, all)).toEqual([{ n: 1 }])
  })
})
