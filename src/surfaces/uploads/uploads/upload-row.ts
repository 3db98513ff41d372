/** The stored form of an upload, the callers that may see it, and its form in replies. */
import { Type, type Static } from 'typebox'
import { allowsSome, columnsOf, Id, nullable, sql, Time } from '#dodeca/kernel'
import type { Principal, Reader, StoredPart } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { Bytes, MediaCategory, Purpose, Size, type upload_states } from '../schemas.ts'

export const UploadRow = Type.Object({
  tenant_id: Id,
  id: Id,
  owner_id: Id,
  purpose: Purpose,
  media_category: MediaCategory,
  storage_key: Type.String(),
  expected_size: Size,
  expected_checksum: nullable(Bytes),
  /** Stated by the completion that is being verified, where none was declared. */
  given_checksum: nullable(Bytes),
  claimed_type: nullable(Type.String()),
  detected_type: nullable(Type.String()),
  filename: nullable(Type.String()),
  part_size: Type.Integer(),
  part_count: Type.Integer(),
  state: Type.Unsafe<(typeof upload_states)[number]>(Type.String()),
  multipart_upload_id: nullable(Type.String()),
  reserved_bytes: Size,
  error_code: nullable(Type.String()),
  verifying: Type.Boolean(),
  /**
   * Counts how often the row was taken for verification. The process with the last number holds the
   * row.
   */
  attempts: Type.Integer(),
  version: Type.Integer(),
  expires_at: Time,
  created_at: Time,
})
export type UploadRow = Static<typeof UploadRow>

export const uploadColumnsOf = (alias: 'u' | 't') =>
  columnsOf(UploadRow, alias, { verifying: sql`${sql.id(alias, 'due_at')} is not null` })
export const uploadColumns = uploadColumnsOf('u')

export type Caller = {
  readonly principal: Principal
  readonly grants: () => Promise<ReadonlySet<string>>
}

/**
 * The caller's own upload, or any upload of the tenant with the permission. Otherwise it throws
 * `upload_not_found`.
 */
export async function findUpload(
  reader: Reader,
  { principal, grants }: Caller,
  upload_id: string,
  permission: 'uploads.uploads.read_any' | 'uploads.uploads.abort_any' | null,
): Promise<UploadRow> {
  const row = await reader.maybe(
    UploadRow,
    sql`
      select ${uploadColumns} from uploads.uploads u
      where u.tenant_id = ${principal.tenant_id} and u.id = ${upload_id}`,
  )
  const mine = row?.owner_id === principal.id
  if (!row || !(mine || (permission && allowsSome(await grants(), permission)))) {
    throw problem('upload_not_found')
  }
  return row
}

export const PartRow = Type.Object({
  part_number: Type.Integer(),
  etag: Type.String(),
  size: Size,
  sha256: nullable(Bytes),
  name: Type.String(),
})
export type PartRow = Static<typeof PartRow>

export async function partsOf(
  reader: Reader,
  { tenant_id, id }: Pick<UploadRow, 'tenant_id' | 'id'>,
): Promise<PartRow[]> {
  return await reader.many(
    PartRow,
    sql`
      select part_number, etag, size, sha256, name from uploads.upload_parts
      where tenant_id = ${tenant_id} and upload_id = ${id}
      order by part_number`,
  )
}

export const placeOf = ({
  storage_key,
  multipart_upload_id,
}: Pick<UploadRow, 'storage_key' | 'multipart_upload_id'>) => ({
  key: storage_key,
  reference: multipart_upload_id ?? '',
})

export type Plan = Pick<UploadRow, 'expected_size' | 'part_size' | 'part_count'>

export function sizeOfPart({ expected_size, part_size, part_count }: Plan, n: number): number {
  return n < part_count ? part_size : expected_size - (part_count - 1) * part_size
}

/** Inclusive ranges of the parts that are missing or have another size than planned. */
export function missingParts(
  plan: Plan,
  parts: readonly Pick<StoredPart, 'part_number' | 'size'>[],
): number[][] {
  const stored = new Set(
    parts
      .filter(one => one.size === sizeOfPart(plan, one.part_number))
      .map(({ part_number }) => part_number),
  )
  const ranges: number[][] = []
  for (let n = 1; n <= plan.part_count; n++) {
    if (stored.has(n)) continue
    const last = ranges.at(-1)
    if (last?.[1] === n - 1) last[1] = n
    else ranges.push([n, n])
  }
  return ranges
}
