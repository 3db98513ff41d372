/**
 * The archive of a tenant: a folder with one file of rows for each table, the objects, and a
 * manifest with the digest of each. The manifest is written last and has a hash of itself, so a
 * folder without a valid one is not an archive.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '#dodeca/kernel'
import { hashFile, type Copied } from '../backup/copy.ts'
import { manifest_file, sumOf } from '../backup/manifest.ts'
import type { Digest } from './digest.ts'
import type { TenantName } from './place.ts'

export type ArchivedTable = Digest & { readonly columns: readonly string[]; readonly file: Copied }

export type TenantManifest = {
  readonly format: 1
  readonly tenant: TenantName
  readonly created_at: string
  readonly migrations: Readonly<Record<string, number>>
  /** The marks of the keys with which columns are sealed. */
  readonly keys: Readonly<Record<string, string>>
  readonly tables: Readonly<Record<string, ArchivedTable>>
  readonly objects: Readonly<Record<string, Copied>>
  /** Rows that are not in the archive, with the reason. */
  readonly not_included: Readonly<Record<string, string>>
}

export const rowsFile = (table: string) => join('rows', `${table}.ndjson`)
export const objectFile = (key: string) => join('objects', ...key.split('/'))

/** Reads a manifest and checks every file that it names. */
export async function readArchive(folder: string): Promise<TenantManifest> {
  const text = await readFile(join(folder, manifest_file), 'utf8').catch(() => '{}')
  const { sha256, ...manifest } = JSON.parse(text) as TenantManifest & { sha256?: string }
  if (manifest.format !== 1 || sha256 !== sumOf(manifest)) {
    throw new StartError(
      `${folder} is not a complete archive of a tenant. Export it again, or name another folder.`,
    )
  }
  const files = [
    ...Object.entries(manifest.tables).map(([name, one]) => [rowsFile(name), one.file] as const),
    ...Object.entries(manifest.objects).map(([key, one]) => [objectFile(key), one] as const),
  ]
  for (const [path, { sha256: wanted }] of files) {
    const found = await hashFile(join(folder, path)).catch(() => null)
    if (found?.sha256 !== wanted) {
      throw new StartError(`${path} of the archive is missing or was changed. Use another archive.`)
    }
  }
  return manifest
}
