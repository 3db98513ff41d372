/** Connections are shared, may break at any moment, and carry together what belongs together. */
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId } from '../../ids.ts'
import type { Db } from '../db.ts'
import { directClient } from '../direct.ts'
import { DatabaseBusy, isUnavailable } from '../failures.ts'
import { sql } from '../sql.ts'
import { about, databaseUrl, open, put, read, saidAbout, useDatabase } from './doors.ts'
import { openHeldLine } from './held-line.ts'

useDatabase()

/** Changes what a new connection begins with. */
async function alterRole(how: string): Promise<void> {
  const { pathname } = new URL(databaseUrl())
  const client = directClient(databaseUrl(), 'test')
  await client.connect()
  await client.query('set default_transaction_read_only = off')
  await client.query(`alter role current_user in database ${pathname.slice(1)} ${how}`)
  await client.end()
}

describe('connections', () => {
  test('that are all in use make others wait, and then come back', async () => {
    const { db, reported } = open({ pool: 1, wait_ms: 1000 })
    await db.run(sql`select 1`)
    const before = reported.waited
    const all = Promise.withResolvers<undefined>()
    const busy = db.tx(async tx => {
      await tx.run(sql`select 1`)
      await all.promise
    })
    const refused: unknown = await db.run(sql`select 2`).catch((error: unknown) => error)
    all.resolve(undefined)
    await busy
    expect(refused).toBeInstanceOf(DatabaseBusy)
    expect(isUnavailable(refused)).toBe(true)
    expect(reported.waited).toBe(before + 1)
    expect(await db.run(sql`select 3`)).toBe(1)
  })

  test('that break in use or at rest end no process, and are replaced', async () => {
    const { db, reported } = open({ pool: 1 })
    const other = open({ pool: 1 }).db
    const Pid = Type.Object({ pid: Type.Integer() })
    const own = sql`select pg_backend_pid() as pid`
    const end = (pid: number) => other.run(sql`select pg_terminate_backend(${pid}::int, 5000)`)
    const id = newId()
    const broken: unknown = await db
      .tx(async tx => {
        await tx.run(put(id, 1))
        await end((await tx.one(Pid, own)).pid)
        await tx.run(put(id, 2))
      })
      .catch((error: unknown) => error)
    expect(isUnavailable(broken)).toBe(true)
    expect(await read(other, id)).toBeUndefined()
    await eventually('the end is reported', () => reported.lost.length > 0)
    const { pid } = await db.one(Pid, own)
    const lost = reported.lost.length
    await end(pid)
    await eventually('the other end is reported', () => reported.lost.length > lost)
    expect((await db.one(Pid, own)).pid).not.toBe(pid)
    expect(reported.lost).toHaveLength(lost + 1)
    expect(db.load()).toEqual({ total: 1, idle: 1, waiting: 0 })
  })

  test('that ended with their statement are not used again', async () => {
    const { db } = open({ pool: 1 })
    for (let round = 0; round < 5; round++) {
      const ended = db.run(sql`select pg_terminate_backend(pg_backend_pid())`)
      await expect(ended).rejects.toMatchObject({ code: '57P01' })
      expect(await db.run(sql`select 1`)).toBe(1)
      const broken = db.tx(tx => tx.run(sql`select pg_terminate_backend(pg_backend_pid())`))
      await expect(broken).rejects.toMatchObject({ code: '57P01' })
      expect(await db.run(sql`select 1`)).toBe(1)
    }
  })

  test('to a standby are not used again', async () => {
    const id = newId()
    const writes = [
      (db: Db) => db.run(put(id, 1)),
      (db: Db) => db.tx(tx => tx.run(put(id, 1))),
    ] as const
    for (const write of writes) {
      const { db } = open({ pool: 1 })
      // From here on a new connection takes no writes, as one that is made in a fail-over.
      await alterRole('set default_transaction_read_only = on')
      const refused: unknown = await write(db).catch((error: unknown) => error)
      await alterRole('reset default_transaction_read_only')
      expect(refused).toMatchObject({ code: '25006' })
      expect(isUnavailable(refused)).toBe(true)
      expect(await write(db)).toBe(1)
    }
  })

  test('of an operator have no time limit, whatever the role has', async () => {
    await alterRole(`set statement_timeout = '5s'`)
    const Limit = Type.Object({ limit: Type.String() })
    const limit = sql`select current_setting('statement_timeout') as limit`
    expect(await open().db.one(Limit, limit)).toEqual({ limit: '5s' })
    expect(await open({ unhurried: true }).db.one(Limit, limit)).toEqual({ limit: '0' })
    await alterRole('reset statement_timeout')
  })

  test('behind a pooler carry one read at a time', async () => {
    const Pid = Type.Object({ pid: Type.Integer() })
    const { db } = open({ pool: 4, pooled: true })
    const reads = Array.from({ length: 4 }, () => db.one(Pid, sql`select pg_backend_pid() as pid`))
    expect(new Set((await Promise.all(reads)).map(({ pid }) => pid)).size).toBe(4)
  })

  test('carry BEGIN with the first statement, and events, outcome and COMMIT in one turn', async () => {
    await using line = await openHeldLine(databaseUrl())
    const { db } = open({ url: line.url, pool: 1 })
    const id = newId()
    await db.run(sql`select 1`)
    line.turns()
    line.holdUntil('the first')
    await db.tx(async tx => {
      await tx.run(sql`select 'the first'`)
      expect(line.turns()).toBe(1)
      await tx.run(put(id, 1))
      expect(line.turns()).toBe(1)
      tx.emit(about(id))
      tx.atCommit(sql`update public.thing set n = 7 where id = ${id}`)
      line.holdUntil('commit\0')
    })
    expect(line.turns()).toBe(1)
    expect([await read(db, id), (await saidAbout(db, id)).length]).toEqual([7, 1])
  })
})
