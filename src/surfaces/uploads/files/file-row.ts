/** The stored form of a file, and its form in replies. */
import { Type, type Static } from 'typebox'
import { columnsOf, Id, nullable, sql, Time, type Reader } from '#dodeca/kernel'
import {
  Bytes,
  Checksum,
  checksumOf,
  Derivative,
  DerivativeKind,
  type file_states,
  MediaCategory,
  Metadata,
  Purpose,
  Size,
  type File,
} from '../schemas.ts'

export const FileRow = Type.Object({
  tenant_id: Id,
  id: Id,
  upload_id: Id,
  owner_id: Id,
  purpose: Purpose,
  storage_key: Type.String(),
  storage_version: Type.String(),
  size: Size,
  sha256: Bytes,
  media_category: MediaCategory,
  claimed_type: nullable(Type.String()),
  detected_type: nullable(Type.String()),
  filename: nullable(Type.String()),
  state: Type.Unsafe<(typeof file_states)[number]>(Type.String()),
  error_code: nullable(Type.String()),
  stage: nullable(Type.String()),
  scan_result: Type.Unsafe<File['scan_result']>(Type.Any()),
  metadata: nullable(Metadata),
  version: Type.Integer(),
  created_at: Time,
  available_at: nullable(Time),
  retention_until: nullable(Time),
  deleted_at: nullable(Time),
})
export type FileRow = Static<typeof FileRow>

export const fileColumns = columnsOf(FileRow, 'f')

export const DerivativeRow = Type.Object({
  file_id: Id,
  kind: DerivativeKind,
  state: Derivative.properties.state,
  storage_key: Type.String(),
  storage_version: nullable(Type.String()),
  media_type: nullable(Type.String()),
  size: nullable(Size),
  checksum: nullable(Checksum),
  width: nullable(Type.Integer()),
  height: nullable(Type.Integer()),
})
export type DerivativeRow = Static<typeof DerivativeRow>

const derivativeColumns = columnsOf(DerivativeRow, 'd', {
  checksum: sql`'sha256:' || encode(d.sha256, 'hex')`,
})

export async function findFile(
  reader: Reader,
  tenant_id: string,
  file_id: string,
): Promise<FileRow | undefined> {
  return await reader.maybe(
    FileRow,
    sql`
      select ${fileColumns} from uploads.files f
      where f.tenant_id = ${tenant_id} and f.id = ${file_id}`,
  )
}

export async function derivativesOf(
  reader: Reader,
  tenant_id: string,
  file_ids: readonly string[],
): Promise<DerivativeRow[]> {
  return await reader.many(
    DerivativeRow,
    sql`
      select ${derivativeColumns} from uploads.derivatives d
      where d.tenant_id = ${tenant_id} and d.file_id = any(${file_ids}::uuid[])
      order by d.file_id, d.kind`,
  )
}

/** In a list: the derivatives of each file `t`. */
export const derivativesOfEach = sql`
  array(
    select to_jsonb(r) from (
      select ${derivativeColumns} from uploads.derivatives d
      where d.tenant_id = t.tenant_id and d.file_id = t.id
      order by d.kind
    ) r)`

/**
 * The findings of scanners are shown only with `uploads.quarantine.read`, because they would teach
 * how to evade the scanners. Name and checksum of the original are not for those who see it only
 * where it is used, such as in a post: they may tell where a picture comes from.
 */
export function fileView(
  row: FileRow,
  derivatives: readonly DerivativeRow[],
  { findings, original = true }: { readonly findings: boolean; readonly original?: boolean },
): File {
  // The result of a scan has the checksum too.
  const scan_result = original ? row.scan_result : null
  const { tenant_id: _tenant, storage_key: _key, storage_version: _version, ...rest } = row
  const { sha256, version: _tag, ...shown } = rest
  return {
    ...shown,
    file_id: row.id,
    stage: row.state === 'uploaded' ? (row.stage ?? 'queued') : null,
    checksum: original ? checksumOf(sha256) : null,
    filename: original ? row.filename : null,
    scan_result: scan_result && { ...scan_result, findings: findings ? scan_result.findings : [] },
    derivatives: derivatives
      .filter(one => one.file_id === row.id)
      .map(({ file_id: _file, storage_key: _object, storage_version: _bytes, ...one }) => one),
  }
}
