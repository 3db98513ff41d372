/** The product in this process, and the sandbox's Stripe in a process of its own. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Db } from '../../src/kernel/database/db.ts'
import { composition } from '../../src/platform.ts'
import { start } from '../../src/runtime/start.ts'
import { loadConfig } from '../../src/settings.ts'
import type { Face } from '../../src/surfaces/payments/face.ts'
import type { Bench } from '../ground/comparison.ts'

export type Ground = {
  readonly database_url: string
  readonly port: number
  readonly db: Db
  readonly face: Face
  readonly stripe: Readonly<Record<string, string>>
  control(path: string, body?: object, method?: string): Promise<void>
  close(): Promise<void>
}

export async function openGround({ database }: Bench): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-payments-'))
  const main = fileURLToPath(new URL('../../src/sandbox/main.ts', import.meta.url))
  const sandbox = spawn(process.execPath, [main, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>(resolve => sandbox.stdout.once('data', () => resolve()))
  const text = await readFile(join(folder, 'sandbox', 'addresses.json'), 'utf8')
  const { stripe = {} } = JSON.parse(text) as Record<string, Record<string, string>>
  const database_url = await database.create('payments')
  const running = await start(
    loadConfig(
      {},
      {
        DATABASE_URL: database_url,
        DATA_DIR: folder,
        PORT: '0',
        LOG_LEVEL: 'silent',
        KERNEL_SANDBOX: 'false',
        KERNEL_RATE_FACTOR: '1000000',
        KERNEL_OVERLOAD_DELAY_MS: '60000',
        PAYMENTS_STRIPE_SECRET_KEY: stripe['key'],
        PAYMENTS_STRIPE_BASE_URL: stripe['api'],
        PAYMENTS_STRIPE_WEBHOOK_SECRETS: stripe['webhook_secret'],
        PAYMENTS_RECONCILE_SECONDS: '86400',
        PAYMENTS_EVENT_CATCHUP_SECONDS: '86400',
        PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
      },
    ),
    () => {},
    composition,
  )
  return {
    database_url,
    port: running.port,
    db: running.platform.kernel.db,
    face: running.platform.opened['payments']?.face as Face,
    stripe,
    control: async (path, body = {}, method = 'POST') => {
      await fetch(new URL(path, stripe['control']), {
        method,
        ...(method === 'POST'
          ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
          : {}),
      })
    },
    close: async () => {
      await running.stop()
      sandbox.kill('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
