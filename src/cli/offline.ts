/**
 * Opens the platform for a command. It joins a running database, or starts a database for the
 * duration of the command. The platform has the same wiring as a real process, but no server and no
 * background work.
 */
import { userInfo } from 'node:os'
import type { Config } from '../runtime/config.ts'
import { noTelemetry } from '../kernel/observability/telemetry.ts'
import type { AuditDraft, AuditFacts } from '../kernel/database/drafts.ts'
import { pendingMigrations, type Migration } from '../kernel/database/migrate.ts'
import { ownVersion } from '../runtime/own-version.ts'
import { layGround, type Ground } from '../runtime/prerequisites.ts'
import { openLog } from '../kernel/observability/log.ts'
import type { Platform } from '../runtime/open-platform.ts'
import { StartError } from '#dodeca/kernel'
import type { Call } from './command.ts'

export type Offline = {
  readonly config: Config
  readonly ground: Ground
  readonly platform: Platform
  /** Migrations that are in the code and not yet in the database. */
  pending(): Promise<Migration[]>
  /** Writes an audit record of an administrative act. */
  audit(act: Act): Promise<void>
}

export type Act = Pick<AuditDraft, 'action' | 'target'> & { reason?: string }

/** Runs `work` on an opened platform, and always closes it. */
export async function offline<T>(
  call: Call,
  work: (platform: Offline) => Promise<T>,
  overrides: Readonly<Record<string, string>> = {},
): Promise<T> {
  const config = call.config({
    KERNEL_SANDBOX: 'false',
    KERNEL_DRAIN_SECONDS: '0',
    KERNEL_FAULTS: '',
    ROLES: 'api',
    ...overrides,
  })
  const ground = await layGround(config, call.terminal.progress)
  try {
    const platform = await open(call, config, ground)
    try {
      return await work({
        config,
        ground,
        platform,
        pending: async () =>
          await pendingMigrations(await migrationOptions(config, ground, call.composition)),
        audit: async act => {
          await platform.kernel.db.tx(async tx => tx.audit(act.action, act.target, factsOf(act)))
        },
      })
    } finally {
      await platform.stop()
    }
  } finally {
    await ground.release()
  }
}

/** Opens the platform in the same way, for commands that require a database with all migrations. */
export async function onCurrentDatabase<T>(
  call: Call,
  work: (platform: Offline) => Promise<T>,
): Promise<T> {
  return await offline(call, async platform => {
    if ((await platform.pending()).length > 0) {
      throw new StartError(
        'The database is not up to date. Run `npx dodeca migrate`, or start the platform once.',
      )
    }
    await platform.platform.checkKeys()
    return await work(platform)
  })
}

export async function migrationOptions(
  config: Config,
  ground: Ground,
  composition: Call['composition'],
) {
  const { migrationSources } = await import('../runtime/start.ts')
  return {
    url: ground.direct_url,
    sources: migrationSources(await composition()),
    statement_timeout_ms: config.settings['kernel.statement_timeout_ms'],
  }
}

export function actor(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    // In a container the account may have no name.
    return `cli:${process.getuid?.() ?? 0}`
  }
}

export function factsOf({ reason }: Pick<Act, 'reason'>): AuditFacts {
  return { by: { tenant_id: null, id: actor() }, reason }
}

async function open(call: Call, config: Config, ground: Ground): Promise<Platform> {
  const { openPlatform } = await import('../runtime/open-platform.ts')
  const level = config.log_level === 'info' ? 'warn' : config.log_level
  return openPlatform({
    config,
    composition: await call.composition(),
    database_url: ground.direct_url,
    // An operator sees how long a command takes.
    unhurried: true,
    direct_url: ground.direct_url,
    keys: ground.keys,
    log: openLog({ level, readable: false, to: call.terminal.streams.stderr }),
    telemetry: noTelemetry,
    version: await ownVersion(),
  })
}
