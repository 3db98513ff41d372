/** A part of a transaction fails alone: nothing of it stays, and the rest commits. */
import { expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import type { Tx } from '../db.ts'
import { about, open, put, read, saidAbout, useDatabase } from './doors.ts'

useDatabase()

test('a part that throws leaves no row, no event, no work; the rest commits', async () => {
  const { db, reported } = open()
  const [kept, lost, later] = [newId(), newId(), newId()]
  const ran: string[] = []
  await db.tx(async tx => {
    await tx.run(put(kept, 1))
    tx.emit(about(kept))
    const part = tx.savepoint(async inner => {
      await inner.run(put(lost, 1))
      inner.emit(about(lost))
      inner.wake('lost')
      inner.afterCommit(() => ran.push('lost'))
      inner.atCommit(put(newId(), -1))
      // The statement fails in PostgreSQL, so that without the savepoint all would be lost.
      await inner.run(put(lost, -1))
    })
    await expect(part).rejects.toThrow(/thing_n/)
    await tx.savepoint(async inner => {
      await inner.run(put(later, 1))
      inner.emit(about(later))
      inner.afterCommit(() => ran.push('later'))
    })
  })
  expect([await read(db, kept), await read(db, lost), await read(db, later)]).toEqual([
    1,
    undefined,
    1,
  ])
  expect(await saidAbout(db, lost)).toEqual([])
  expect([(await saidAbout(db, kept)).length, (await saidAbout(db, later)).length]).toEqual([1, 1])
  expect([ran, reported.committed]).toEqual([['later'], 1])
})

test('parts at the same time, and statements beside them, do not take each other along', async () => {
  const { db } = open()
  const ids = Array.from({ length: 6 }, newId) as [string, ...string[]]
  await db.tx(async tx => {
    const part = (id: string, fails: boolean) =>
      tx
        .savepoint(async inner => {
          await Promise.all([
            inner.run(put(id, 1)),
            inner.savepoint(deep => deep.run(put(newId(), 1))),
          ])
          if (fails) throw new Error('refused')
        })
        .catch(() => 0)
    await Promise.all(
      ids.map((id, at) => (at % 3 === 2 ? tx.run(put(id, 1)) : part(id, at % 3 === 1))),
    )
  })
  expect(await Promise.all(ids.map(id => read(db, id)))).toEqual([1, undefined, 1, 1, undefined, 1])
})

test('a part inside a part goes with it', async () => {
  const { db } = open()
  const [outer, inner] = [newId(), newId()]
  await db.tx(async tx => {
    const part = tx.savepoint(async one => {
      await one.savepoint(async two => {
        await two.run(put(inner, 1))
        two.emit(about(inner))
      })
      await one.run(put(outer, 1))
      throw new Error('refused')
    })
    await expect(part).rejects.toThrow('refused')
  })
  expect([await read(db, outer), await read(db, inner)]).toEqual([undefined, undefined])
  expect(await saidAbout(db, inner)).toEqual([])
})

test('a part ends with itself and with the transaction, and a commit waits for it', async () => {
  const { db } = open()
  const [id, late] = [newId(), newId()]
  let left: Tx | undefined
  await db.tx(async tx => {
    await tx.savepoint(inner => {
      left = inner
      return Promise.resolve()
    })
    await expect(left?.run(put(late, 1))).rejects.toThrow('after its end')
    void tx.savepoint(inner => inner.run(put(id, 1)))
  })
  expect([await read(db, id), await read(db, late)]).toEqual([1, undefined])
  const gate = Promise.withResolvers<undefined>()
  let part: Promise<number> | undefined
  const failed = db.tx(async tx => {
    part = tx.savepoint(async inner => {
      await gate.promise
      return await inner.run(put(late, 1))
    })
    part.catch(() => {})
    await tx.savepoint(() => Promise.resolve()).catch(() => {})
  })
  void failed.catch(() => {})
  gate.resolve(undefined)
  await failed
  expect(await part).toBe(1)
  const stopped = Promise.withResolvers<undefined>()
  const other = db.tx(tx => {
    part = tx.savepoint(async inner => {
      await stopped.promise
      return await inner.run(put(newId(), 1))
    })
    part.catch(() => {})
    return Promise.reject(new Error('stopped'))
  })
  await expect(other).rejects.toThrow('stopped')
  stopped.resolve(undefined)
  await expect(part).rejects.toThrow('after its end')
})
