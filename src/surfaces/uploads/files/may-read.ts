/**
 * Decides who may read a file: its owner, holders of a permission in its tenant, and readers that
 * the surface of its purpose allows. The decision is made for each URL that is signed. Any other
 * caller gets the same 404 as for a file that does not exist.
 */
import { sql, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Caller } from '../uploads/upload-row.ts'
import { fileColumns, FileRow, findFile } from './file-row.ts'

export type ReadableFile = FileRow & {
  /** If an image has a sanitized form, only the owner gets the original. */
  readonly by: 'owner' | 'operator' | 'surface'
}

type Permission = 'uploads.files.read_any' | 'uploads.files.download_any'

export async function requireReadable(
  reader: Reader,
  deps: Pick<Deps, 'readers'>,
  caller: Caller,
  file_id: string,
  permission: Permission,
): Promise<ReadableFile> {
  const [found] = await readable(reader, deps, caller, [file_id], permission)
  if (!found) throw problem('file_not_found')
  return found
}

/**
 * Makes one query for the files, at most one for the grants, and one for each purpose of these
 * files.
 */
export async function readable(
  reader: Reader,
  { readers }: Pick<Deps, 'readers'>,
  { principal, grants }: Caller,
  file_ids: readonly string[],
  permission: Permission,
): Promise<ReadableFile[]> {
  const rows = await reader.many(
    FileRow,
    sql`
      select ${fileColumns} from uploads.files f
      where f.tenant_id = ${principal.tenant_id} and f.id = any(${file_ids}::uuid[])
        and f.state not in ('deleted', 'purged')`,
  )
  const foreign = rows.filter(row => row.owner_id !== principal.id)
  const operator = foreign.length > 0 && (await grants()).has(permission)
  const let_in = new Set<string>()
  if (foreign.length > 0 && !operator) {
    for (const [purpose, mayRead] of readers) {
      const asked = foreign.filter(row => row.purpose === purpose).map(row => row.id)
      if (asked.length === 0) continue
      for (const id of await mayRead(reader, principal, asked)) let_in.add(id)
    }
  }
  return rows.flatMap((row): ReadableFile[] => {
    if (row.owner_id === principal.id) return [{ ...row, by: 'owner' }]
    if (operator) return [{ ...row, by: 'operator' }]
    return let_in.has(row.id) ? [{ ...row, by: 'surface' }] : []
  })
}

/**
 * The caller's own file, or any file of the tenant with the permission. Deleted files are included.
 */
export async function requireOwn(
  reader: Reader,
  { principal, grants }: Caller,
  file_id: string,
  permission: string,
): Promise<FileRow> {
  const row = await findFile(reader, principal.tenant_id, file_id)
  if (!row || (row.owner_id !== principal.id && !(await grants()).has(permission))) {
    throw problem('file_not_found')
  }
  return row
}
