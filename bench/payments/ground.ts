/** The product in this process, and the sandbox's Stripe in a process of its own. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Db } from '#dodeca/kernel'
import { composition } from '../../src/platform.ts'
import { start } from '../../src/runtime/start.ts'
import { loadConfig } from '../../src/settings.ts'
import type { Inside } from '../../src/surfaces/payments/face.ts'
import type { Bench } from '../ground/comparison.ts'
import { productionEnvironment } from '../ground/platform.ts'

export type Ground = {
  readonly database_url: string
  readonly db: Db
  readonly face: Inside
  readonly stripe: Readonly<Record<string, string>>
  control(path: string, body?: object, method?: string): Promise<void>
  close(): Promise<void>
}

/** The sandbox takes the place of Stripe. */
export function providerEnvironment(stripe: Ground['stripe']): Record<string, string> {
  return {
    PAYMENTS_STRIPE_SECRET_KEY: stripe['key'] ?? '',
    PAYMENTS_STRIPE_BASE_URL: stripe['api'] ?? '',
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: stripe['webhook_secret'] ?? '',
  }
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
        ...productionEnvironment(database_url),
        DATA_DIR: folder,
        PUBLIC_URL: 'http://dodeca.test',
        KERNEL_SANDBOX: 'false',
        KERNEL_OVERLOAD_DELAY_MS: '60000',
        ...providerEnvironment(stripe),
        PAYMENTS_RECONCILE_SECONDS: '86400',
        PAYMENTS_EVENT_CATCHUP_SECONDS: '86400',
        PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
        // Doubts wait until the measurement begins, and lost answers do not stop their making for long.
        PAYMENTS_RESOLVE_FIRST_SECONDS: '3600',
        PAYMENTS_BREAKER_OPEN_MS: '10',
      },
    ),
    () => {},
    composition,
  )
  return {
    database_url,
    db: running.platform.kernel.db,
    face: running.platform.opened['payments']?.face as Inside,
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
