/**
 * One embedded PostgreSQL in a temporary folder, with the platform's own settings: it waits for the
 * disk at each commit. Every comparison gets a database of its own.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openPostgres } from '../../src/runtime/postgres/start-embedded.ts'

export type Database = {
  readonly version: string
  readonly date: string
  /** The address of a database that no comparison uses, for looking at the others. */
  readonly url: string
  /** Creates an empty database. Returns its address. */
  create(name: string): Promise<string>
  close(): Promise<void>
}

export async function openDatabase(settings: Record<string, string> = {}): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-'))
  // PostgreSQL may run under another account than ours and must reach its data in here.
  await chmod(folder, 0o755)
  const postgres = await openPostgres({ data_dir: folder, progress: () => {}, settings })
  const [facts] = await ask(
    postgres.url,
    `select current_setting('server_version') as version, current_date::text as date`,
  )
  return {
    version: String(facts?.['version']),
    date: String(facts?.['date']),
    url: postgres.url,
    create: async name => {
      await ask(postgres.url, `create database ${name}`)
      const url = new URL(postgres.url)
      url.pathname = `/${name}`
      // Over TCP, as to a database on another machine.
      url.searchParams.delete('host')
      return url.toString()
    },
    close: async () => {
      await postgres.release()
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/**
 * Vacuums and analyzes the tables that have rows. An empty table would be remembered as empty, so that
 * the first statements on it are planned as scans of the whole table, and stay so while it grows.
 */
export async function analyzeFilled(url: string): Promise<void> {
  const tables = await ask(
    url,
    `select quote_ident(schemaname) || '.' || quote_ident(relname) as name
     from pg_stat_user_tables where pg_relation_size(relid) > 0`,
  )
  await ask(url, `vacuum analyze ${tables.map(({ name }) => String(name)).join(', ')}`)
}

/** One statement on a connection of its own. */
export async function ask(
  url: string,
  statement: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement, values)
    return rows
  } finally {
    await client.end()
  }
}
