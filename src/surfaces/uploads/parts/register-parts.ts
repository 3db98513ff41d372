/**
 * Returns the list of stored parts, and URLs for the missing parts. The client's list of parts is
 * compared with the store and never trusted. On S3 the rows are made from the store's list.
 */
import { PartMissing, sql, type Db, type Reader, type StoredPart } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { RegisteredParts, RegisterParts } from '../schemas.ts'
import { url_window } from '../uploads/create-upload.ts'
import { compareParts } from './compare-parts.ts'
import {
  findUpload,
  missingParts,
  partsOf,
  placeOf,
  type Caller,
  type PartRow,
  type UploadRow,
} from '../uploads/upload-row.ts'
import { partUrls } from './part-urls.ts'

export async function registerParts(
  db: Db,
  { kernel }: Pick<Deps, 'kernel'>,
  caller: Caller,
  upload_id: string,
  asked: RegisterParts,
): Promise<RegisteredParts> {
  const upload = await findUpload(db, caller, upload_id, null)
  if (upload.state !== 'initiated' || upload.verifying) {
    throw problem('invalid_transition', { current_state: upload.state })
  }
  const stored = await storedParts(db, kernel, upload)
  const missing = missingParts(upload, stored)
  const { part_numbers = [], remaining = false, parts = [] } = asked
  if (part_numbers.some(n => n > upload.part_count)) {
    throw problem('validation_failed', {
      errors: [{ location: 'body', pointer: '/part_numbers', constraint: 'maximum' }],
    })
  }
  const differing = compareParts(parts, stored)
  if (differing.length > 0) {
    throw problem('upload_parts_mismatch', { errors: differing, more: { missing_parts: missing } })
  }
  const left = remaining ? firstOf(missing, url_window) : []
  const wanted = [...new Set([...part_numbers, ...left])].sort((a, b) => a - b)
  const next = remaining ? firstOf(missing, url_window + 1)[url_window] : undefined
  return {
    upload_id,
    state: upload.state,
    received_bytes: stored.reduce((sum, { size }) => sum + size, 0),
    parts: stored.map(({ part_number, size, etag }) => ({ part_number, size, etag: `"${etag}"` })),
    missing_parts: missing,
    part_urls: await partUrls(kernel, upload, wanted),
    next_part_number: next ?? null,
    expires_at: upload.expires_at,
  }
}

function firstOf(ranges: readonly number[][], count: number): number[] {
  const numbers: number[] = []
  for (const [first = 1, last = 0] of ranges) {
    for (let n = first; n <= last && numbers.length < count; n++) numbers.push(n)
  }
  return numbers
}

/** With the local engine the rows are correct. With S3 the store's list becomes the rows. */
export async function storedParts(
  db: Reader & Pick<Db, 'run'>,
  { objects }: Pick<Deps['kernel'], 'objects'>,
  upload: UploadRow,
): Promise<PartRow[]> {
  const { parts } = objects.multipart
  if (parts.kind === 'received' || upload.state !== 'initiated') return await partsOf(db, upload)
  let listed: StoredPart[]
  try {
    listed = await parts.list(placeOf(upload))
  } catch (error) {
    // An attempt completed the upload at the store, but its reply was lost. The rows say which
    // parts it used.
    if (error instanceof PartMissing) return await partsOf(db, upload)
    throw error
  }
  const { tenant_id, id } = upload
  const of = <T>(pick: (part: (typeof listed)[number]) => T) => listed.map(pick)
  await db.run(sql`
    insert into uploads.upload_parts (tenant_id, upload_id, part_number, etag, size, name)
    select ${tenant_id}, u.id, g.part_number, trim(both '"' from g.name), g.size, g.name
    from uploads.uploads u,
      unnest(${of(one => one.part_number)}::int[], ${of(one => one.name)}::text[],
        ${of(one => one.size)}::bigint[]) g (part_number, name, size)
    where u.tenant_id = ${tenant_id} and u.id = ${id} and u.state = 'initiated'
    on conflict (tenant_id, upload_id, part_number) do update
    set etag = excluded.etag, size = excluded.size, name = excluded.name
    where upload_parts.name is distinct from excluded.name`)
  return await partsOf(db, upload)
}
