/**
 * Creates a backup in this order: the database, the objects, the keys, and the manifest. The
 * objects follow the database, so that the backup has every object that a row refers to. Each file
 * is hashed while it is copied. The manifest lists the parts that cannot be included. A backup that
 * fails leaves nothing behind.
 */
/* oxlint-disable node/no-sync -- a command of its own: nothing is served while it runs */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { DataDir } from '../data-dir.ts'
import { codeOf, StartError } from '#dodeca/kernel'
import { syncFolder } from '../../kernel/objects/files.ts'
import { copyFile, hashFile, inLanes, makeFolders, treeOf, type Copied } from './copy.ts'
import { dump_file, dumpDatabase } from './dump.ts'
import { readMigrationHead, readServerVersion } from './facts.ts'
import { writeManifest, type Manifest } from './manifest.ts'
import { copyOnline } from './online-copy.ts'

export type BackupSource = {
  readonly data_dir: DataDir
  /** The data folder of PostgreSQL itself. */
  readonly url: string
  readonly embedded: boolean
  /** Whether the keys are in the environment and not in the data folder. */
  readonly keys_given: boolean
  /** The bucket with the objects, if they are not in the data folder. */
  readonly bucket?: string
  readonly version: string
  readonly created_at: string
}

type Parts = {
  files: Map<string, Copied>
  folders: string[]
  included: string[]
  not_included: string[]
}

export async function createBackup(
  source: BackupSource,
  to: string,
  progress: (line: string) => void,
): Promise<Manifest> {
  const folder = resolve(to)
  await claimFolder(folder, source.data_dir)
  try {
    return await fill(source, folder, progress)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function fill(
  source: BackupSource,
  folder: string,
  progress: (line: string) => void,
): Promise<Manifest> {
  const parts: Parts = { files: new Map(), folders: [], included: [], not_included: [] }
  const migrations = await readMigrationHead(source.url)
  const database = source.embedded
    ? await takeCluster(source, folder, parts, progress)
    : await takeDump(source, folder, parts, progress)
  await takeObjects(source, folder, parts)
  await takeKeys(source, folder, parts)
  for (const name of parts.folders) await syncFolder(join(folder, name))
  const manifest: Manifest = {
    format: 1,
    version: source.version,
    created_at: source.created_at,
    database,
    migrations,
    included: parts.included,
    not_included: parts.not_included,
    folders: parts.folders,
    files: Object.fromEntries(parts.files),
  }
  await writeManifest(folder, manifest)
  return manifest
}

/** A folder that only this backup uses. */
async function claimFolder(folder: string, data_dir: DataDir): Promise<void> {
  if (`${folder}${sep}`.startsWith(`${data_dir.path}${sep}`)) {
    throw new StartError(
      `${folder} is inside the data folder and would be lost together with it. Name another folder.`,
    )
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await readdir(folder)).length === 0) return
  } catch (error) {
    throw new StartError(
      `The folder ${folder} cannot be created (${codeOf(error)}). Name another one.`,
    )
  }
  throw new StartError(`${folder} is not empty. Name a folder that does not exist yet.`)
}

async function takeCluster(
  { data_dir, url }: BackupSource,
  folder: string,
  parts: Parts,
  progress: (line: string) => void,
): Promise<Manifest['database']> {
  let shown = 0
  progress('Copying the database …')
  const copy = await copyOnline({
    url,
    cluster: data_dir.postgres,
    to: join(folder, 'postgres'),
    progress: bytes => {
      if (bytes - shown < 512 * 1024 * 1024) return
      shown = bytes
      progress(`Copying the database, ${Math.round(bytes / 1024 / 1024)} MB …`)
    },
  })
  for (const [path, copied] of copy.files) parts.files.set(`postgres/${path}`, copied)
  parts.folders.push('postgres', ...copy.folders.map(path => `postgres/${path}`))
  parts.included.push('database')
  return copy.database
}

async function takeDump(
  { url }: BackupSource,
  folder: string,
  parts: Parts,
  progress: (line: string) => void,
): Promise<Manifest['database']> {
  progress('Dumping the database …')
  const file = join(folder, dump_file)
  if (!(await dumpDatabase(url, file))) {
    parts.not_included.push(
      'database: it is at DATABASE_URL and there is no pg_dump on the PATH; use the backups of that database',
    )
    return null
  }
  parts.files.set(dump_file, await hashFile(file))
  parts.included.push('database')
  return { kind: 'dump', postgres_version: await readServerVersion(url) }
}

async function takeObjects(
  { data_dir, bucket }: BackupSource,
  folder: string,
  parts: Parts,
): Promise<void> {
  if (bucket !== undefined) {
    parts.not_included.push(`objects: they are in the bucket ${bucket}; use its versions or copies`)
    return
  }
  const from = join(data_dir.path, 'objects')
  if (existsSync(join(data_dir.path, 'retrieval'))) {
    parts.not_included.push('search indexes: they are rebuilt from the database')
  }
  if (!existsSync(from)) return
  const to = join(folder, 'objects')
  const { folders, files } = await treeOf(from)
  await makeFolders(to, folders)
  parts.folders.push('objects', ...folders.map(path => `objects/${path}`))
  await inLanes(files, async path => {
    // An object may be deleted meanwhile. Then its row is deleted too, or soon will be.
    const copied = await copyFile(join(from, path), join(to, path)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    if (copied) parts.files.set(`objects/${path}`, copied)
  })
  parts.included.push('objects')
}

async function takeKeys(
  { data_dir, keys_given }: BackupSource,
  folder: string,
  parts: Parts,
): Promise<void> {
  const names = { 'keys.json': 'keys', 'admin.json': 'first administrator' } as const
  for (const [file, what] of Object.entries(names)) {
    const from = data_dir.file(file as keyof typeof names)
    if (!existsSync(from)) continue
    parts.files.set(file, await copyFile(from, join(folder, file)))
    parts.included.push(what)
  }
  if (!keys_given) return
  parts.not_included.push(
    'keys: KERNEL_KEYRING and KERNEL_PEPPER hold them; without them no sealed value can be read',
  )
}
