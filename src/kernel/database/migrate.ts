/**
 * Migrates a database to the newest migration in the code. Migrations are plain numbered SQL files
 * for each schema, forward only, one transaction each. An advisory lock lets only one of several
 * starting processes migrate. If a database is newer than the code, or has a different history, it
 * is refused and left unchanged.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { StartError } from '../errors/start-error.ts'

export type MigrationSource = { readonly schema: string; readonly folder: URL }

export type Migration = {
  schema: string
  number: number
  name: string
  text: string
  checksum: string
}

type Applied = { schema: string; number: number; name: string; checksum: string }

const lock_key = 5_330_112

export type MigrateOptions = {
  url: string
  sources: readonly MigrationSource[]
  statement_timeout_ms: number
}

/** Returns the migrations that were applied now, oldest first. */
export async function migrate(options: MigrateOptions): Promise<Migration[]> {
  const known = await readMigrations(options.sources)
  const client = new pg.Client({ connectionString: options.url })
  await client.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [lock_key])
    await client.query(history)
    const pending = pendingOf(known, await readApplied(client))
    for (const migration of pending) await apply(client, migration)
    await settle(client, options.statement_timeout_ms)
    return pending
  } finally {
    await client.end()
  }
}

/**
 * Returns the migrations that `migrate` would apply, without applying them. For a fresh database
 * that is every migration.
 */
export async function pendingMigrations(options: MigrateOptions): Promise<Migration[]> {
  const known = await readMigrations(options.sources)
  const client = new pg.Client({ connectionString: options.url })
  await client.connect()
  try {
    const exists = await client.query<{ it: boolean }>(
      `select to_regclass('kernel.migrations') is not null as it`,
    )
    return exists.rows[0]?.it ? pendingOf(known, await readApplied(client)) : known
  } finally {
    await client.end()
  }
}

/**
 * Time limits and the time zone are settings of the role in this database. So they also hold
 * through a transaction pooler, and need no statement for each connection.
 */
export async function settle(client: pg.Client, statement_timeout_ms: number): Promise<void> {
  const settings: Record<string, string> = {
    timezone: 'UTC',
    // JIT is off, because it can spend a second on compiling a statement that runs for a
    // millisecond. The raised costs of some statements would trigger it.
    jit: 'off',
    statement_timeout: `${statement_timeout_ms}ms`,
    lock_timeout: '2s',
    idle_in_transaction_session_timeout: '15s',
  }
  for (const [name, value] of Object.entries(settings)) {
    const { rows } = await client.query<{ statement: string }>(
      `select format('alter role %I in database %I set %I = %L', current_user, current_database(), $1::text, $2::text) as statement`,
      [name, value],
    )
    await client.query(rows[0]?.statement ?? '')
  }
}

const history = `
  create schema if not exists kernel;
  create table if not exists kernel.migrations (
    schema text not null,
    number int not null,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    primary key (schema, number)
  )`

export async function readMigrations(sources: readonly MigrationSource[]): Promise<Migration[]> {
  const found: Migration[] = []
  for (const { schema, folder } of sources) {
    const files = (await readdir(fileURLToPath(folder))).filter(file => file.endsWith('.sql'))
    for (const file of files.sort()) {
      const match = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file)
      if (!match) throw new Error(`a migration is named 0001-what.sql, not ${file}`)
      const text = await readFile(new URL(file, folder), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      found.push({ schema, number: Number(match[1]), name: match[2] ?? '', text, checksum })
    }
  }
  return found
}

async function readApplied(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query<Applied>(
    'select schema, number, name, checksum from kernel.migrations',
  )
  return rows
}

function pendingOf(known: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const keyed = new Map(known.map(one => [`${one.schema}/${one.number}`, one]))
  for (const one of applied) {
    const mine = keyed.get(`${one.schema}/${one.number}`)
    const label = `${one.schema}/${String(one.number).padStart(4, '0')}-${one.name}`
    if (!mine) {
      throw new StartError(
        `The database has the migration ${label}, which this version does not know: it was used ` +
          'by a newer version. Start that version, or point DATABASE_URL or DATA_DIR elsewhere.',
      )
    }
    if (mine.checksum !== one.checksum) {
      throw new StartError(
        `The migration ${label} was changed after it had been applied to this database. ` +
          'Restore the file and put the change into a new migration.',
      )
    }
    keyed.delete(`${one.schema}/${one.number}`)
  }
  return [...keyed.values()]
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '2s'`)
    await client.query(migration.text)
    await client.query(
      'insert into kernel.migrations (schema, number, name, checksum) values ($1, $2, $3, $4)',
      [migration.schema, migration.number, migration.name, migration.checksum],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    const label = `${migration.schema}/${String(migration.number).padStart(4, '0')}`
    throw new Error(`the migration ${label}-${migration.name} failed`, { cause: error })
  }
}
