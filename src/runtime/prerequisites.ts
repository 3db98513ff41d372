/**
 * Prepares the things that a process needs: its data folder, its keys, PostgreSQL (external or
 * embedded), and in development the sandbox. Every error here is a sentence that gives the next
 * step.
 */
import { fileURLToPath } from 'node:url'
import type { Config } from './config.ts'
import { holdCompanion } from './child-processes.ts'
import { openDataDir, writeJson, type DataDir } from './data-dir.ts'
import { reachDatabase } from './postgres/external-postgres.ts'
import { openPostgres } from './postgres/start-embedded.ts'
import { StartError, type Keyring } from '#dodeca/kernel'
import { openKeyring } from '../kernel/keys.ts'

export type Ground = {
  readonly data_dir: DataDir
  readonly keys: Keyring
  readonly database_url: string
  /** Connects to PostgreSQL itself, for features that do not work through a transaction pooler. */
  readonly direct_url: string
  readonly embedded: boolean
  /** Whether another process of this data folder has started the database. */
  readonly joined: boolean
  readonly sandbox: boolean
  /** Writes the address of this process into the data folder. */
  announce(facts: { port: number; public_url: string }): Promise<void>
  release(): Promise<void>
}

/** `vendors`: modules with the doubles of vendors, besides those of the sandbox. */
export async function layGround(
  config: Config,
  progress: (line: string) => void,
  vendors: readonly URL[] = [],
): Promise<Ground> {
  const { settings } = config
  const direct = settings['kernel.database_direct_url']
  const data_dir = openDataDir(config.data_dir)
  const keys = await openKeyring({
    keyring: settings['kernel.keyring'],
    pepper: settings['kernel.pepper'],
    file: data_dir.file('keys.json'),
    may_create: config.profile === 'development',
  })
  if (direct) await reachDatabase(direct, 'KERNEL_DATABASE_DIRECT_URL')
  // PostgreSQL and the sandbox start in parallel, so that the start takes only as long as the
  // slower one.
  const [database, sandbox] = await bothOrNeither(
    config.database_url
      ? reachDatabase(config.database_url)
      : openPostgres({ data_dir: config.data_dir, progress }),
    settings['kernel.sandbox'] ? holdSandbox(data_dir, vendors) : Promise.resolve(null),
  )
  return {
    data_dir,
    keys,
    database_url: database.url,
    direct_url: direct ?? database.url,
    embedded: config.database_url === null,
    joined: database.joined,
    sandbox: sandbox !== null,
    announce: async ({ port, public_url }) => {
      const facts = { pid: process.pid, port, public_url, database_url: database.url }
      writeJson(data_dir.file('runtime.json'), facts)
    },
    release: async () => {
      await sandbox?.release()
      await database.release()
    },
  }
}

type Releasable = { release(): unknown } | null

/** If one of them cannot be opened, the other is closed before the error is thrown. */
async function bothOrNeither<A extends Releasable, B extends Releasable>(
  one: Promise<A>,
  other: Promise<B>,
): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([one, other])
  if (first.status === 'fulfilled' && second.status === 'fulfilled') {
    return [first.value, second.value]
  }
  for (const had of [first, second]) {
    if (had.status === 'fulfilled') await had.value?.release()
  }
  throw first.status === 'rejected' ? first.reason : (second as PromiseRejectedResult).reason
}

/**
 * The sandbox's addresses are in the data folder, where the platform and the vendors' adapters read
 * them.
 */
async function holdSandbox(data_dir: DataDir, vendors: readonly URL[]) {
  const main = fileURLToPath(new URL('../sandbox/main.ts', import.meta.url))
  return await holdCompanion(data_dir, 'sandbox', async launch => {
    const argv = [process.execPath, main, data_dir.path, ...vendors.map(({ href }) => href)]
    const launched = await launch({ argv, env: {} })
    while (!launched.output().includes('ready')) {
      if (launched.ended()) {
        throw new StartError(
          `The sandbox did not start: ${launched.output().slice(-500)} Set KERNEL_SANDBOX=false to start without it.`,
        )
      }
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    return {}
  })
}
