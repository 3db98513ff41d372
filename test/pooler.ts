/**
 * How a platform under test reaches its database: PostgreSQL itself or, where the run has a pooler in
 * transaction mode (TEST_POOLER_URL), through that. Behind the pooler a process beside the platform has a
 * data folder of its own and the same keys, as on another machine.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'

export type Reach = {
  /** What a platform is configured with to use its database. */
  readonly environment: Record<string, string>
  /** The same for a process beside that platform. */
  readonly beside: Record<string, string>
}

export function reach(url: URL): Reach {
  const pooler_url = inject('pooler_url')
  if (!pooler_url) {
    // On a busy machine many who wait for one row wait for longer than the 2 s of a role.
    const patient = new URL(url)
    patient.searchParams.set('options', '-c lock_timeout=10s')
    return { environment: { DATABASE_URL: patient.toString().replaceAll('+', '%20') }, beside: {} }
  }
  const pooled = new URL(pooler_url)
  pooled.pathname = url.pathname
  const environment = {
    DATABASE_URL: pooled.toString(),
    KERNEL_DATABASE_DIRECT_URL: url.toString(),
    // Debian 12 has PgBouncer 1.18.
    KERNEL_DATABASE_PREPARE: 'false',
    KERNEL_KEYRING: `k1:${randomBytes(32).toString('base64')}`,
    KERNEL_PEPPER: randomBytes(32).toString('base64'),
  }
  return { environment, beside: { DATA_DIR: mkdtempSync(join(tmpdir(), 'dodeca-beside-')) } }
}
