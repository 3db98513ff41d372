/**
 * The databases of tests. All test files and worker processes of a project use one PostgreSQL at
 * once: the embedded one, which ends with the last of them, or that of TEST_DATABASE_URL. In it each
 * application has a template, which is migrated once, and each world gets a copy of it.
 */
import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import pg from 'pg'
import { newId, openClock } from '#dodeca/kernel'
import { migrate, readMigrations, settle } from '../kernel/database/migrate.ts'
import type { Composition } from '../runtime/platform-parts.ts'
import { openPostgres, type Postgres } from '../runtime/postgres/start-embedded.ts'
import { migrationSources } from '../runtime/start.ts'

/** An address, and the end of its database. */
export type Clone = { readonly url: string; drop(): Promise<void> }

let opened: Promise<string> | undefined

/** The address with which databases are created. This process holds the server until it ends. */
export function serverOfProject(): Promise<string> {
  return (opened ??= openServerOfProject())
}

async function openServerOfProject(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) return given
  const folder = `node_modules/.cache/dodeca-test-${userInfo().uid}`
  const { url } = await openTestPostgres(resolve(folder))
  await dropClones(url, pid => !isRunning(pid))
  return url
}

/** Tests kill the platform, not PostgreSQL: so this one need not wait for the disk. */
export function openTestPostgres(data_dir: string): Promise<Postgres> {
  return openPostgres({
    data_dir,
    progress: () => {},
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '400',
      // With many small databases it would look through one of them every few seconds.
      autovacuum: 'off',
      // Each of a world's connections planned each statement five times: a quarter of all its work.
      plan_cache_mode: 'force_generic_plan',
      max_wal_size: '256MB',
    },
  })
}

const week_ms = 7 * 24 * 3_600_000

/**
 * The template of a composition. Its name has a hash of all migrations, so a changed migration makes
 * a new one and an unchanged one is used again.
 */
export async function templateOf(admin_url: string, composed: Composition): Promise<string> {
  const sources = migrationSources(composed)
  const hash = createHash('sha256')
  for (const { schema, number, checksum } of await readMigrations(sources))
    hash.update(`${schema} ${number} ${checksum}`)
  hash.update('cheap hashes')
  // Partitions are made ahead from the day of the migration, so a template does not last for ever.
  const template = `dodeca_template_${thisWeek()}_${hash.digest('hex').slice(0, 16)}`
  await makeTemplate(admin_url, template, sources)
  return template
}

async function makeTemplate(
  admin_url: string,
  template: string,
  sources: ReturnType<typeof migrationSources>,
): Promise<void> {
  await onServer(admin_url, async client => {
    await client.query(`select pg_advisory_lock(hashtext('dodeca test template'))`)
    const known = await client.query('select from pg_database where datname = $1', [template])
    if (known.rowCount === 1) return
    await dropOlder(client)
    const building = `${template}_building`
    await client.query(`drop database if exists ${building} with (force)`)
    await client.query(`create database ${building}`)
    const url = databaseUrl(admin_url, building)
    await migrate({ url, sources, statement_timeout_ms: 5000 })
    if (sources.some(({ schema }) => schema === 'identity')) await makeHashesCheap(url)
    await client.query(`alter database ${building} rename to ${template}`)
  })
}

/** Templates of the weeks before the last one are used by no run. */
async function dropOlder(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database where datname ~ '^dodeca_template_[0-9]+_'`,
  )
  const old = rows.filter(({ name }) => Number(name.split('_')[2]) < thisWeek() - 1)
  for (const { name } of old) await client.query(`drop database if exists ${name}`)
}

function thisWeek(): number {
  return Math.floor(openClock().nowMs() / week_ms)
}

/** A password hash for production costs 20 ms and more of a core, and a run of tests makes thousands. */
async function makeHashesCheap(url: string): Promise<void> {
  const cost = { m: 64, t: 1, p: 1 }
  const statement = `insert into identity.settings (name, value) values ('password_cost', $1)`
  await onServer(url, client => client.query(statement, [cost]))
}

/** An empty copy of a template. `owner` is the process whose end lets another run drop it. */
export async function cloneOf(
  admin_url: string,
  template: string,
  owner = process.pid,
): Promise<Clone> {
  const name = `dodeca_clone_${owner}_${newId().replaceAll('-', '')}`
  // The default writes each page to the log as well and costs twice as much.
  const statement = `create database ${name} template ${template} strategy file_copy`
  await onServer(admin_url, client => client.query(statement))
  const url = databaseUrl(admin_url, name)
  // Settings of a role in a database are not cloned with it.
  await onServer(url, client => settle(client, 5000))
  const drop = `drop database if exists ${name} with (force)`
  return { url, drop: async () => void (await onServer(admin_url, client => client.query(drop))) }
}

/** A run that was killed leaves its clones to the next one. */
export async function dropClones(admin_url: string, ofRun: (pid: number) => boolean) {
  await onServer(admin_url, async client => {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where datname like 'dodeca_clone_%'`,
    )
    for (const { name } of rows) {
      if (ofRun(Number(name.split('_')[2])))
        await client.query(`drop database if exists ${name} with (force)`)
    }
  })
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function databaseUrl(admin_url: string, name: string): string {
  const url = new URL(admin_url)
  url.pathname = `/${name}`
  return url.toString()
}
