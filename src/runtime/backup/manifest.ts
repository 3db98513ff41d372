/**
 * The manifest of a backup: its contents, its time, and the hash of every file. The manifest is
 * written last, so a folder without a manifest is not a backup. It contains a hash of itself, so
 * that any changed byte is noticed.
 */
import { createHash } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, StartError } from '#dodeca/kernel'
import { syncFolder } from '../../kernel/objects/files.ts'
import { hashFile, inLanes, treeOf, type Copied } from './copy.ts'

/** The newest migration of each schema. */
export type Head = Readonly<Record<string, number>>

export type ClusterCopy = {
  readonly kind: 'cluster'
  readonly postgres_version: string
  readonly timeline: number
  readonly start_lsn: string
  readonly stop_lsn: string
}

export type DumpCopy = { readonly kind: 'dump'; readonly postgres_version: string }

export type Manifest = {
  readonly format: 1
  /** The version of the platform. */
  readonly version: string
  readonly created_at: string
  /** Null if the database is at DATABASE_URL and could not be dumped. */
  readonly database: ClusterCopy | DumpCopy | null
  readonly migrations: Head
  readonly included: readonly string[]
  readonly not_included: readonly string[]
  readonly folders: readonly string[]
  readonly files: Readonly<Record<string, Copied>>
}

export const manifest_file = 'manifest.json'

/** Writes the manifest of a backup, or of the archive of a tenant, with a hash of itself. */
export async function writeManifest(folder: string, manifest: object): Promise<void> {
  const text = JSON.stringify({ ...manifest, sha256: sumOf(manifest) }, null, 2)
  const draft = join(folder, `${manifest_file}.new`)
  const file = await open(draft, 'wx', 0o600)
  await file.writeFile(`${text}\n`)
  await file.sync()
  await file.close()
  await rename(draft, join(folder, manifest_file))
  await syncFolder(folder)
}

export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifest_file)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'has no manifest.json' : `(${codeOf(error)})`
    throw new StartError(
      `${folder} is not a backup: it ${why}. A backup that was interrupted has none; name a complete one.`,
    )
  }
  const { sha256, ...manifest } = parsed(text) as Manifest & { sha256?: string }
  if (manifest.format !== 1 || sha256 !== sumOf(manifest)) {
    throw new StartError(
      `${path} was changed, or was written by another version. Use another backup.`,
    )
  }
  return manifest
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

export function sumOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
}

/** Returns every difference between the folder and its manifest, as sentences. */
export async function alterations(folder: string, manifest: Manifest): Promise<string[]> {
  const found: string[] = []
  const tree = await treeOf(folder, path => path === manifest_file)
  const present = new Set(tree.files)
  for (const path of Object.keys(manifest.files)) {
    if (!present.has(path)) found.push(`${path} is missing`)
  }
  await inLanes(tree.files, async path => {
    const wanted = manifest.files[path]
    if (!wanted) return void found.push(`${path} is not part of the backup`)
    const { sha256 } = await hashFile(join(folder, path))
    if (sha256 !== wanted.sha256) found.push(`${path} was changed`)
  })
  return found.sort()
}
