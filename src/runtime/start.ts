/**
 * Starts a process of the platform. It prepares what the process needs (data folder, keys,
 * PostgreSQL, sandbox), migrates, opens the composition and begins to serve. Tests and benchmarks
 * start other compositions.
 */
import { migrate, type MigrationSource } from '../kernel/database/migrate.ts'
import type { Log } from '#dodeca/kernel'
import { openLog } from '../kernel/observability/log.ts'
import { openTelemetry } from '../kernel/observability/telemetry.ts'
import { vendorsOf, type Composition } from './platform-parts.ts'
import { refuseUnknownPoints } from './dev/fault-points.ts'
import type { Config } from './config.ts'
import { firstAdministrator, type Administrator } from './first-administrator.ts'
import { openPlatform, type Platform } from './open-platform.ts'
import { ownVersion } from './own-version.ts'
import { layGround, type Ground } from './prerequisites.ts'
import type { Member } from './processes/member.ts'
import { readPublicFiles } from './public-files.ts'
import type { StartFacts } from './start-facts.ts'

export type Running = {
  readonly platform: Platform
  readonly ground: Ground
  readonly log: Log
  readonly port: number
  readonly migrated: number
  readonly administrator: Administrator | null
  /** Advice for the operator: one sentence for each point, with the next step. */
  readonly advice: readonly string[]
  stop(): Promise<void>
}

/** Returns every migration of a composition, the kernel's first. */
export function migrationSources({ surfaces }: Composition): MigrationSource[] {
  const kernel = { schema: 'kernel', folder: new URL('../kernel/migrations/', import.meta.url) }
  return [kernel, ...surfaces.map(one => ({ schema: one.name, folder: one.migrations }))]
}

export async function start(
  config: Config,
  progress: (line: string) => void,
  composition: Composition,
  member?: Member,
): Promise<Running> {
  const log = openLog({
    level: config.log_level,
    readable: process.stdout.isTTY,
    process: member?.number,
  })
  refuseUnknownPoints(config.settings['kernel.faults'], composition.surfaces)
  const files = await publicFilesOf(config, composition)
  const ground = await layGround(config, progress, vendorsOf(composition))
  let begun: Platform | undefined
  try {
    const { database_url, direct_url, keys } = ground
    const migrated = await migrate({
      url: direct_url,
      sources: migrationSources(composition),
      statement_timeout_ms: config.settings['kernel.statement_timeout_ms'],
      onNewer: migrations =>
        log.warn(
          { migrations },
          'a newer release has migrated the database; this one can run on it',
        ),
    })
    const version = await ownVersion()
    const telemetry = await openTelemetry(config.otel_endpoint, version)
    const platform = openPlatform({
      config,
      composition,
      database_url,
      direct_url,
      keys,
      log,
      telemetry,
      version,
      files,
      member,
    })
    begun = platform
    const administrator = await firstAdministrator(config)
    await platform.prepare(administrator)
    const advice = await platform.advice()
    const port = await platform.start()
    // With several processes, the parent announces the port with its own pid.
    if (!member) await ground.announce({ port, public_url: config.public_url })
    const stop = async () => {
      await platform.stop()
      await telemetry.close()
      await ground.release()
    }
    const done = migrated.length
    return { platform, ground, log, port, migrated: done, administrator, advice, stop }
  } catch (error) {
    // Parts that already run (the sequencer, loops) would keep the process from ending.
    await begun?.stop().catch((error_: unknown) => {
      log.warn({ err: error_ }, 'a start failed, and what had begun did not end in order')
    })
    await ground.release()
    throw error
  }
}

/** Only processes with the api role serve them. */
async function publicFilesOf(config: Config, composition: Composition) {
  if (!composition.public || !config.roles.includes('api')) return null
  return await readPublicFiles(composition.public, config.profile === 'development')
}

export function factsOf(running: Running): StartFacts {
  const { port, migrated, platform, ground, administrator, advice } = running
  const { sandbox, embedded, joined } = ground
  const has = (page: string) => platform.routes.some(({ path }) => path === page)
  return {
    port,
    migrated,
    operations: platform.routes.filter(({ hidden }) => !hidden).length,
    has_console: has('/console'),
    has_account_page: has('/account/'),
    sandbox,
    embedded,
    joined,
    administrator,
    advice,
  }
}
