/** What is declared to be deleted, partitioned or sealed again, and what must stay. */
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { count, openWorld, type World } from '../../events/test/process.ts'
import { newId } from '../../ids.ts'
import { openKeyring } from '../../keys.ts'
import { resealColumn, resealLoop, type SealedColumn } from '../reseal.ts'
import { retain } from '../retention.ts'

let ground: Clone
let world: World
const never = new AbortController().signal
beforeAll(async () => {
  ground = await cloneDatabase()
  world = openWorld({ url: ground.url, work: false })
})
afterAll(async () => {
  await world.stop()
  await ground.drop()
})

describe('retention', () => {
  test('deletes old rows in batches, and continues if one rule fails', async () => {
    const { db } = world
    await db.run(sql`create table public.old (tenant_id uuid, id uuid, at timestamptz)`)
    await db.run(sql`
      insert into public.old
      select gen_random_uuid(), gen_random_uuid(), kernel.now() - make_interval(days => g % 2 * 40)
      from generate_series(1, 250) g`)
    await db.run(sql`select kernel.make_append_only('public.old', 'retention')`)
    await retain(
      world,
      [
        { statement: sql`select 1 / 0` },
        {
          table: 'public.old',
          key: ['tenant_id', 'id'],
          where: sql`t.at < kernel.now() - interval '30 days'`,
          batch: 10,
        },
      ],
      never,
    )
    expect(await count(db, sql`from public.old`)).toBe(125)
  })

  test.each([
    ['timestamptz', sql`kernel.now() - interval '50 days'`, sql`kernel.now()`],
    ['uuid', sql`kernel.first_id_of(kernel.now() - interval '50 days')`, sql`gen_random_uuid()`],
  ])('keeps partitions by %s: makes those ahead, drops those that ended', async (type, old) => {
    const { db } = world
    const name = `parted_${type}`
    const table = sql.id('public', name)
    await db.run(
      sql`create table ${table} (at ${sql.id(type)} primary key) partition by range (at)`,
    )
    const declared = [{ partitions: `public.${name}`, unit: 'week', keep_days: 30 } as const]
    await retain(world, declared, never)
    const parts = () =>
      count(db, sql`from pg_inherits where inhparent = ${`public.${name}`}::regclass`)
    // This week, five weeks ahead, and what is older than all of them.
    const made = await parts()
    expect(made).toBeGreaterThanOrEqual(7)
    await db.run(sql`insert into ${table} values (${old})`)
    await retain(world, declared, never)
    expect(await parts()).toBe(made)
    await db.run(sql`alter table ${sql.id('public', `${name}_before`)} rename to kept`)
    await db.run(sql`alter table ${table} detach partition public.kept`)
    const first = sql`(select min(c.relname) from pg_class c where c.relname like ${`${name}\\_p%`})`
    const Name = Type.Object({ name: Type.String() })
    const { name: week } = await db.one(Name, sql`select ${first}::text as name`)
    await db.run(
      sql`alter table ${sql.id('public', week)} rename to ${sql.id(`${name}_p20250106`)}`,
    )
    await retain(world, declared, never)
    // The week that ended long ago is gone.
    expect(await parts()).toBe(made - 2)
    await db.run(sql`drop table public.kept`)
  })
})

test('sealed columns are sealed again under the current key, and changed ones are left alone', async () => {
  const { db } = world
  const [one, two, pepper] = [1, 2, 3].map(() => randomBytes(32).toString('base64'))
  const ring = (keyring: string) =>
    openKeyring({ keyring, pepper: pepper ?? '', file: '/nonexistent', may_create: false })
  const old = await ring(`k1:${one}`)
  const both = await ring(`k2:${two},k1:${one}`)
  const fresh = await ring(`k2:${two}`)
  await db.run(sql`
    create table public.secrets (
      owner_id uuid, version int, sealed bytea, live boolean not null default true,
      primary key (owner_id, version))`)
  const place = (id: string, version: number) => ({
    table: 'public.secrets',
    id: `${id} ${version}`,
    column: 'sealed',
  })
  const column: SealedColumn = {
    table: 'public.secrets',
    key: ['owner_id', 'version'],
    column: 'sealed',
    use: 'test.secrets',
    where: sql`t.live`,
    also: ['live'],
    place: row => place(String(row['owner_id']), Number(row['version'])),
  }
  const ids = Array.from({ length: 1201 }, newId)
  await db.run(sql`
    insert into public.secrets (owner_id, version, sealed)
    select * from unnest(${ids}::uuid[], ${ids.map((_, n) => n % 7)}::int[],
      ${ids.map((id, n) => old.seal('test.secrets', Buffer.from(id), place(id, n % 7)))}::bytea[])`)
  await db.run(sql`update public.secrets set live = false where owner_id = ${ids[0]}`)
  const kernel = { db, log: world.log }
  expect(await resealColumn({ ...kernel, keys: old }, column)).toBe(0)
  expect(await resealColumn({ ...kernel, keys: both }, column)).toBe(1200)
  expect(await resealColumn({ ...kernel, keys: both }, column)).toBe(0)
  const Row = Type.Object({ sealed: Type.Unknown() })
  const read = async (at: number) =>
    (await db.one(Row, sql`select sealed from public.secrets where owner_id = ${ids[at]}`))
      .sealed as Buffer
  const opened = fresh.open('test.secrets', await read(8), place(ids[8] ?? '', 1))
  expect(opened.toString()).toBe(ids[8])
  expect(both.sealedWith(await read(0))).toBe('k1')
})

test('a value that cannot be opened stops no other one, and no other column', async () => {
  const { db } = world
  const key = () => randomBytes(32).toString('base64')
  const [one, two, pepper] = [key(), key(), key()]
  const ring = (keyring: string) =>
    openKeyring({ keyring, pepper, file: '/nonexistent', may_create: false })
  const old = await ring(`k1:${one}`)
  const both = await ring(`k2:${two},k1:${one}`)
  const columns = ['damaged', 'whole'].map((name): SealedColumn => {
    const place = (id: string) => ({ table: `public.${name}`, id, column: 'sealed' })
    return {
      table: `public.${name}`,
      key: ['id'],
      column: 'sealed',
      use: 'test.secrets',
      place: row => place(String(row['id'])),
    }
  })
  for (const { table, place } of columns) {
    const name = sql.id(...table.split('.'))
    await db.run(sql`create table ${name} (id int primary key, sealed bytea)`)
    const sealed = (id: number) => old.seal('test.secrets', Buffer.from('x'), place({ id }))
    await db.run(sql`
      insert into ${name} select * from unnest(array[1, 2], ${[sealed(1), sealed(2)]}::bytea[])`)
  }
  await db.run(sql`
    update public.damaged set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where id = 1`)
  await resealLoop({ db, log: world.log, keys: both }, columns).run(never)
  const Row = Type.Object({ sealed: Type.Unsafe<Buffer>({}) })
  const kids = async (table: string) => {
    const rows = await db.many(Row, sql`select sealed from ${sql.id('public', table)} order by id`)
    return rows.map(row => both.sealedWith(row.sealed))
  }
  expect(await kids('damaged')).toEqual(['k1', 'k2'])
  expect(await kids('whole')).toEqual(['k2', 'k2'])
})
