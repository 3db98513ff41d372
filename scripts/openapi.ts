/**
 * The OpenAPI document of the product's own routes. Opening a platform starts nothing, so neither a
 * database nor a port is needed, and the keys are temporary.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { loadConfig } from '../src/settings.ts'
import { noTelemetry } from '../src/kernel/observability/telemetry.ts'
import { openKeyring } from '../src/kernel/keys.ts'
import { openLog } from '../src/kernel/observability/log.ts'
import { openPlatform, type Platform } from '../src/runtime/open-platform.ts'
import { composition } from '../src/platform.ts'

const root = resolve(import.meta.dirname, '..')

/** The product with its defaults, opened but not started. */
export async function openProduct(): Promise<Platform> {
  const { version } = JSON.parse(await readFile(resolve(root, 'package.json'), 'utf8')) as {
    version: string
  }
  const nowhere = 'postgres://127.0.0.1:1/none'
  const fresh = () => randomBytes(32).toString('base64')
  return openPlatform({
    config: loadConfig({ PUBLIC_URL: 'http://localhost:8080' }, {}),
    composition,
    database_url: nowhere,
    direct_url: nowhere,
    keys: await openKeyring({
      keyring: `document:${fresh()}`,
      pepper: fresh(),
      file: '',
      may_create: false,
    }),
    log: openLog({ level: 'silent', readable: false }),
    telemetry: noTelemetry,
    version,
  })
}

/** The text of docs/openapi.json: indented, so that two versions can be compared. */
export async function openApiText(): Promise<string> {
  const product = await openProduct()
  try {
    return `${JSON.stringify(JSON.parse(product.document()), null, 2)}\n`
  } finally {
    await product.stop()
  }
}
