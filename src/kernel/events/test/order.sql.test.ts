/** Random concurrent writers, and leaders that lose their connection: every consumer sees 1..n. */
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import type { Consumer } from '../../surface.ts'
import { changed, count, eventually, openWorld, type World } from './process.ts'

let ground: Clone
beforeAll(async () => {
  ground = await cloneDatabase()
})
afterAll(() => ground.drop())

const Version = Type.Object({ version: Type.Integer() })
const Seen = Type.Object({ aggregate_id: Type.String(), version: Type.Integer() })

/** Writes down what it hears, in the transaction of its cursor. */
const scribe = (name: string, events: Consumer['events']): Consumer => ({
  name,
  events,
  run: async (tx, event) => {
    await tx.run(sql`
      insert into public.heard (consumer, aggregate_id, version)
      values (${name}, ${event.aggregate_id}, ${event.aggregate_version})`)
  },
})

test('versions per aggregate are heard without gap, swap or repeat', async () => {
  const consumers = [scribe('all', 'all'), scribe('changed', ['thing.changed'])]
  const worlds = [1, 2].map(() => openWorld({ url: ground.url, consumers }))
  const [first] = worlds as [World, World]
  await first.db.run(sql`
    create table public.thing (id uuid primary key, version bigint not null)`)
  await first.db.run(sql`
    create table public.heard (n bigint generated always as identity, consumer text,
      aggregate_id uuid, version bigint)`)
  for (const world of worlds) await world.events.start()

  const step = fc.record({
    thing: fc.nat(4),
    emits: fc.integer({ min: 1, max: 3 }),
    pause_ms: fc.nat(6),
    rollback: fc.boolean(),
  })
  const scripts = fc.array(fc.array(step, { minLength: 5, maxLength: 20 }), {
    minLength: 8,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(scripts, async writers => {
      const things = Array.from({ length: 5 }, newId)
      const seen = { done: false, steps: 0 }
      const stepped = () => void seen.steps++
      const writing = Promise.all(
        writers.map((steps, writer) => write(worlds[writer % 2] as World, things, steps, stepped)),
      ).finally(() => (seen.done = true))
      while (!seen.done) {
        await first.db.run(sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'dodeca-test sequencer' and datname = current_database()`)
        const next = seen.steps + 15
        await eventually(() => seen.done || seen.steps >= next)
      }
      await writing
      await compare(first, things)
    }),
    { numRuns: 6 },
  )
  expect(
    await count(
      first.db,
      sql`from kernel.event_counter c
      where c.position <> (select count(*) from kernel.events)
        or c.position <> (select coalesce(max(position), 0) from kernel.events)`,
    ),
  ).toBe(0)
  for (const world of worlds) await world.stop()
})

type Step = { thing: number; emits: number; pause_ms: number; rollback: boolean }

async function write(
  { db }: World,
  things: readonly string[],
  steps: readonly Step[],
  stepped: () => void,
) {
  for (const step of steps) {
    const id = things[step.thing] ?? ''
    const work = db.tx(async tx => {
      for (let i = 0; i < step.emits; i++) {
        const { version } = await tx.one(
          Version,
          sql`
            insert into public.thing (id, version) values (${id}, 1)
            on conflict (id) do update set version = thing.version + 1
            returning version`,
        )
        tx.emit(changed(id, version))
      }
      if (step.pause_ms > 0) await tx.run(sql`select pg_sleep(${step.pause_ms / 1000}::float8)`)
      // The numbers are taken, and then nothing comes of them.
      if (step.rollback) tx.atCommit(sql`select 1 / 0 from generate_series(1, 1)`)
    })
    const failed = await work.then(
      () => null,
      (error: unknown) => (error as { code?: string }).code,
    )
    expect(failed).toBe(step.rollback ? '22012' : null)
    stepped()
  }
}

async function compare({ db }: World, things: readonly string[]): Promise<void> {
  const expected = await db.many(
    Version,
    sql`select coalesce(sum(version), 0)::bigint as version from public.thing
      where id = any (${things}::uuid[])`,
  )
  const total = (expected[0]?.version ?? 0) * 2
  await eventually(async () => {
    const heard = await count(
      db,
      sql`from public.heard where aggregate_id = any (${things}::uuid[])`,
    )
    return heard >= total
  })
  for (const consumer of ['all', 'changed']) {
    const heard = await db.many(
      Seen,
      sql`select aggregate_id, version from public.heard
        where consumer = ${consumer} and aggregate_id = any (${things}::uuid[]) order by n`,
    )
    const next = new Map<string, number>()
    for (const { aggregate_id, version } of heard) {
      expect(version).toBe((next.get(aggregate_id) ?? 0) + 1)
      next.set(aggregate_id, version)
    }
    expect(heard).toHaveLength(total / 2)
  }
}
