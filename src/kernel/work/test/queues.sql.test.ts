/** Queues as a whole: over several processes, behind a fence, and in the hands of an operator. */
import { expect, test } from 'vitest'
import { sql } from '../../database/sql.ts'
import { newId, nil_id } from '../../ids.ts'
import { count, eventually, openWorld } from '../../events/test/process.ts'
import { done } from '../due-queue.ts'
import { countQueue, redriveQueue } from '../operate-queues.ts'
import { here, put, queueOf, settled, stateOf, useTasks, working } from './tasks.ts'

useTasks()

test('two processes do each row once, a few at a time', async () => {
  const other = openWorld({ url: here.url, work: false, pool: 10 })
  await other.events.start()
  const ids = await Promise.all(Array.from({ length: 100 }, () => put()))
  const runs: string[] = []
  const running = { now: 0, most: 0 }
  const run = async (row: { id: string }) => {
    running.most = Math.max(running.most, ++running.now)
    runs.push(row.id)
    await new Promise(resolve => setImmediate(resolve))
    running.now--
    return done()
  }
  const left = () =>
    count(here.world.db, sql`from public.tasks where lot = ${here.lot} and due_at is not null`)
  await working({ run }, () =>
    working({ run }, () => eventually(async () => (await left()) === 0), other),
  )
  expect(runs.toSorted()).toEqual(ids.toSorted())
  expect(running.most).toBeLessThanOrEqual(10)
  await other.stop()
})

test('a fence holds all claims while it is closed', async () => {
  const id = await put()
  let open = false
  let asked = 0
  const fence = () => {
    asked++
    return Promise.resolve(open)
  }
  await working({ fence }, async () => {
    await eventually(() => asked > 1)
    expect(await stateOf(id)).toMatchObject({ attempts: 0 })
    open = true
    expect(await settled(id)).toMatchObject({ attempts: 1, due_in: null })
  })
})

test('the rows of a tenant that is held delay those of no other tenant', async () => {
  const held = newId()
  const { db } = here.world
  await db.run(sql`
    insert into kernel.tenant_states (tenant_id, state, reason) values (${held}, 'frozen', 'a test')`)
  await db.run(sql`
    create trigger hold before update on public.tasks for each row
      when (new.tenant_id <> '00000000-0000-0000-0000-000000000000')
      execute function kernel.hold_tenant('skip')`)
  // They have waited longer, and are more than one claim takes.
  const waiting = await Promise.all(Array.from({ length: 20 }, () => put({ tenant_id: held })))
  const id = await put()
  await working({}, () => settled(id))
  expect(await stateOf(waiting[0] ?? '')).toMatchObject({ attempts: 0 })
  await db.run(sql`drop trigger hold on public.tasks`)
  await db.run(sql`delete from kernel.tenant_states`)
  await working({}, () => Promise.all(waiting.map(settled)))
})

test('an operator sees what is due, waiting and dead, and makes the dead due again', async () => {
  const ids = [await put(), await put()]
  await put()
  await here.world.db.run(sql`
    update public.tasks set due_at = kernel.now() + interval '1 hour' where id = ${ids[0]}`)
  await here.world.db.run(sql`
    update public.tasks set due_at = null, attempts = 3, last_error_code = 'busy'
    where id = ${ids[1]}`)
  // Counts are of the whole table, so it holds only these rows.
  await here.world.db.run(sql`delete from public.tasks where lot <> ${here.lot}`)
  const redriven_rows: unknown[] = []
  const queue = queueOf({
    redriven: (_tx, rows) => Promise.resolve(void redriven_rows.push(...rows)),
  })
  expect(await countQueue(here.world.db, queue)).toMatchObject({
    due: 1,
    later: 1,
    leased: 0,
    dead: 1,
  })
  const by = { actor: 'cli:test', reason: 'the vendor is back', limit: 10 }
  expect(await redriveQueue(here.world.db, queue, by)).toBe(1)
  expect(redriven_rows).toEqual([{ tenant_id: nil_id, id: ids[1] }])
  expect(await stateOf(ids[1] ?? '')).toMatchObject({ attempts: 0, code: null })
  expect(await countQueue(here.world.db, queue)).toMatchObject({ due: 2, dead: 0 })
  expect(
    await count(here.world.db, sql`from kernel.audit_events where target = ${queue.name}`),
  ).toBe(1)
  expect(await redriveQueue(here.world.db, queue, by)).toBe(0)
})
