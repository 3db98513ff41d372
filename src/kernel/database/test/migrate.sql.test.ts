/** A database goes forward, whole migrations at a time, and history that differs is refused untouched. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually, type Clone } from '../../../../test/world.ts'
import { StartError } from '../../errors/start-error.ts'
import { directClient, type DirectClient } from '../direct.ts'
import { migrate, pendingMigrations, type Migration } from '../migrate.ts'
import { emptyDatabase } from './empty-database.ts'

let database: Clone
let client: DirectClient
let folder: string
beforeEach(async () => {
  database = await emptyDatabase()
  client = directClient(database.url, 'test')
  await client.connect()
  folder = await mkdtemp(join(tmpdir(), 'dodeca-migrations-'))
  await write('0001-things', 'create schema things; create table things.said (word text)')
  await write('0002-first', `insert into things.said values ('first')`)
})
afterEach(async () => {
  await client.end()
  await database.drop()
  await rm(folder, { recursive: true })
})

const write = (name: string, text: string) => writeFile(join(folder, `${name}.sql`), text)
const options = () => ({
  url: database.url,
  sources: [{ schema: 'things', folder: pathToFileURL(`${folder}/`) }],
  statement_timeout_ms: 1234,
})
const names = (migrations: readonly Migration[]) => migrations.map(({ name }) => name)

async function words(): Promise<string[]> {
  const { rows } = await client.query<{ word: string }>('select word from things.said')
  return rows.map(row => row.word)
}

async function history(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from kernel.migrations order by applied_at, number',
  )
  return rows.map(row => row.name)
}

async function refusal(): Promise<string> {
  const refused: unknown = await migrate(options()).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(StartError)
  const { message } = refused as StartError
  await expect(pendingMigrations(options())).rejects.toThrow(message)
  return message
}

test('they are applied in their order, and only once', async () => {
  await write('0010-last', `insert into things.said values ('last')`)
  await write('0003-second', `insert into things.said values ('second')`)
  expect(names(await pendingMigrations(options()))).toEqual(['things', 'first', 'second', 'last'])
  expect(names(await migrate(options()))).toEqual(['things', 'first', 'second', 'last'])
  expect(await words()).toEqual(['first', 'second', 'last'])
  expect(await migrate(options())).toEqual([])
  expect(await pendingMigrations(options())).toEqual([])
  await write('0011-more', `insert into things.said values ('more')`)
  expect(names(await migrate(options()))).toEqual(['more'])
  expect(await words()).toEqual(['first', 'second', 'last', 'more'])
  expect(await history()).toEqual(['things', 'first', 'second', 'last', 'more'])
})

test('of many that start at once one applies them, and the others find them applied', async () => {
  // Another holds the lock, so that all of them stand before it together.
  await client.query('select pg_advisory_lock(5330112)')
  const starting = Array.from({ length: 4 }, () => migrate(options()))
  await expect
    .poll(async () => {
      const { rows } = await client.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_locks l
         join pg_database d on d.oid = l.database and d.datname = current_database()
         where l.locktype = 'advisory' and not l.granted`,
      )
      return rows[0]?.waiting
    })
    .toBe(4)
  await client.query('select pg_advisory_unlock(5330112)')
  const applied = await Promise.all(starting)
  expect(applied.map(names).filter(one => one.length > 0)).toEqual([['things', 'first']])
  expect(await words()).toEqual(['first'])
})

test('one that starts while another migrates waits longer than a request may', async () => {
  await migrate(options())
  await write('0003-second', `insert into things.said values ('second')`)
  await client.query('select pg_advisory_lock(5330112)')
  const starting = migrate(options())
  // The limit of the role is two seconds.
  const waits = async () => {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_locks l
       join pg_database d on d.oid = l.database and d.datname = current_database()
       where l.locktype = 'advisory' and l.waitstart < clock_timestamp() - interval '2.2 s'`,
    )
    return rows[0]?.n === 1
  }
  await Promise.race([starting, eventually('it waits for the other', waits)])
  await client.query('select pg_advisory_unlock(5330112)')
  expect(names(await starting)).toEqual(['second'])
})

test('one that was changed after it had been applied is refused', async () => {
  await migrate(options())
  await write('0002-first', `insert into things.said values ('changed')`)
  await write('0003-second', `insert into things.said values ('second')`)
  expect(await refusal()).toMatch(/things\/0002-first was changed.* new migration/)
  expect([await words(), await history()]).toEqual([['first'], ['things', 'first']])
})

test('one that the code does not know is of a newer version', async () => {
  await migrate(options())
  await rename(join(folder, '0002-first.sql'), join(folder, '0003-second.sql'))
  expect(await refusal()).toMatch(/things\/0002-first, which this version does not know/)
  expect([await words(), await history()]).toEqual([['first'], ['things', 'first']])
})

describe('of a newer release', () => {
  const kernel = { schema: 'kernel', folder: new URL('../../migrations/', import.meta.url) }
  const all = () => ({ ...options(), sources: [kernel, ...options().sources] })
  const wide = 'alter table things.said add column wide int'
  const older = () => rm(join(folder, '0003-wide.sql'))
  beforeEach(async () => {
    await migrate(all())
  })

  test('an older release starts on one that says that it is compatible', async () => {
    await write('0003-wide', `-- Compatible since 0002: nothing reads the column.\n${wide}`)
    expect(names(await migrate(all()))).toEqual(['wide'])
    await older()
    const newer: string[] = []
    const onNewer = (found: readonly string[]) => void newer.push(...found)
    expect(await migrate({ ...all(), onNewer })).toEqual([])
    expect(await pendingMigrations({ ...all(), onNewer })).toEqual([])
    expect(newer).toEqual(['things/0003-wide', 'things/0003-wide'])
  })

  test('an older release does not start if one is compatible only with releases in between', async () => {
    await write('0003-wide', `-- Compatible since 0002: nothing reads the column.\n${wide}`)
    await write('0004-narrow', '-- Compatible since 0003: 0003 is known.\nselect 1')
    expect(names(await migrate(all()))).toEqual(['wide', 'narrow'])
    await rm(join(folder, '0004-narrow.sql'))
    expect(await migrate(all())).toEqual([])
    await older()
    await expect(migrate(all())).rejects.toThrow('things/0004-narrow, which this version does not')
  })

  test('one that was left out is not taken for a newer one', async () => {
    await write('0003-wide', `-- Compatible since 0002: nothing reads the column.\n${wide}`)
    await write('0004-last', '-- Compatible since 0002: it changes nothing.\nselect 1')
    await migrate(all())
    await older()
    await expect(migrate(all())).rejects.toThrow('things/0003-wide, which this version does not')
  })
})

test('one that fails leaves nothing, and those before it stay', async () => {
  await write('0003-broken', `insert into things.said values ('broken'); select 1 / 0`)
  await write('0004-after', `insert into things.said values ('after')`)
  await expect(migrate(options())).rejects.toMatchObject({
    message: expect.stringContaining('things/0003-broken'),
    cause: { code: '22012' },
  })
  expect([await words(), await history()]).toEqual([['first'], ['things', 'first']])
  await write('0003-broken', `insert into things.said values ('mended')`)
  expect(names(await migrate(options()))).toEqual(['broken', 'after'])
  expect(await words()).toEqual(['first', 'mended', 'after'])
})

test('one whose connection breaks is named', async () => {
  await write('0003-long', 'select pg_terminate_backend(pg_backend_pid())')
  await expect(migrate(options())).rejects.toMatchObject({
    message: expect.stringContaining('things/0003-long'),
    cause: { code: '57P01' },
  })
  expect(await history()).toEqual(['things', 'first'])
})

test('one waits for a lock no longer than others would bear, and tries again', async () => {
  await migrate(options())
  await write('0003-wide', 'alter table things.said add column n int')
  await client.query('begin')
  await words()
  const migrating = migrate(options())
  const other = directClient(database.url, 'test')
  await other.connect()
  const waiting = async () => {
    const { rows } = await other.query<{ n: number }>(
      `select count(*)::int as n from pg_locks where relation = 'things.said'::regclass and not granted`,
    )
    return rows[0]?.n
  }
  await eventually('it waits', async () => (await waiting()) === 1)
  // It gives way to those behind it, although the lock is still held.
  await other.query(`set lock_timeout = '30s'; set statement_timeout = 0`)
  await other.query('select word from things.said')
  await eventually('it waits again', async () => (await waiting()) === 1)
  await client.query('rollback')
  expect(names(await migrating)).toEqual(['wide'])
  await other.end()
})

test('one that others deadlock with is applied after them', async () => {
  await write('0003-two', 'create table things.meant (word text)')
  await migrate(options())
  await write(
    '0004-both',
    'alter table things.said add column n int; alter table things.meant add column n int',
  )
  await client.query('begin')
  await client.query('select from things.meant')
  const migrating = migrate(options())
  await expect
    .poll(async () => {
      const { rows } = await client.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where relation = 'things.meant'::regclass and not granted`,
      )
      return rows[0]?.n
    })
    .toBe(1)
  // Now each waits for the other: one of both is ended.
  await client.query('select from things.said').catch(() => {})
  await client.query('rollback')
  expect(names(await migrating)).toEqual(['both'])
})

test('limits and the time zone hold for every later connection', async () => {
  await migrate(options())
  const later = directClient(database.url, 'test')
  await later.connect()
  const { rows } = await later.query(`
    select current_setting('timezone') as timezone,
      current_setting('statement_timeout') as statement_timeout,
      current_setting('lock_timeout') as lock_timeout,
      current_setting('idle_in_transaction_session_timeout') as idle_timeout`)
  expect(rows).toEqual([
    { timezone: 'UTC', statement_timeout: '1234ms', lock_timeout: '2s', idle_timeout: '15s' },
  ])
  await later.end()
})

test('a file that is named otherwise is not passed over', async () => {
  await write('3-third', 'select 1')
  await expect(migrate(options())).rejects.toThrow('not 3-third.sql')
})
