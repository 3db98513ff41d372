/**
 * A database in this process with the platform's tables and the parts of the kernel that handle
 * clicks, for measuring without the platform around them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openClock } from '#dodeca/kernel'
import { openDb } from '../../src/kernel/database/db.ts'
import type { Kernel } from '../../src/surfaces/links/settings.ts'
import type { Database } from '../ground/database.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { startProgram } from '../ground/program.ts'

export type Tables = { readonly url: string; readonly kernel: Kernel }

export async function withTables<T>(
  database: Database,
  measure: (tables: Tables) => Promise<T>,
): Promise<T> {
  const url = await migrated(database)
  const db = openDb({
    url,
    pool: 4,
    wait_ms: 5000,
    check_rows: false,
    application_name: 'bench',
    outbox: () => [],
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
  // The parts that storing, reading and adding up clicks use. Access to the rest fails.
  const kernel = {
    db,
    clock: openClock(),
    fault: () => undefined,
    settings: { 'links.click_retention_days': 90 },
  } as unknown as Kernel
  try {
    return await measure({ url, kernel })
  } finally {
    await db.close()
  }
}

/** By the platform itself. */
async function migrated(database: Database): Promise<string> {
  const url = await database.create('statistics')
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-bench-statistics-'))
  const program = await startProgram({
    ...productionEnvironment(url),
    DATA_DIR: data_dir,
    PUBLIC_URL: 'http://dodeca.test',
  })
  await program.stop()
  await rm(data_dir, { recursive: true, force: true })
  return url
}
