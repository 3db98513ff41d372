/**
 * Restores a backup into an empty data folder. Nothing is written before every hash is verified.
 * Until the database is complete, a broken link is in its place, so that the platform cannot start
 * with half a database.
 */
/* oxlint-disable node/no-sync -- a command of its own: nothing is served while it runs */
import * as fs from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { companionStopped } from '../child-processes.ts'
import { openDataDir, type DataDir } from '../data-dir.ts'
import {
  type Account,
  type Binaries,
  lentAccount,
  mayUse,
  nativeDir,
  usableBinaries,
} from '../postgres/embedded-binaries.ts'
import { openCluster } from '../postgres/data-folder.ts'
import { openPostgres, postgres_companion } from '../postgres/start-embedded.ts'
import { StartError } from '#dodeca/kernel'
import { syncFolder } from '../../kernel/objects/files.ts'
import { copyFile, inLanes, makeFolders } from './copy.ts'
import { dump_file, restoreDump } from './dump.ts'
import { readMigrationHead } from './facts.ts'
import { alterations, readManifest, type Manifest } from './manifest.ts'

export type RestoreOptions = {
  readonly folder: string
  readonly data_dir: string
  /** Null for the embedded PostgreSQL. */
  readonly database_url: string | null
  progress(line: string): void
}

const system_dir = '/var/lib/dodeca'

export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const { folder, database_url, progress } = options
  await refuseOccupied(resolve(options.data_dir))
  const manifest = await readManifest(folder)
  if (database_url !== null) await refuseDatabase(database_url, manifest)
  progress('Comparing every file with the manifest …')
  const found = await alterations(folder, manifest)
  if (found.length > 0) {
    throw new StartError(
      `The backup is damaged: ${found.slice(0, 3).join('; ')}${found.length > 3 ? ' …' : ''}. ` +
        'Nothing was restored. Use another backup.',
    )
  }
  await placeBackup(options, manifest)
  return manifest
}

/** Restores files and database of a backup whose hashes are correct. */
export async function placeBackup(options: RestoreOptions, manifest: Manifest): Promise<void> {
  const { folder, database_url, progress } = options
  const data_dir = openDataDir(options.data_dir)
  const is_cluster = manifest.database?.kind === 'cluster'
  // A link without a target. It makes the platform refuse to start before the restore is complete.
  if (is_cluster) fs.symlinkSync(`${data_dir.postgres}.restoring.whole`, data_dir.postgres)
  await placeFiles(folder, manifest, data_dir)
  if (is_cluster) await placeCluster(folder, manifest, data_dir, progress)
  if (manifest.database?.kind !== 'dump') return
  progress('Restoring the database …')
  const file = join(folder, dump_file)
  if (database_url !== null) return await restoreDump(database_url, file)
  const postgres = await openPostgres({ data_dir: data_dir.path, progress })
  try {
    await restoreDump(postgres.url, file)
  } finally {
    await postgres.release()
  }
}

async function refuseOccupied(path: string): Promise<void> {
  if (!fs.existsSync(path) || fs.readdirSync(path).length === 0) return
  const data_dir = openDataDir(path)
  const runs =
    fs.existsSync(join(path, 'companions')) &&
    !(await companionStopped(data_dir, postgres_companion, 0))
  throw new StartError(
    runs
      ? `A platform is running on ${path}. Stop it, or restore into an empty folder: DATA_DIR=<folder>.`
      : `${path} is not empty, and a restore replaces nothing. Move it away, or name another folder with DATA_DIR.`,
  )
}

async function refuseDatabase(url: string, { database }: Manifest): Promise<void> {
  if (database?.kind === 'cluster') {
    throw new StartError(
      'This backup is a copy of the embedded PostgreSQL and cannot be restored to DATABASE_URL. Unset ' +
        'DATABASE_URL to restore it, then move the data with pg_dump.',
    )
  }
  if (database === null || Object.keys(await readMigrationHead(url)).length === 0) return
  throw new StartError(
    'The database at DATABASE_URL contains a platform already, and a restore replaces nothing. Name an empty one.',
  )
}

async function placeFiles(folder: string, manifest: Manifest, data_dir: DataDir): Promise<void> {
  const isOurs = (path: string) => path !== dump_file && !/^postgres(\/|$)/.test(path)
  const folders = manifest.folders.filter(isOurs)
  for (const path of folders) fs.mkdirSync(join(data_dir.path, path), { mode: 0o700 })
  await inLanes(Object.keys(manifest.files).filter(isOurs), async path => {
    await copyFile(join(folder, path), join(data_dir.path, path))
  })
  for (const path of ['', ...folders]) await syncFolder(join(data_dir.path, path))
}

async function placeCluster(
  folder: string,
  manifest: Manifest,
  data_dir: DataDir,
  progress: (line: string) => void,
): Promise<void> {
  const account = lentAccount(data_dir.postgres)
  const binaries = usableBinaries(nativeDir(), account, system_dir)
  const { postgres_version = '' } = manifest.database ?? {}
  if (Number.parseInt(postgres_version, 10) !== binaries.major) {
    throw new StartError(
      `The backup was made by PostgreSQL ${postgres_version}, and this platform contains PostgreSQL ` +
        `${binaries.major}. Restore it with the version of the platform that made it (${manifest.version}).`,
    )
  }
  const is_linked = account !== undefined && !mayUse(account, data_dir.path)
  const place = is_linked ? await placeElsewhere(data_dir, binaries, account) : data_dir.postgres
  progress('Copying the database …')
  const draft = `${place}.restoring`
  await copyCluster(join(folder, 'postgres'), draft, manifest, account)
  if (!is_linked) fs.unlinkSync(place)
  fs.renameSync(draft, place)
  await syncFolder(dirname(place))
}

/**
 * If the account that runs PostgreSQL has no access to the folder, the database is a link. Only
 * `openCluster` knows the target. `openCluster` creates an empty database there, and the restored
 * database then replaces the empty one.
 */
async function placeElsewhere(
  data_dir: DataDir,
  binaries: Binaries,
  account: Account,
): Promise<string> {
  fs.unlinkSync(data_dir.postgres)
  const place = await openCluster(data_dir, binaries, account, system_dir, () => undefined)
  fs.rmSync(place, { recursive: true })
  return place
}

async function copyCluster(
  from: string,
  to: string,
  manifest: Manifest,
  account: Account | undefined,
): Promise<void> {
  const below = (paths: readonly string[]) =>
    paths.flatMap(path => (path.startsWith('postgres/') ? [path.slice('postgres/'.length)] : []))
  const folders = below(manifest.folders)
  await makeFolders(to, folders)
  await inLanes(below(Object.keys(manifest.files)), async path => {
    await copyFile(join(from, path), join(to, path))
    if (account) fs.chownSync(join(to, path), account.uid, account.gid)
  })
  for (const path of ['', ...folders]) {
    if (account) fs.chownSync(join(to, path), account.uid, account.gid)
    await syncFolder(join(to, path))
  }
}
