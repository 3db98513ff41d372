/**
 * A platform that is only asked for its routes and its document. Opening it starts nothing, so
 * neither a database nor a port is needed, and the keys are temporary.
 */
import { randomBytes } from 'node:crypto'
import { openKeyring } from '../kernel/keys.ts'
import { openLog } from '../kernel/observability/log.ts'
import { noTelemetry } from '../kernel/observability/telemetry.ts'
import type { Composition } from './platform-parts.ts'
import type { Config } from './config.ts'
import { openPlatform, type Platform } from './open-platform.ts'
import { ownVersion } from './own-version.ts'

export async function openUnconnected(config: Config, composition: Composition): Promise<Platform> {
  const nowhere = 'postgres://127.0.0.1:1/none'
  const fresh = () => randomBytes(32).toString('base64')
  return openPlatform({
    config,
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
    version: await ownVersion(),
  })
}
