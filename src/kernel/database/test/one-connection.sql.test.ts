/** A transaction that waits for a second connection is found in development and in tests. */
import { expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { open, put, read, useDatabase } from './doors.ts'

useDatabase()

test('a transaction does not wait for a second connection', async () => {
  const { db } = open()
  const id = newId()
  const second = {
    read: () => read(db, id),
    write: () => db.run(put(id, 1)),
    transaction: () => db.tx(tx => tx.run(put(id, 1))),
  }
  for (const ask of Object.values(second)) {
    const work = db.tx(async tx => {
      await tx.run(put(newId(), 1))
      await ask()
    })
    await expect(work).rejects.toThrow('use its `tx`')
  }
  // Work that goes on after its transaction, and work after the commit, may.
  let later: Promise<number | undefined> | undefined
  await db.tx(async tx => {
    const committed = new Promise<void>(resolve => tx.afterCommit(resolve))
    later = committed.then(() => read(db, id))
    await tx.run(put(id, 2))
    tx.afterCommit(async () => {
      await db.run(put(id, 3))
    })
  })
  await later
  expect(await read(db, id)).toBe(3)
})
