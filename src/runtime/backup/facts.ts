/**
 * Reads facts about a database. A backup records them, and a recovered database must match them.
 */
import { directClient } from '../../kernel/database/direct.ts'
import type { Head } from './manifest.ts'

/** The newest migration of each schema; empty for a database that has never been migrated. */
export async function readMigrationHead(url: string): Promise<Head> {
  return await asking(url, async ask => {
    const [found] = await ask(`select to_regclass('kernel.migrations') is not null as it`)
    if (!found?.['it']) return {}
    const rows = await ask(
      'select schema, max(number) as number from kernel.migrations group by schema order by schema',
    )
    return Object.fromEntries(rows.map(row => [String(row['schema']), Number(row['number'])]))
  })
}

export async function readServerVersion(url: string): Promise<string> {
  return await asking(url, async ask => {
    const [row] = await ask(`select current_setting('server_version') as version`)
    return String(row?.['version'])
  })
}

/**
 * Reads every row of every table from its file, so that PostgreSQL checks the checksum of each
 * page. Returns the failures.
 */
export async function unreadableTables(url: string): Promise<string[]> {
  return await asking(url, async ask => {
    await ask(`set statement_timeout = 0`)
    await ask(`set enable_indexscan = off`)
    await ask(`set enable_indexonlyscan = off`)
    const tables = await ask(
      `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
       order by 1`,
    )
    const found: string[] = []
    for (const { name } of tables) {
      await ask(`select count(*) from ${String(name)}`).catch((error: unknown) => {
        found.push(`the table ${String(name)} cannot be read: ${(error as Error).message}`)
      })
    }
    return found
  })
}

type Ask = (statement: string) => Promise<Record<string, unknown>[]>

async function asking<T>(url: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const client = directClient(url, 'dodeca backup')
  await client.connect()
  try {
    return await work(async statement => {
      const { rows } = await client.query<Record<string, unknown>>(statement)
      return rows
    })
  } finally {
    await client.end()
  }
}
