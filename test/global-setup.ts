/**
 * One PostgreSQL for the whole run (the embedded one, or TEST_DATABASE_URL), and in it two
 * template databases that are migrated once and cloned for each test file. The template's name is a hash of all
 * migrations, so a changed migration makes a new one and an unchanged one is used again.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { ensureBundle } from '../scripts/bundle.mjs'
import { migrate, readMigrations } from '../src/kernel/database/migrate.ts'
import { openClock } from '#dodeca/kernel'
import { openPostgres } from '../src/runtime/postgres/embedded-postgres.ts'
import type { Composition } from '../src/runtime/composition.ts'
import { composition } from '../src/platform.ts'
import { migrationSources } from '../src/runtime/start.ts'
import { testComposition } from './composition.ts'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be merged
  export interface ProvidedContext {
    /** An address with the right to create databases. */
    admin_url: string
    /** Of a pooler in transaction mode in front of it, which passes every database on by its name. */
    pooler_url: string | undefined
    /** Migrated for the small surfaces that prove the kernel. */
    template: string
    /** Migrated for the product's own surfaces. */
    product_template: string
    /** For the data folders of this run; removed at its end. */
    folder: string
  }
}

let undo = async (): Promise<void> => {}

export async function setup(project: TestProject): Promise<void> {
  const bundles = ensureBundles()
  const given = process.env['TEST_DATABASE_URL']
  const postgres = given ? null : await openPostgres(await embedded())
  const admin_url = given ?? postgres?.url ?? ''
  await dropClones(admin_url, pid => !isRunning(pid))
  project.provide('admin_url', admin_url)
  project.provide('pooler_url', process.env['TEST_POOLER_URL'])
  project.provide('template', await templateOf(admin_url, testComposition('')))
  project.provide('product_template', await templateOf(admin_url, composition))
  await bundles
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-run-'))
  project.provide('folder', folder)
  undo = async () => {
    await dropClones(admin_url, pid => pid === process.pid)
    await postgres?.release()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * Processes under test run from bundles: from the sources each takes a second longer. A run of a few
 * files starts few processes, so for it no bundle is made.
 */
async function ensureBundles(): Promise<void> {
  const named = process.argv.filter(one => one.endsWith('.test.ts'))
  if (named.length > 0 && named.length < 10) return
  await ensureBundle()
  await ensureBundle({ kind: 'test' })
}

export async function teardown(): Promise<void> {
  await undo()
}

/** Crash tests kill the platform, not PostgreSQL: so this one need not wait for the disk. */
async function embedded() {
  return {
    data_dir: join(await databaseFolder(), `dodeca-test-${userInfo().uid}`),
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
  }
}

/**
 * In memory, if TMPDIR names no other folder and there is room. A run creates and deletes 400,000
 * files of databases, and on ext4 each is created while it looks past those deleted just before.
 */
async function databaseFolder(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  const room = bavail * bsize >= 4 * 2 ** 30 && process.availableMemory() >= 12 * 2 ** 30
  return room && !process.env['TMPDIR'] ? memory : tmpdir()
}

async function templateOf(admin_url: string, composed: Composition): Promise<string> {
  const sources = migrationSources(composed)
  const hash = createHash('sha256')
  for (const { schema, number, checksum } of await readMigrations(sources))
    hash.update(`${schema} ${number} ${checksum}`)
  hash.update('cheap hashes')
  // Partitions are made ahead from the day of the migration, so a template does not last for ever.
  hash.update(String(Math.floor(openClock().nowMs() / (7 * 24 * 3_600_000))))
  const template = `dodeca_template_${hash.digest('hex').slice(0, 16)}`
  await makeTemplate(admin_url, template, sources)
  return template
}

async function makeTemplate(
  admin_url: string,
  template: string,
  sources: ReturnType<typeof migrationSources>,
): Promise<void> {
  const client = new pg.Client({ connectionString: admin_url })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtext('dodeca test template'))`)
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      template,
    ])
    if (rowCount === 1) return
    const building = `${template}_building`
    await client.query(`drop database if exists ${building} with (force)`)
    await client.query(`create database ${building}`)
    const url = databaseUrl(admin_url, building)
    await migrate({ url, sources, statement_timeout_ms: 5000 })
    if (sources.some(({ schema }) => schema === 'identity')) await makeHashesCheap(url)
    await client.query(`alter database ${building} rename to ${template}`)
  } finally {
    await client.end()
  }
}

/** A password hash for production costs 20 ms and more of a core, and a run of tests makes thousands. */
async function makeHashesCheap(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const cost = { m: 64, t: 1, p: 1 }
  await client.query(`insert into identity.settings (name, value) values ('password_cost', $1)`, [
    cost,
  ])
  await client.end()
}

/** A run that was killed leaves its clones to the next one. */
async function dropClones(admin_url: string, ofRun: (pid: number) => boolean): Promise<void> {
  const client = new pg.Client({ connectionString: admin_url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database where datname like 'dodeca_clone_%'`,
  )
  for (const { name } of rows) {
    if (ofRun(Number(name.split('_')[2])))
      await client.query(`drop database if exists ${name} with (force)`)
  }
  await client.end()
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function databaseUrl(admin_url: string, name: string): string {
  const url = new URL(admin_url)
  url.pathname = `/${name}`
  return url.toString()
}
