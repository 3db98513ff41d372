/**
 * Verifies a backup. It checks that every byte is unchanged, that a temporary PostgreSQL recovers
 * from a copy, that every table can be read, and that the migrations match the manifest. Then it
 * runs the caller's own checks on the recovered platform. The backup itself is never opened for
 * writing.
 */
/* oxlint-disable node/no-sync -- a command of its own: nothing is served while it runs */
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { companionStopped } from '../child-processes.ts'
import { openDataDir } from '../data-dir.ts'
import { openPostgres, postgres_companion } from '../postgres/start-embedded.ts'
import { StartError } from '#dodeca/kernel'
import { readMigrationHead, unreadableTables } from './facts.ts'
import { alterations, readManifest, type Manifest } from './manifest.ts'
import { placeBackup } from './restore.ts'

export type VerifyOptions = {
  readonly folder: string
  progress(line: string): void
  /**
   * The violations that the platform finds when it is opened on a data folder. Empty if there are
   * none.
   */
  checkPlatform(data_dir: string): Promise<readonly string[]>
}

export type Verdict = {
  readonly manifest: Manifest
  /**
   * Whether the platform was started on the copy. A backup without a database cannot be started.
   */
  readonly started: boolean
  readonly violations: readonly string[]
}

export async function verifyBackup(options: VerifyOptions): Promise<Verdict> {
  const { folder, progress } = options
  const manifest = await readManifest(folder)
  progress(`Comparing ${Object.keys(manifest.files).length} files with the manifest …`)
  const altered = await alterations(folder, manifest)
  if (altered.length > 0 || manifest.database === null) {
    return { manifest, started: false, violations: altered }
  }
  const scratch = fs.mkdtempSync(join(tmpdir(), 'dodeca-verify-'))
  // As root, PostgreSQL runs under another account, which must be able to enter the folder.
  if (process.geteuid?.() === 0) fs.chmodSync(scratch, 0o711)
  try {
    return { manifest, started: true, violations: await tryOut(options, manifest, scratch) }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { manifest, started: true, violations: [error.message] }
  } finally {
    await clear(scratch)
  }
}

async function tryOut(
  { folder, progress, checkPlatform }: VerifyOptions,
  manifest: Manifest,
  scratch: string,
): Promise<string[]> {
  const data_dir = join(scratch, 'data')
  const silent = () => undefined
  await placeBackup({ folder, data_dir, database_url: null, progress: silent }, manifest)
  progress('Recovering a copy of the database …')
  // The copy is temporary, so its files need not be synchronized to the disk.
  const settings = { fsync: 'off' }
  const postgres = await openPostgres({ data_dir, progress, settings }).catch((error: unknown) => {
    throw recoveryFailure(data_dir) ?? error
  })
  try {
    const found = await unreadableTables(postgres.url)
    const head = await readMigrationHead(postgres.url)
    if (JSON.stringify(head) !== JSON.stringify(manifest.migrations)) {
      found.push(
        `the migrations are at ${JSON.stringify(head)}, not at ${JSON.stringify(manifest.migrations)}`,
      )
    }
    if (found.length > 0) return found
    progress('Checking the invariants of the platform …')
    return [...(await checkPlatform(data_dir))]
  } finally {
    await postgres.release()
  }
}

/** Returns the reason from the server's log, because the log is deleted with the copy. */
function recoveryFailure(data_dir: string): StartError | undefined {
  const log = join(data_dir, 'companions', `${postgres_companion}.log`)
  if (!fs.existsSync(log)) return undefined
  const fatal = fs
    .readFileSync(log, 'utf8')
    .split('\n')
    .findLast(line => /(FATAL|PANIC): /.test(line) && !line.includes('the database system is'))
  const reason = fatal?.replace(/^.*?(FATAL|PANIC): +/, '')
  return reason ? new StartError(`a copy of the database does not recover: ${reason}`) : undefined
}

/** The database may be in another place that the account of PostgreSQL can access. */
async function clear(scratch: string): Promise<void> {
  const path = join(scratch, 'data')
  if (fs.existsSync(path)) {
    const data_dir = openDataDir(path)
    await companionStopped(data_dir, postgres_companion, 120_000)
    const link = fs.lstatSync(data_dir.postgres, { throwIfNoEntry: false })
    if (link?.isSymbolicLink()) {
      fs.rmSync(dirname(fs.readlinkSync(data_dir.postgres)), { recursive: true, force: true })
    }
  }
  fs.rmSync(scratch, { recursive: true, force: true })
}
