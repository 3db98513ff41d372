/**
 * Migrates a database to the newest migration in the code. Migrations are plain numbered SQL files
 * for each schema, forward only, one transaction each. An advisory lock lets only one of several
 * starting processes migrate. A database with a different history is refused and left unchanged. So
 * is a newer one, unless each migration that the code does not know says that it is compatible.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { codeOf } from '../errors/error-code.ts'
import { StartError } from '../errors/start-error.ts'
import { jitter } from '../ids.ts'
import { directClient, type DirectClient } from './direct.ts'

export type MigrationSource = { readonly schema: string; readonly folder: URL }

export type Migration = {
  schema: string
  number: number
  name: string
  text: string
  checksum: string
  /** The oldest migration that a release must know to run after this one. */
  compatible_since: number | null
}

type Applied = Omit<Migration, 'text'>

const lock_key = 5_330_112

export type MigrateOptions = {
  url: string
  sources: readonly MigrationSource[]
  statement_timeout_ms: number
  /** Gets the names of compatible migrations that a newer release has applied. */
  onNewer?: (names: readonly string[]) => void
}

/** Returns the migrations that were applied now, oldest first. */
export async function migrate(options: MigrateOptions): Promise<Migration[]> {
  const known = await readMigrations(options.sources)
  const client = directClient(options.url, 'dodeca migrate')
  await client.connect()
  try {
    // The limits of the role are for requests. A start waits as long as the migrations of another
    // one take: the second process of a new release would end after two seconds.
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [lock_key])
    await client.query(history)
    const { pending, newer } = compare(known, await readApplied(client))
    if (newer.length > 0) options.onNewer?.(newer.map(nameOf))
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
  const client = directClient(options.url, 'dodeca migrate')
  await client.connect()
  try {
    const exists = await client.query<{ it: boolean }>(
      `select to_regclass('kernel.migrations') is not null as it`,
    )
    if (!exists.rows[0]?.it) return known
    const { pending, newer } = compare(known, await readApplied(client))
    if (newer.length > 0) options.onNewer?.(newer.map(nameOf))
    return pending
  } finally {
    await client.end()
  }
}

/**
 * Time limits and the time zone are settings of the role in this database. So they also hold
 * through a transaction pooler, and need no statement for each connection.
 */
export async function settle(client: DirectClient, statement_timeout_ms: number): Promise<void> {
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
    compatible_since int,
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
      const number = Number(match[1])
      const compatible_since = compatibility(text)
      found.push({ schema, number, name: match[2] ?? '', text, checksum, compatible_since })
    }
  }
  return found
}

const declared = /^-- Compatible since (\d{4}): /

function compatibility(text: string): number | null {
  const since = declared.exec(text)?.[1]
  return since === undefined ? null : Number(since)
}

async function readApplied(client: DirectClient): Promise<Applied[]> {
  const { rows } = await client.query<Applied>(`
    select schema, number, name, checksum, compatible_since
    from kernel.migrations
    order by schema, number`)
  return rows
}

type Compared = {
  readonly pending: Migration[]
  /** Applied by a newer release, and compatible with this one. */
  readonly newer: readonly Applied[]
}

function compare(known: readonly Migration[], applied: readonly Applied[]): Compared {
  const keyed = new Map(known.map(one => [`${one.schema}/${one.number}`, one]))
  const newer: Applied[] = []
  for (const one of applied) {
    const mine = keyed.get(`${one.schema}/${one.number}`)
    if (!mine) {
      refuseIncompatible(one, known)
      newer.push(one)
    } else if (mine.checksum !== one.checksum) {
      throw new StartError(
        `The migration ${nameOf(one)} was changed after it had been applied to this database. ` +
          'Restore the file and put the change into a new migration. A database of another version ' +
          'before 1.0 cannot be used: point DATABASE_URL or DATA_DIR elsewhere.',
      )
    }
    keyed.delete(`${one.schema}/${one.number}`)
  }
  return { pending: [...keyed.values()], newer }
}

function refuseIncompatible(one: Applied, known: readonly Migration[]): void {
  const mine = known.filter(({ schema }) => schema === one.schema)
  // Erasures would pass by the rows of a surface that is off.
  if (mine.length === 0) {
    throw new StartError(
      `The database has tables of the surface ${one.schema}, which is off. Put it back: name it in ` +
        '`surfaces` of dodeca.config.ts. To run without it, point DATABASE_URL or DATA_DIR elsewhere.',
    )
  }
  const newest = Math.max(0, ...mine.map(({ number }) => number))
  if (one.compatible_since !== null && newest >= one.compatible_since && newest < one.number) return
  throw new StartError(
    `The database has the migration ${nameOf(one)}, which this version does not know: it was used ` +
      'by a newer version. Start that version, or point DATABASE_URL or DATA_DIR elsewhere.',
  )
}

/** Such as `links/0005-queues`. */
export function nameOf({ schema, number, name }: Omit<Applied, 'checksum' | 'compatible_since'>) {
  return `${schema}/${String(number).padStart(4, '0')}-${name}`
}

const lock_tries_max = 30
const lock_pause_ms = 200

/**
 * Others use the tables meanwhile, in another order: a deadlock, or a lock that does not come, ends
 * only this attempt, which has changed nothing.
 */
async function apply(client: DirectClient, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await applyOnce(client, migration)
      return
    } catch (error) {
      // On a connection that broke there is nothing to roll back, and the first error says why.
      await client.query('rollback').catch(() => {})
      if (attempt === lock_tries_max || !/^(40P01|55P03)$/.test(codeOf(error) ?? '')) {
        throw new Error(`the migration ${nameOf(migration)} failed`, { cause: error })
      }
      await pause(lock_pause_ms * (0.5 + jitter()))
    }
  }
}

async function applyOnce(client: DirectClient, migration: Migration): Promise<void> {
  await client.query('begin')
  // Every other use of the table waits behind this transaction for as long.
  await client.query(`set local lock_timeout = '2s'`)
  await client.query(migration.text)
  const { schema, number, name, checksum, compatible_since } = migration
  await client.query(
    `insert into kernel.migrations (schema, number, name, checksum, compatible_since)
     values ($1, $2, $3, $4, $5)`,
    [schema, number, name, checksum, compatible_since],
  )
  await client.query('commit')
}
