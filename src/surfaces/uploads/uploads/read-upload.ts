/**
 * The state of an upload: its stored parts, its missing parts, and the file after it was made.
 */
import { sql, type Db } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { derivativesOf, fileColumns, FileRow, fileView } from '../files/file-row.ts'
import { storedParts } from '../parts/register-parts.ts'
import { checksumOf, type Upload } from '../schemas.ts'
import { findUpload, missingParts, type Caller } from './upload-row.ts'

export async function readUpload(
  db: Db,
  { kernel }: Pick<Deps, 'kernel'>,
  caller: Caller,
  upload_id: string,
): Promise<{ readonly view: Upload; readonly version: string }> {
  const upload = await findUpload(db, caller, upload_id, 'uploads.uploads.read_any')
  const { tenant_id, id, state } = upload
  const parts = state === 'initiated' ? await storedParts(db, kernel, upload) : []
  const file = await db.maybe(
    FileRow,
    sql`
      select ${fileColumns} from uploads.files f
      where f.tenant_id = ${tenant_id} and f.upload_id = ${id}`,
  )
  const derivatives = file ? await derivativesOf(db, tenant_id, [file.id]) : []
  const findings = file?.scan_result
    ? (await caller.grants()).has('uploads.quarantine.read')
    : false
  const received = parts.reduce((sum, { size }) => sum + size, 0)
  const processing = state === 'uploaded' ? (file?.stage ?? null) : null
  const stage = upload.verifying ? 'verifying' : processing
  const view: Upload = {
    id,
    upload_id: id,
    tenant_id,
    owner_id: upload.owner_id,
    purpose: upload.purpose,
    media_category: upload.media_category,
    object_key: upload.storage_key,
    expected_size: upload.expected_size,
    expected_checksum: upload.expected_checksum && checksumOf(upload.expected_checksum),
    claimed_type: upload.claimed_type,
    detected_type: upload.detected_type,
    filename: upload.filename,
    state,
    multipart_upload_id: upload.multipart_upload_id,
    quarantined: state !== 'available',
    stage,
    error_code: upload.error_code,
    part_size: upload.part_size,
    part_count: upload.part_count,
    received_bytes: state === 'initiated' ? received : (file?.size ?? 0),
    missing_parts: state === 'initiated' ? missingParts(upload, parts) : [],
    file: file ? fileView(file, derivatives, { findings }) : null,
    expires_at: upload.expires_at,
    created_at: upload.created_at,
  }
  const { version, error_code } = upload
  const shown = [version, file?.version ?? 0, stage ?? '', received, error_code ?? '']
  return { view, version: shown.join('-') }
}
