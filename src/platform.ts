/**
 * The composition root: prepares the ground (data folder, keys, PostgreSQL, sandbox), migrates, opens the
 * surfaces in their order and plugs their faces into each other. There is no container; this file is it.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Config } from './runtime/config.ts'
import { firstAdministrator, type Administrator } from './runtime/first-administrator.ts'
import { migrate, type MigrationSource } from './kernel/database/migrate.ts'
import { gather, type AnySurface } from './runtime/gather.ts'
import { openLog, type Log } from './kernel/observability/log.ts'
import { openPlatform, type Platform } from './runtime/open-platform.ts'
import type { Composition } from './runtime/composition.ts'
import { openTelemetry } from './kernel/observability/telemetry.ts'
import { layGround, type Ground } from './runtime/prerequisites.ts'
import { identity } from './surfaces/identity/surface.ts'
import { jobs } from './surfaces/jobs/surface.ts'
import { links } from './surfaces/links/surface.ts'
import { webhooks } from './surfaces/webhooks/surface.ts'

const surfaces: readonly AnySurface[] = [identity, jobs, links, webhooks]

export const composition: Composition = {
  surfaces,
  open: kernel => {
    const { permissions, declared } = gather(surfaces)
    const people = identity.open(kernel, { permissions })
    const work = jobs.open(kernel, { people: people.face.administration })
    const shortener = links.open(kernel, {
      jobs: work.face,
      people: people.face.administration,
      owners: people.face,
    })
    const inbound = [people, work, shortener].flatMap(one => one.inbound ?? [])
    const hooks = webhooks.open(kernel, {
      events: declared,
      inbound,
      jobs: work.face,
      people: people.face.administration,
      owners: people.face,
    })
    const opened = [people, work, shortener, hooks]
    work.face.offer(opened.flatMap(one => one.jobTypes ?? []))
    return {
      opened,
      access: people.face.access,
      prepare: people.face.prepare,
    }
  },
}

export type Running = {
  readonly platform: Platform
  readonly ground: Ground
  readonly log: Log
  readonly port: number
  readonly migrated: number
  readonly administrator: Administrator | null
  stop(): Promise<void>
}

/** Every migration that a composition owns, the kernel's first. */
export function migrationSources({ surfaces }: Composition): MigrationSource[] {
  const kernel = { schema: 'kernel', folder: new URL('./kernel/migrations/', import.meta.url) }
  return [kernel, ...surfaces.map(one => ({ schema: one.name, folder: one.migrations }))]
}

export async function start(
  config: Config,
  progress: (line: string) => void,
  composed: Composition = composition,
): Promise<Running> {
  const log = openLog({ level: config.log_level, readable: process.stdout.isTTY })
  const ground = await layGround(config, progress)
  let begun: Platform | undefined
  try {
    const { database_url, direct_url, keys } = ground
    const migrated = await migrate({
      url: direct_url,
      sources: migrationSources(composed),
      statement_timeout_ms: config.settings['kernel.statement_timeout_ms'],
    })
    const version = await ownVersion()
    const telemetry = await openTelemetry(config.otel_endpoint, version)
    const platform = openPlatform({
      config,
      composition: composed,
      database_url,
      direct_url,
      keys,
      log,
      telemetry,
      version,
    })
    begun = platform
    const administrator = await firstAdministrator(config)
    await platform.prepare(administrator)
    const port = await platform.start()
    await ground.announce({ port, public_url: config.public_url })
    const stop = async () => {
      await platform.stop()
      await telemetry.close()
      await ground.release()
    }
    return { platform, ground, log, port, migrated: migrated.length, administrator, stop }
  } catch (error) {
    // What had begun already (the sequencer, loops) would keep the process from ending.
    await begun?.stop()
    await ground.release()
    throw error
  }
}

async function ownVersion(): Promise<string> {
  const file = fileURLToPath(new URL('../package.json', import.meta.url))
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
}
