/**
 * One PostgreSQL for the whole run (the embedded one, or TEST_DATABASE_URL; for the project `sql` that of
 * TEST_SQL_DATABASE_URL), and in it two template databases that are migrated once and cloned for each
 * test file. The template's name is a hash of all migrations, so a changed migration makes a new one and
 * an unchanged one is used again.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ensureBundle } from '../scripts/bundle.mjs'
import { composition } from '../src/platform.ts'
import { dropClones, isRunning, openTestPostgres, templateOf } from '../src/testing/database.ts'
import { testComposition } from './composition.ts'
import { databaseFolder } from './database-folder.ts'

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

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bundles = ensureBundles()
  const given = process.env[project.name === 'sql' ? 'TEST_SQL_DATABASE_URL' : 'TEST_DATABASE_URL']
  const postgres = given
    ? null
    : await openTestPostgres(join(await databaseFolder(), `dodeca-test-${userInfo().uid}`))
  const admin_url = given ?? postgres?.url ?? ''
  await dropClones(admin_url, pid => !isRunning(pid))
  project.provide('admin_url', admin_url)
  project.provide('pooler_url', process.env['TEST_POOLER_URL'])
  project.provide('template', await templateOf(admin_url, testComposition('')))
  project.provide('product_template', await templateOf(admin_url, composition))
  await bundles
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-run-'))
  project.provide('folder', folder)
  return async () => {
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
