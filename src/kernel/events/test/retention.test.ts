/** What retention removes and what it must leave; read models that are made again beside the live one. */
import { Type } from 'typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import type { Consumer } from '../../surface.ts'
import { rebuild } from '../consumers/projections.ts'
import { retain as retainAll } from '../../work/retention.ts'
import { kernelRetention } from '../log/retention.ts'
import { changed, count, emit, eventually, openWorld, tenant_id, type World } from './process.ts'

let ground: Clone
let world: World
beforeEach(async () => {
  ground = await cloneDatabase()
})
afterEach(async () => {
  await world.stop()
  await ground.drop()
})

const never = new AbortController().signal
const settings = { 'kernel.events_retention_days': 30, 'kernel.inbox_retention_days': 35 }
const retain = (...consumers: string[]) =>
  retainAll(world, kernelRetention({ consumers, settings }), never)
const parts = (like: string) =>
  count(world.db, sql`from pg_class where relname like ${like} and relkind = 'r'`)

test('a partition of the log goes when every cursor and park has passed it and it is old', async () => {
  world = openWorld({ url: ground.url, work: false })
  const { db } = world
  const put = (position: number, days: number) =>
    db.run(sql`
    insert into kernel.events (position, id, tenant_id, type, schema_version, aggregate_type,
      aggregate_id, aggregate_version, payload, occurred_at, created_at, lane)
    values (${position}, ${newId()}, ${tenant_id}, 'thing.changed', 1, 'thing', ${newId()}, 1, '{}',
      now(), now() - make_interval(days => ${days}::int), 0)`)
  await db.run(sql`update kernel.event_counter set position = 9999999`)
  await db.run(sql`select kernel.prepare_event_partitions(5000000)`)
  await put(4_999_999, 40)
  await put(9_999_999, 29)
  await db.run(
    sql`insert into kernel.event_consumers (consumer, lane, position) values ('reader', 0, 10)`,
  )
  const before = await parts('events\\_p%')
  expect(before).toBe(3)

  await retain('reader')
  expect(await parts('events\\_p%')).toBe(3)
  await db.run(sql`update kernel.event_consumers set position = 9999999`)
  const park = newId()
  await db.run(sql`
    insert into kernel.event_parks (id, consumer, lane, tenant_id, aggregate_id, event_id,
      first_position, attempts, next_attempt_at, last_error_code, state)
    values (${park}, 'reader', 0, ${newId()}, ${newId()}, ${newId()}, 77, 1, null, 'x', 'dead')`)
  await retain('reader')
  expect(await parts('events\\_p%')).toBe(3)
  await db.run(sql`delete from kernel.event_parks`)
  await retain('reader')
  expect(await parts('events\\_p%')).toBe(2)
  expect(await count(db, sql`from kernel.events`)).toBe(1)
})

test('cursors that no code has had for long do not hold the log; others do', async () => {
  world = openWorld({ url: ground.url, work: false })
  const { db } = world
  // The consumer `quiet` had no event for long; another release has it.
  await db.run(sql`
    insert into kernel.event_consumers (consumer, lane, created_at, leased_until, known_at)
    select consumer, 0, now() - interval '90 days', now() - interval '90 days',
      now() - make_interval(days => days)
    from (values ('gone', 31), ('quiet', 29), ('known', 31)) c (consumer, days)`)
  await retain('known')
  const left = sql`select consumer from kernel.event_consumers order by 1`
  const Name = Type.Object({ consumer: Type.String() })
  expect(await db.many(Name, left)).toEqual([{ consumer: 'known' }, { consumer: 'quiet' }])
  await retain('quiet')
  expect(await db.many(Name, left)).toEqual([{ consumer: 'known' }, { consumer: 'quiet' }])
})

test('a part of the log that cannot be dropped keeps nothing else', async () => {
  world = openWorld({ url: ground.url, work: false })
  const { db } = world
  await db.run(sql`
    create or replace function kernel.drop_event_partitions(older_than interval) returns int
      language sql return (1 / extract(epoch from interval '0'))::int`)
  await db.run(sql`insert into kernel.throttles values ('full', now() - interval '1 s')`)
  await retain()
  expect(await count(db, sql`from kernel.throttles`)).toBe(0)
})

test('weeks of the inbox go by age, and weeks ahead are made', async () => {
  world = openWorld({ url: ground.url, work: false })
  const { db } = world
  // The template may have been made in an earlier week.
  await db.run(sql`select kernel.drop_inbox_partitions(interval '0')`)
  const before = await parts('inbox\\_events\\_w%')
  await db.run(sql`update kernel.clock set offset_seconds = 50 * 86400`)
  await db.run(sql`select kernel.prepare_inbox_partitions(kernel.now() + interval '35 days')`)
  const made = await parts('inbox\\_events\\_w%')
  expect(made).toBeGreaterThan(before)
  // The first week has ended by the platform's clock, but ids are made by the real one.
  await db.run(sql`select kernel.drop_inbox_partitions(interval '35 days')`)
  expect(await parts('inbox\\_events\\_w%')).toBe(made)
  await db.run(sql`insert into kernel.inbox_events (consumer, event_id) values ('x', ${newId()})`)
  await db.run(sql`
    insert into kernel.inbox_events (consumer, event_id, processed_at)
    values ('x', '00000000-0000-7000-8000-000000000000', now() - interval '90 days')`)
  await retain()
  expect(await count(db, sql`from kernel.inbox_events`)).toBe(1)
})

test('a new consumer handles events whose week of the inbox was dropped', async () => {
  const handled: string[] = []
  const consumer: Consumer = {
    name: 'new',
    events: 'all',
    run: (_tx, event) => {
      handled.push(event.id)
      return Promise.resolve()
    },
  }
  world = openWorld({ url: ground.url, consumers: [consumer] })
  const { db } = world
  // As after 70 days: the part before the first week ends there, and later weeks were dropped.
  const Id = Type.Object({ id: Type.String() })
  const idOf = async (days: number) =>
    (await db.one(Id, sql`select kernel.first_id_of(now() - make_interval(days => ${days})) as id`))
      .id
  await db.run(sql`alter table kernel.inbox_events detach partition kernel.inbox_events_before`)
  await db.run(sql`
    do $$ begin
      execute format('alter table kernel.inbox_events attach partition kernel.inbox_events_before
        for values from (minvalue) to (%L)', kernel.first_id_of(now() - interval '70 days'));
    end $$`)
  await retain('new')
  const ids = await Promise.all([80, 50, 0].map(idOf))
  await emit(db, ...ids.map(id => ({ ...changed(newId(), 1), id })))
  await world.events.start()
  await eventually(async () => (await count(db, sql`from kernel.inbox_events`)) === ids.length)
  expect(handled.toSorted()).toEqual(ids.toSorted())
  expect(await count(db, sql`from kernel.event_parks`)).toBe(0)
})

test('expired outcomes and full throttles go, all others stay', async () => {
  world = openWorld({ url: ground.url, work: false })
  const { db } = world
  await db.run(sql`
    insert into kernel.idempotency_records (principal_id, operation, key, tenant_id, fingerprint,
      state, status, expires_at)
    select ${newId()}, 'op', 'key' || g, ${tenant_id}, decode(repeat('00', 32), 'hex'), 'completed',
      200, now() + case when g <= 2500 then interval '-1 hour' else interval '1 hour' end
    from generate_series(1, 2510) g`)
  await db.run(sql`
    insert into kernel.throttles (bucket, tat)
    values ('a', now() - interval '1 second'), ('b', now() + interval '1 hour')`)
  await retain()
  expect(await count(db, sql`from kernel.idempotency_records`)).toBe(10)
  expect(await count(db, sql`from kernel.throttles where bucket = 'b'`)).toBe(1)
  expect(await count(db, sql`from kernel.throttles`)).toBe(1)
})

/** Sums the numbers of each thing, into the live table or into one beside it. */
const summing = (table: 'sums' | 'sums_new'): Consumer => ({
  name: 'sums',
  events: ['thing.changed'],
  run: async (tx, event) => {
    const { n } = event.payload as { n: number }
    await tx.run(sql`
      insert into ${sql.id('public', table)} as s (id, sum, times) values (${event.aggregate_id}, ${n}, 1)
      on conflict (id) do update set sum = s.sum + excluded.sum, times = s.times + 1`)
  },
})

test('a rebuilt read model takes the place of the live one while events go on', async () => {
  world = openWorld({ url: ground.url, consumers: [summing('sums')] })
  const { db } = world
  const columns = sql`(id uuid primary key, sum bigint not null, times bigint not null)`
  await db.run(sql`create table public.sums ${columns}`)
  await db.run(sql`create table public.sums_new ${columns}`)
  await world.events.start()
  const things = Array.from({ length: 30 }, newId)
  let n = 0
  const emitAll = async () => {
    n++
    await emit(db, ...things.map(id => changed(id, n)))
  }
  for (let i = 0; i < 20; i++) await emitAll()
  await eventually(async () => (await count(db, sql`from kernel.inbox_events`)) === 600)
  // The live rows are wrong, which is why they are made again.
  await db.run(sql`update public.sums set sum = 0`)

  let done = false
  const progress: number[] = []
  const rebuilding = rebuild({
    db,
    consumer: summing('sums_new'),
    under: 'sums.rebuild',
    signal: never,
    progress: position => progress.push(position),
    swap: async tx => {
      await tx.run(sql`drop table public.sums`)
      await tx.run(sql`alter table public.sums_new rename to sums`)
    },
  }).then(() => (done = true))
  while (!done && n < 60) await emitAll()
  await rebuilding
  for (let i = 0; i < 5; i++) await emitAll()
  const complete = sql`from public.sums where times = ${n} and sum = ${(n * (n + 1)) / 2}`
  await eventually(async () => (await count(db, complete)) === things.length)
  expect(progress.length).toBeGreaterThan(0)
  expect(await count(db, sql`from kernel.event_consumers where consumer = 'sums.rebuild'`)).toBe(0)
})

test('a batch that began before a rebuild took over is not applied again after it', async () => {
  const [arrived, released] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()]
  const live = summing('sums')
  const held: Consumer = {
    ...live,
    run: async (tx, event) => {
      arrived.resolve(null)
      await released.promise
      await live.run?.(tx, event)
    },
  }
  world = openWorld({ url: ground.url, consumers: [held] })
  const { db } = world
  const columns = sql`(id uuid primary key, sum bigint not null, times bigint not null)`
  await db.run(sql`create table public.sums ${columns}`)
  await db.run(sql`create table public.sums_new ${columns}`)
  await world.events.start()
  const id = newId()
  await emit(db, changed(id, 1))
  await arrived.promise
  await rebuild({
    db,
    consumer: summing('sums_new'),
    under: 'sums.rebuild',
    signal: never,
    swap: async tx => {
      await tx.run(sql`drop table public.sums`)
      await tx.run(sql`alter table public.sums_new rename to sums`)
    },
  })
  await emit(db, changed(id, 2))
  const leased = sql`from kernel.event_consumers where consumer = 'sums' and lease_token is not null`
  await eventually(async () => (await count(db, leased)) > 0)
  released.resolve(null)
  const both = sql`from public.sums where times = 2 and sum = 3`
  expect(await eventually(async () => (await count(db, both)) === 1)).toBe(true)
})
