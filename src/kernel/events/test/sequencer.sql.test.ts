/** Positions: gapless, given once, never held up by a transaction that stays open. */
import type pg from 'pg'
import { Type } from 'typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { directClient } from '../../database/direct.ts'
import { newId } from '../../ids.ts'
import { lead, sequence, sequence_text, type Leading } from '../log/assign-positions.ts'
import {
  changed,
  count,
  emit,
  eventually,
  openWorld,
  stopAutovacuum,
  tenant_id,
} from './process.ts'

let ground: Clone
beforeEach(async () => {
  ground = await cloneDatabase()
})
afterEach(() => ground.drop())

/** A client whose transactions may stay open as long as a test needs them. */
async function connected(): Promise<pg.Client> {
  const client = directClient(ground.url, 'test')
  await client.connect()
  await client.query('set statement_timeout = 0')
  await client.query('set idle_in_transaction_session_timeout = 0')
  return client
}

const fill = (from: number, to: number) => `
  with begun as materialized (select pg_current_xact_id() as xid)
  insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
    aggregate_id, aggregate_version, payload)
  select overlay(gen_random_uuid()::text placing left(kernel.first_id_of(now())::text, 13) from 1)::uuid,
    '${tenant_id}', 'thing.changed', 1, 'thing',
    md5((g % 100)::text)::uuid, g, '{"n": 1}'
  from begun, generate_series(${from}, ${to}) g where xid is not null`

test('events of others flow while a writer stays open, and its own come after its commit', async () => {
  const heard: string[] = []
  const world = openWorld({
    url: ground.url,
    consumers: [
      {
        name: 'ear',
        events: 'all',
        run: async (tx, event) => tx.afterCommit(() => heard.push(event.aggregate_id)),
      },
    ],
  })
  await world.events.start()
  const [late, rolled] = [newId(), newId()]
  const others = Array.from({ length: 50 }, newId)
  const writer = await connected()
  const undone = await connected()
  for (const [client, id] of [
    [writer, late],
    [undone, rolled],
  ] as const) {
    await client.query('begin')
    await client.query(fill(1, 3).replace(`md5((g % 100)::text)::uuid`, `'${id}'::uuid`))
  }
  for (const id of others) await emit(world.db, changed(id, 1))
  await eventually(() => heard.length === others.length)
  expect(heard).not.toContain(late)
  await undone.query('rollback')
  await writer.query('commit')
  await eventually(() => heard.filter(id => id === late).length === 3)
  expect(new Set(heard)).toEqual(new Set([...others, late]))
  const positions = await world.db.many(
    Type.Object({ position: Type.Integer() }),
    sql`select position from kernel.events order by position`,
  )
  expect(positions.map(row => row.position)).toEqual(heard.map((_, index) => index + 1))
  await writer.end()
  await undone.end()
  await world.stop()
})

/** Transactions are numbered for the whole server: one in another database may still be the oldest. */
const forgotten = (leader: pg.Client, state: Leading) =>
  eventually(async () => {
    expect(await sequence(leader, state)).toBe(0)
    return state.gaps.ranges.length === 0
  })

test('rolled-back numbers are dropped once no transaction can own them', async () => {
  const leader = await connected()
  const state = await lead(leader)
  const [writer, other] = [await connected(), await connected()]
  await writer.query('begin')
  await writer.query(fill(1, 5))
  await other.query(fill(6, 6))
  expect(await sequence(leader, state)).toBe(1)
  expect(state.gaps.ranges).toMatchObject([{ low: 1, high: 5 }])
  await sequence(leader, state)
  expect(state.gaps.ranges).toHaveLength(1)
  await writer.query('rollback')
  await forgotten(leader, state)
  for (const client of [leader, writer, other]) await client.end()
})

test('a new leader finds what was written, and still open, before it led', async () => {
  const writer = await connected()
  await writer.query('begin')
  await writer.query(fill(1, 5))
  const other = await connected()
  await other.query(fill(6, 1500))
  const leader = await connected()
  const state = await lead(leader)
  expect([await sequence(leader, state), await sequence(leader, state)]).toEqual([500, 500])
  await writer.query('commit')
  const rest = [await sequence(leader, state), await sequence(leader, state)]
  expect(rest).toEqual([500, 0])
  await forgotten(leader, state)
  expect(state.position).toBe(1500)
  for (const client of [leader, writer, other]) await client.end()
})

test('the youngest of all transactions may own a number that is not there yet', async () => {
  const [older, youngest, leader] = [await connected(), await connected(), await connected()]
  // Of the two that run, the one with the later transaction id has the earlier number.
  await older.query('begin')
  await older.query('select pg_current_xact_id()')
  await youngest.query('begin')
  await youngest.query(fill(1, 3))
  const state = await lead(leader)
  await older.query(fill(4, 4))
  await older.query('commit')
  expect(await sequence(leader, state)).toBe(1)
  await older.query('begin')
  await older.query('select pg_current_xact_id()')
  const last = await connected()
  await last.query('begin')
  await last.query(fill(5, 6))
  await older.query(fill(7, 7))
  await older.query('commit')
  expect(await sequence(leader, state)).toBe(1)
  expect(await sequence(leader, state)).toBe(0)
  await youngest.query('commit')
  expect(await sequence(leader, state)).toBe(3)
  await last.query('commit')
  expect(await sequence(leader, state)).toBe(2)
  expect(state.position).toBe(7)
  for (const client of [older, youngest, leader, last]) await client.end()
})

test('a leader whose connection ends is followed by another, and no position is given twice', async () => {
  const worlds = [openWorld({ url: ground.url }), openWorld({ url: ground.url })]
  const [first] = worlds
  if (!first) throw new Error('no world')
  for (const world of worlds) await world.events.start()
  const sequenced = (n: number) =>
    eventually(async () => (await count(first.db, sql`from kernel.events`)) === n)
  for (let round = 1; round <= 3; round++) {
    await first.db.run(sql`
      select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and l.objid = 5330114 and l.granted
        and d.datname = current_database()`)
    for (let i = 0; i < 20; i++) await emit(first.db, changed(newId(), 1))
    await sequenced(round * 20)
  }
  expect(await count(first.db, sql`from kernel.events where position > 60`)).toBe(0)
  for (const world of worlds) await world.stop()
})

type Plan = {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

test('a batch costs the same after 100,000 events behind an open transaction as before', async () => {
  await stopAutovacuum(ground.url)
  const reader = await connected()
  await reader.query('begin isolation level repeatable read')
  await reader.query('select count(*) from kernel.outbox_events')
  const [leader, writer] = [await connected(), await connected()]
  const state = await lead(leader)

  // The pages that one batch touches, in a transaction that is rolled back.
  const pages = async (from: number): Promise<number> => {
    await writer.query(fill(from, from + 499))
    await leader.query('begin')
    const { rows } = await leader.query(
      `explain (analyze, buffers, format json) ${sequence_text}`,
      [
        state.place,
        state.position,
        state.gaps.ranges.map(gap => gap.low),
        state.gaps.ranges.map(gap => gap.high),
        state.gaps.last,
      ],
    )
    await leader.query('rollback')
    const plan: Plan = rows[0]['QUERY PLAN'][0].Plan
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }

  await writer.query(fill(1, 1000))
  await sequence(leader, state)
  await sequence(leader, state)
  const at_first = await pages(1001)
  await writer.query(fill(1501, 100_500))
  while ((await sequence(leader, state)) > 0);
  expect(state.position).toBe(100_500)
  const at_last = await pages(100_501)
  expect(at_last).toBeLessThan(at_first * 1.5 + 200)
  for (const client of [reader, leader, writer]) await client.end()
})
