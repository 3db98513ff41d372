/**
 * `test/schema.sql` shows what all migrations together make, so that the effect of each is read in
 * review; it is the same on every version of PostgreSQL and for every order of starting.
 */
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directClient } from '../src/kernel/database/direct.ts'
import { migrate } from '../src/kernel/database/migrate.ts'
import { emptyDatabase } from '../src/kernel/database/test/empty-database.ts'
import { composition } from '../src/platform.ts'
import { migrationSources } from '../src/runtime/start.ts'
import { dumpSchemas } from './schema/dump.ts'
import { records } from './schema/records.ts'
import type { Clone } from './world.ts'

const sources = migrationSources(composition)
const schemas = sources.map(({ schema }) => schema)
const opening =
  '-- What all migrations together make, read from the catalogues. It is never edited:\n' +
  '-- "vitest run test/schema.test.ts -u" writes it.'
const says =
  'the migrations make another schema than test/schema.sql shows: ' +
  'run "vitest run test/schema.test.ts -u" and commit what it writes'

let database: Clone
beforeAll(async () => {
  database = await emptyDatabase()
  await migrate({ url: database.url, sources, statement_timeout_ms: 5000 })
})
afterAll(() => database.drop())

test('the schema is the one that is shown', async () => {
  const made = `${opening}\n\n${await dumpSchemas(database.url, schemas)}`
  for (const schema of schemas) expect(made).toContain(`create schema ${schema};\n`)
  await expect(made, says).toMatchFileSnapshot(resolve(import.meta.dirname, 'schema.sql'))
})

test('each record of the specification has the name and the fields that it gives', async () => {
  const client = directClient(database.url, 'test')
  await client.connect()
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    select table_schema || '.' || table_name as name, array_agg(column_name::text) as columns
    from information_schema.columns group by 1`)
  await client.end()
  const columns = new Map(rows.map(one => [one.name, one.columns]))
  expect(records).toHaveLength(74)
  for (const { name, fields } of records) {
    expect(columns.get(name) ?? [], name).toEqual(expect.arrayContaining([...fields]))
  }
})

test('what the kernel has none of is shown too', async () => {
  const client = directClient(database.url, 'test')
  await client.connect()
  await client.query(`
    create schema shown;
    create type shown.mood as enum ('well', 'ill');
    create domain shown.share as int not null default 1 check (value between 0 and 100);
    create type shown.pair as (left_id uuid, right_id uuid);
    create sequence shown.numbers increment 5;
    create table shown.rows (
      day date not null, mood shown.mood default 'well', n int,
      twice int generated always as (n * 2) stored,
      unique (day)
    ) partition by list (day);
    create table shown.rows_of_today partition of shown.rows for values in ('2026-11-21');
    create view shown.days as select day from shown.rows`)
  await client.end()
  const made = await dumpSchemas(database.url, ['shown'])
  for (const line of [
    `create type shown.mood as enum ('well', 'ill');`,
    'create domain shown.share as integer not null default 1 CHECK (((VALUE >= 0) AND (VALUE <= 100)));',
    'create type shown.pair as (left_id uuid, right_id uuid);',
    'create sequence shown.numbers as bigint increment 5 minvalue 1 maxvalue 9223372036854775807 start 1;',
    `  mood shown.mood default 'well'::shown.mood,`,
    '  twice integer generated always as (n * 2) stored,',
    '  constraint rows_day_key UNIQUE (day)',
    ') partition by LIST (day);',
    'create view shown.days as',
  ]) {
    expect(made.split('\n')).toContain(line)
  }
  expect(made).not.toContain('rows_of_today')
})
