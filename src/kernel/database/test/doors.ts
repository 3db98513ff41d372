/**
 * Database clients on a clone of the database, each with a record of its callbacks, and the two
 * tables that their tests write.
 */
import { Type } from 'typebox'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { openDb, type Db, type DbOptions, type Tx } from '../db.ts'
import type { BufferedEvent } from '../drafts.ts'
import { sql } from '../sql.ts'

let clone: Clone
const opened: Db[] = []

/** Called once a file, before its tests. */
export function useDatabase(): void {
  beforeAll(async () => {
    clone = await cloneDatabase()
    const { db } = open()
    await db.run(sql`
      create table public.thing
        (id uuid primary key, n int not null constraint thing_n check (n >= 0))`)
    await db.run(sql`create table public.said (id uuid primary key, about uuid not null)`)
  })
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close()
  })
  afterAll(() => clone.drop())
}

export const databaseUrl = () => clone.url

/** A client of the database, and its recorded callbacks. */
export function open(options: Partial<DbOptions> = {}) {
  const reported = { committed: 0, waited: 0, lost: [] as string[] }
  const db = openDb({
    url: clone.url,
    pool: 4,
    wait_ms: 5000,
    check_rows: true,
    application_name: 'db-test',
    outbox: events => events.map(insertSaid),
    committed: () => reported.committed++,
    waited: () => reported.waited++,
    lost: error => reported.lost.push(error.message),
    ...options,
  })
  opened.push(db)
  return { db, reported }
}

export const insertSaid = (event: BufferedEvent) =>
  sql`insert into public.said (id, about) values (${event.id}, ${event.aggregate_id})`

export const about = (aggregate_id: string) => ({
  type: 'thing.changed',
  tenant_id: aggregate_id,
  aggregate_type: 'thing',
  aggregate_id,
  aggregate_version: 1,
  data: {},
})

export const put = (id: string, n: number) => sql`
  insert into public.thing (id, n) values (${id}, ${n})
  on conflict (id) do update set n = excluded.n`
export const N = Type.Object({ n: Type.Integer() })
export const read = async (db: Db | Tx, id: string) =>
  (await db.maybe(N, sql`select n from public.thing where id = ${id}`))?.n
export const saidAbout = async (db: Db, id: string) =>
  (
    await db.many(
      Type.Object({ id: Type.String() }),
      sql`select id from public.said where about = ${id}`,
    )
  ).map(row => row.id)
