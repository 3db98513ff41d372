/** Transactions commit whole or not at all, end when they end, and are repeated where that is safe. */
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import type { Tx } from '../db.ts'
import { isUnavailable, SqlState, violates } from '../failures.ts'
import { sql } from '../sql.ts'
import { about, insertSaid, N, open, put, read, saidAbout, useDatabase } from './doors.ts'

useDatabase()

describe('a transaction', () => {
  test('commits its effect with its events, and tells of both afterwards', async () => {
    const { db, reported } = open()
    const other = open().db
    const id = newId()
    const order: string[] = []
    const event_id = await db.tx(async tx => {
      await tx.run(put(id, 1))
      tx.afterCommit(() => order.push(`after ${reported.committed}`))
      const emitted = tx.emit(about(id))
      tx.atCommit(sql`update public.thing set n = n + 1 where id = ${id}`)
      // Neither is there before the commit: the event is sent with it.
      expect([await read(other, id), await saidAbout(other, id)]).toEqual([undefined, []])
      expect([await read(tx, id), reported.committed]).toEqual([1, 0])
      return emitted
    })
    expect(await saidAbout(db, id)).toEqual([event_id])
    expect([await read(db, id), reported.committed, order]).toEqual([2, 1, ['after 1']])
  })

  test('answers only when what it owes after the commit is done, and holds no connection meanwhile', async () => {
    const { db } = open({ pool: 2 })
    const id = newId()
    const owed = Promise.withResolvers<undefined>()
    let answered = false
    const work = db
      .tx(async tx => {
        await tx.run(put(id, 1))
        tx.afterCommit(async () => {
          await owed.promise
        })
      })
      .then(() => (answered = true))
    await expect.poll(() => read(db, id)).toBe(1)
    expect([answered, db.load().total - db.load().idle]).toEqual([false, 0])
    owed.resolve(undefined)
    expect(await work).toBe(true)
  })

  test('that throws leaves nothing and tells nothing', async () => {
    const { db, reported } = open()
    const id = newId()
    const work = db.tx(async tx => {
      await tx.run(put(id, 1))
      tx.emit(about(id))
      tx.afterCommit(() => reported.committed++)
      throw new TypeError('changed my mind')
    })
    await expect(work).rejects.toThrow(TypeError)
    expect([await read(db, id), await saidAbout(db, id), reported.committed]).toEqual([
      undefined,
      [],
      0,
    ])
  })

  test('whose last statement or event fails leaves nothing', async () => {
    const { db, reported } = open()
    const id = newId()
    const below = db.tx(async tx => {
      await tx.run(put(id, 1))
      tx.emit(about(id))
      tx.atCommit(put(id, -1))
    })
    const refused: unknown = await below.catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SqlState)
    expect([violates(refused, 'thing_n'), violates(refused, 'thing_pkey')]).toEqual([true, false])
    const twice = open({
      outbox: ([event]) => (event ? [insertSaid(event), insertSaid(event)] : []),
    })
    const doubled = twice.db.tx(async tx => {
      await tx.run(put(id, 1))
      tx.emit(about(id))
    })
    await expect(doubled).rejects.toMatchObject({ code: '23505' })
    expect([await read(db, id), await saidAbout(db, id)]).toEqual([undefined, []])
    expect(reported.committed + twice.reported.committed).toBe(0)
  })

  test('gets the rows of a statement that is sent with COMMIT, and names its failure', async () => {
    const { db } = open()
    const id = newId()
    const seen: unknown[] = []
    const insert = (n: number) => sql`
      insert into public.thing (id, n) values (${id}, ${n}) returning n`
    await db.tx(async tx => {
      tx.atCommit(insert(5), { row: N, answered: rows => void seen.push(...rows) })
      tx.afterCommit(() => void seen.push('committed'))
      expect(seen).toEqual([])
    })
    expect(seen).toEqual([{ n: 5 }, 'committed'])
    const again = db.tx(async tx => {
      await tx.run(put(newId(), 1))
      const refused = (error: unknown) =>
        violates(error, 'thing_pkey') ? new TypeError('there is one') : error
      tx.atCommit(insert(6), { row: N, answered: rows => void seen.push(...rows), refused })
    })
    await expect(again).rejects.toThrow('there is one')
    expect(seen).toHaveLength(2)
  })

  test('in which a statement failed is not committed, even if the error was caught', async () => {
    const { db } = open()
    const id = newId()
    const work = db.tx(async tx => {
      await tx.run(put(id, 1))
      await tx.run(sql`select 1 / 0`).catch(() => {})
    })
    await expect(work).rejects.toThrow('rolled back')
    expect(await read(db, id)).toBeUndefined()
    expect(db.load()).toMatchObject({ total: 1, idle: 1 })
  })

  test('used after its end is an error, however it ended', async () => {
    const { db } = open()
    const kept: Tx[] = []
    const keep = async (tx: Tx) => void kept.push(tx)
    await db.tx(keep)
    await db.tx(async tx => {
      await keep(tx)
      await read(tx, newId())
    })
    const thrown = db.tx(async tx => {
      await keep(tx)
      throw new TypeError('changed my mind')
    })
    await expect(thrown).rejects.toThrow(TypeError)
    expect(kept).toHaveLength(3)
    for (const tx of kept) {
      await expect(tx.run(put(newId(), 1))).rejects.toThrow('after its end')
      await expect(read(tx, newId())).rejects.toThrow('after its end')
      await expect(tx.stream(N, sql`select 1 as n`).next()).rejects.toThrow('after its end')
      expect(() => tx.emit(about(newId()))).toThrow('after its end')
      expect(() => tx.atCommit(put(newId(), 1))).toThrow('after its end')
      expect(() => tx.afterCommit(() => {})).toThrow('after its end')
      expect(() => tx.audit('b', 'c')).toThrow('after its end')
    }
  })

  test('runs in the requested isolation level', async () => {
    const { db } = open()
    const Level = Type.Object({ level: Type.String() })
    const level = (tx: Tx) =>
      tx.one(Level, sql`select current_setting('transaction_isolation') as level`)
    const asked = ['read committed', 'repeatable read', 'serializable'] as const
    for (const isolation of asked) {
      expect(await db.tx(level, { isolation })).toEqual({ level: isolation })
    }
    expect(await db.tx(level)).toEqual({ level: 'read committed' })
  })

  test('streams rows in portions, one stream after the other on one connection', async () => {
    const { db } = open({ pool: 1 })
    const portions = (count: number, portion?: number) =>
      db.tx(async tx => {
        const rows = sql`select g as n from generate_series(1, ${count}::int) g`
        const found: number[][] = []
        for await (const part of tx.stream(N, rows, portion)) found.push(part.map(row => row.n))
        // Other columns through the same cursor.
        const Other = Type.Object({ word: Type.String(), at: Type.String() })
        for await (const part of tx.stream(Other, sql`select 'a' as word, now() as at`, portion)) {
          expect(part).toHaveLength(1)
        }
        return found
      })
    expect(await portions(0)).toEqual([])
    expect((await portions(1250)).map(part => part.length)).toEqual([500, 500, 250])
    expect((await portions(1000)).map(part => part.length)).toEqual([500, 500])
    expect(await portions(5, 2)).toEqual([[1, 2], [3, 4], [5]])
    await expect(
      db.tx(async tx => {
        for await (const _ of tx.stream(Type.Object({ n: Type.String() }), sql`select 1 as n`));
      }),
    ).rejects.toThrow('does not fit')
  })

  test('may leave a stream early, and read two side by side', async () => {
    const { db } = open({ pool: 1 })
    const rows = sql`select g as n from generate_series(1, 10) g`
    const seen = await db.tx(async tx => {
      const found: number[] = []
      for (const _ of [1, 2]) {
        for await (const [first] of tx.stream(N, rows, 2)) {
          found.push(first?.n ?? 0)
          break
        }
      }
      for await (const outer of tx.stream(N, rows, 5)) {
        for await (const inner of tx.stream(N, rows, 9)) found.push(outer.length * inner.length)
      }
      return found
    })
    expect(seen).toEqual([1, 1, 45, 5, 45, 5])
  })
})

describe('work that met other work', () => {
  /** Changes the row from outside under a transaction that has read it and changes it too. */
  async function overtaken(times: number) {
    const { db, reported } = open()
    const other = open().db
    const id = newId()
    await db.run(put(id, 0))
    let attempts = 0
    const work = db.tx(
      async tx => {
        attempts++
        const seen = await read(tx, id)
        if (attempts <= times) await other.run(put(id, attempts * 10))
        await tx.run(put(id, (seen ?? 0) + 1))
        tx.emit(about(id))
      },
      { isolation: 'repeatable read' },
    )
    const failed: unknown = await work.then(
      () => null,
      (error: unknown) => error,
    )
    return { failed, attempts, n: await read(db, id), said: await saidAbout(db, id), reported }
  }

  test('is done again after a serialization failure, and its event is said once', async () => {
    const found = await overtaken(3)
    expect(found).toMatchObject({ failed: null, attempts: 4, n: 31, reported: { committed: 1 } })
    expect(found.said).toHaveLength(1)
  })

  test('is given up after three repetitions', async () => {
    const { failed, ...found } = await overtaken(99)
    expect(failed).toMatchObject({ name: 'SqlState', code: '40001' })
    expect(isUnavailable(failed)).toBe(true)
    expect(found).toMatchObject({ attempts: 4, n: 40, said: [], reported: { committed: 0 } })
  })

  test('is done again after a deadlock', async () => {
    const { db } = open()
    const ids = [newId(), newId()] as const
    for (const id of ids) await db.run(put(id, 0))
    let attempts = 0
    let bothHold = () => {}
    const both = new Promise<void>(resolve => (bothHold = resolve))
    const add = (id: string) => sql`update public.thing set n = n + 1 where id = ${id}`
    const cross = (first: string, second: string) =>
      db.tx(async tx => {
        attempts++
        await tx.run(add(first))
        if (attempts === 2) bothHold()
        await both
        await tx.run(add(second))
      })
    await Promise.all([cross(ids[0], ids[1]), cross(ids[1], ids[0])])
    expect([await read(db, ids[0]), await read(db, ids[1]), attempts]).toEqual([2, 2, 3])
  })

  test('is not done again after any other error', async () => {
    const { db } = open()
    let attempts = 0
    const work = db.tx(async tx => {
      attempts++
      await tx.run(put(newId(), -1))
    })
    await expect(work).rejects.toMatchObject({ code: '23514', constraint: 'thing_n' })
    expect(attempts).toBe(1)
  })
})
