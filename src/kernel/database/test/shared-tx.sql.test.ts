/** Works of several callers in one transaction: what they share, and what they must not. */
import { setImmediate as turn } from 'node:timers/promises'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { workContext } from '../../observability/context.ts'
import type { Db, Tx } from '../db.ts'
import type { BufferedEvent } from '../drafts.ts'
import { violates } from '../failures.ts'
import { openSharedTx, type SharedTx } from '../shared-tx.ts'
import { sql } from '../sql.ts'
import { about, insertSaid, open, put, read, saidAbout, useDatabase } from './doors.ts'

useDatabase()

const Transaction = Type.Object({ id: Type.String() })
const transactionOf = async (tx: Tx) =>
  (await tx.one(Transaction, sql`select pg_current_xact_id()::text as id`)).id
const group = 'test'
const tenants = (many: number) => Array.from({ length: many }, newId)

/** Holds both places of the group until `end`, so that what follows arrives together. */
function occupied(share: SharedTx) {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const held = [1, 2].map(async () => {
    await turn()
    return await share({ group, tenant_id: newId() }, async tx => {
      await transactionOf(tx)
      await promise
    })
  })
  const end = async () => {
    resolve(undefined)
    await Promise.all(held)
  }
  return { end }
}

async function together<T>(db: Db, works: (share: SharedTx) => Promise<T>[]) {
  const share = openSharedTx(db)
  const first = share({ group, tenant_id: newId() }, transactionOf)
  await first
  const places = occupied(share)
  await turn()
  await turn()
  const all = Promise.allSettled(works(share))
  await places.end()
  return await all
}

test('works that arrive while others commit share a transaction; each gets its own result', async () => {
  const { db } = open()
  const ids = tenants(10)
  const found = await together(db, share =>
    ids.map(tenant_id =>
      share({ group, tenant_id }, async tx => {
        await tx.run(put(tenant_id, 1))
        return `${tenant_id} ${await transactionOf(tx)}`
      }),
    ),
  )
  const said = found.map(one => (one.status === 'fulfilled' ? one.value.split(' ') : []))
  expect(said.map(([id]) => id)).toEqual(ids)
  expect(new Set(said.map(([, transaction]) => transaction)).size).toBeLessThanOrEqual(2)
  expect(await Promise.all(ids.map(id => read(db, id)))).toEqual(ids.map(() => 1))
})

test('a work that fails, by itself or with COMMIT, takes no other along', async () => {
  const { db, reported } = open()
  const [good, bad, late, other] = tenants(4) as [string, string, string, string]
  const after: string[] = []
  const kept = (tx: Tx, id: string) => {
    tx.emit(about(id))
    tx.afterCommit(() => after.push(id))
    return tx.run(put(id, 1))
  }
  const found = await together(db, share => [
    share({ group, tenant_id: good }, tx => kept(tx, good)),
    share({ group, tenant_id: bad }, async tx => {
      await kept(tx, bad)
      throw new TypeError('changed my mind')
    }),
    share({ group, tenant_id: late }, async tx => {
      await kept(tx, late)
      tx.atCommit(put(newId(), -1), {
        refused: error => (violates(error, 'thing_n') ? new RangeError('too little') : error),
      })
    }),
    share({ group, tenant_id: other }, tx => kept(tx, other)),
  ])
  expect(found.map(one => (one.status === 'rejected' ? String(one.reason) : 'done'))).toEqual([
    'done',
    'TypeError: changed my mind',
    'RangeError: too little',
    'done',
  ])
  const all = [good, bad, late, other]
  expect(await Promise.all(all.map(id => read(db, id)))).toEqual([1, undefined, undefined, 1])
  expect((await Promise.all(all.map(id => saidAbout(db, id)))).map(one => one.length)).toEqual([
    1, 0, 0, 1,
  ])
  expect(after.toSorted()).toEqual([good, other].toSorted())
  expect(reported.committed).toBe(2)
})

test('a tenant that failed is alone afterwards', async () => {
  const { db } = open()
  const [bad = '', ...good] = tenants(6)
  const found = await together(db, share => {
    const fails = share({ group: 'before', tenant_id: bad }, async () => {
      await turn()
      throw new Error('refused')
    })
    const ask = (tenant_id: string) => share({ group, tenant_id }, transactionOf)
    return [
      fails.catch(async () => await ask(bad)),
      ...good.map(async id => {
        await fails.catch(() => {})
        return await ask(id)
      }),
    ]
  })
  const [own, ...others] = found.map(one => (one.status === 'fulfilled' ? one.value : ''))
  expect(others).not.toContain(own)
  expect(new Set(others).size).toBeLessThan(good.length)
})

test('each event keeps the trace of its own work', async () => {
  const written: BufferedEvent[] = []
  const { db } = open({
    outbox: events => {
      written.push(...events)
      return events.map(insertSaid)
    },
  })
  const ids = tenants(3)
  const contextOf = (id: string) => ({
    request_id: id,
    traceparent: `trace ${id}`,
    name: `of ${id}`,
  })
  await together(db, share =>
    ids.map(id =>
      workContext.run(contextOf(id), () =>
        share({ group, tenant_id: id }, async tx => {
          await tx.run(put(id, 1))
          tx.emit(about(id))
        }),
      ),
    ),
  )
  const traces = new Map(written.map(one => [one.tenant_id, [one.traceparent, one.written_by]]))
  expect(ids.map(id => traces.get(id))).toEqual(ids.map(id => [`trace ${id}`, `of ${id}`]))
})

test('two processes that share works of the same tenants do not wait for each other in a circle', async () => {
  const doors = [open().db, open().db]
  const ids = tenants(12)
  for (const id of ids) await doors[0]?.run(put(id, 0))
  const deadlocks = () =>
    doors[0]?.one(
      Type.Object({ many: Type.Integer() }),
      sql`select deadlocks::int as many from pg_stat_database where datname = current_database()`,
    )
  const before = await deadlocks()
  const raise = (id: string) => sql`update public.thing set n = n + 1 where id = ${id}`
  // As a call locks the limits of its tenant when it begins, and when it ends.
  const moments = doors
    .map(openSharedTx)
    .flatMap(share => [[share, 'first'] as const, [share, 'commit'] as const])
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      moments.flatMap(([share, locks]) =>
        ids
          .toSorted(() => Math.random() - 0.5)
          .map((tenant_id, at) =>
            share({ group: locks, tenant_id }, async tx => {
              // Some begin later than others.
              for (let n = 0; n < at % 3; n++) await Promise.resolve()
              if (locks === 'first') await tx.run(raise(tenant_id))
              else tx.atCommit(raise(tenant_id))
            }),
          ),
      ),
    )
  }
  const rows = await Promise.all(ids.map(id => read(doors[0] as Db, id)))
  expect(rows).toEqual(ids.map(() => 80))
  expect(await deadlocks()).toEqual(before)
})
