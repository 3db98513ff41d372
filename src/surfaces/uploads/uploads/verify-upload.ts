/**
 * Verifies the bytes of an upload and makes its file, for completion and for the queue behind it.
 * Making the object may be repeated after any crash. The transaction that ends it happens once,
 * because it changes the state from `initiated`.
 */
import { Type } from 'typebox'
import { ChecksumDiffers, done, dueQueue, newId, PartMissing, sql } from '#dodeca/kernel'
import type { Db, DueQueue, Place, StoredObject, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { announceUpload } from '../events.ts'
import { storedParts } from '../parts/register-parts.ts'
import { contentLock } from '../scanning/blocked-hashes.ts'
import { checksumOf } from '../schemas.ts'
import { missingParts, placeOf, UploadRow, uploadColumnsOf, type PartRow } from './upload-row.ts'

export type Verified =
  | { readonly kind: 'made'; readonly place: Place; readonly object: StoredObject }
  | { readonly kind: 'checksum_mismatch'; readonly place: Place }
  | { readonly kind: 'parts_missing'; readonly place: Place }

export type Settled =
  { readonly kind: 'made'; readonly file_id: string } | { readonly kind: 'refused' }

export async function verifyUpload(
  db: Db,
  kernel: Pick<Deps['kernel'], 'objects' | 'settings' | 'log'>,
  upload: UploadRow,
  parts: readonly PartRow[],
): Promise<Verified> {
  const renewing = setInterval(
    () => {
      renewLease(db, kernel, upload).catch((error: unknown) =>
        kernel.log.warn({ err: error, upload_id: upload.id }, 'a lease was not renewed'),
      )
    },
    (kernel.settings['uploads.completion_lease_seconds'] * 1000) / 3,
  )
  try {
    return await compareDigest(kernel, upload, parts)
  } finally {
    clearInterval(renewing)
  }
}

/**
 * Reading a large upload takes longer than a lease. The lease is short, so that a crash delays the
 * upload only a little.
 */
async function renewLease(
  db: Db,
  { settings }: Pick<Deps['kernel'], 'settings'>,
  { tenant_id, id, attempts }: UploadRow,
): Promise<void> {
  const seconds = settings['uploads.completion_lease_seconds']
  await db.run(sql`
    update uploads.uploads set leased_until = now() + make_interval(secs => ${seconds})
    where tenant_id = ${tenant_id} and id = ${id} and state = 'initiated' and due_at is not null
      and attempts = ${attempts}`)
}

async function compareDigest(
  kernel: Pick<Deps['kernel'], 'objects'>,
  upload: UploadRow,
  parts: readonly PartRow[],
): Promise<Verified> {
  const place = placeOf(upload)
  try {
    const expected = upload.expected_checksum ?? upload.given_checksum ?? Buffer.alloc(0)
    const object = await kernel.objects.multipart.complete(place, parts, expected)
    return { kind: 'made', place, object }
  } catch (error) {
    if (error instanceof ChecksumDiffers) return { kind: 'checksum_mismatch', place }
    if (error instanceof PartMissing) return { kind: 'parts_missing', place }
    throw error
  }
}

const Version = Type.Object({ version: Type.Integer() })

/** The caller holds the row, and has checked that the upload is its own and `initiated`. */
export async function settleVerification(
  tx: Tx,
  { kernel: { settings }, completed }: Pick<Deps, 'kernel' | 'completed'>,
  upload: UploadRow,
  verified: Verified,
): Promise<Settled> {
  const { tenant_id, id } = upload
  const declared = upload.expected_checksum !== null
  if (verified.kind === 'parts_missing' || (verified.kind === 'checksum_mismatch' && !declared)) {
    const code = verified.kind === 'parts_missing' ? 'upload_parts_mismatch' : verified.kind
    await tx.run(sql`
      update uploads.uploads
      set due_at = null, lease_token = null, leased_until = null, given_checksum = null,
        error_code = ${code}
      where tenant_id = ${tenant_id} and id = ${id}`)
    return { kind: 'refused' }
  }
  if (verified.kind === 'checksum_mismatch') {
    const days = settings['uploads.quarantine_days']
    const { version } = await tx.one(
      Version,
      sql`
        update uploads.uploads
        set state = 'quarantined', error_code = 'checksum_mismatch', version = version + 1,
          due_at = null, lease_token = null, leased_until = null,
          retention_until = kernel.now() + make_interval(days => ${days})
        where tenant_id = ${tenant_id} and id = ${id}
        returning version`,
    )
    announceUpload(
      tx,
      'upload.rejected',
      { tenant_id, id, version },
      {
        error_code: 'checksum_mismatch',
      },
    )
    return { kind: 'refused' }
  }
  const file_id = await makeFile(tx, upload, verified.object)
  await completed.get(upload.purpose)?.(tx, { tenant_id, upload_id: id, file_id })
  return { kind: 'made', file_id }
}

async function makeFile(tx: Tx, upload: UploadRow, object: StoredObject): Promise<string> {
  const { tenant_id, id, purpose } = upload
  const file_id = newId()
  const { version } = await tx.one(
    Version,
    sql`
      update uploads.uploads
      set state = 'uploaded', version = version + 1, reserved_bytes = 0, due_at = null,
        expected_checksum = coalesce(expected_checksum, given_checksum), lease_token = null,
        leased_until = null, retention_until = kernel.now()
      where tenant_id = ${tenant_id} and id = ${id}
      returning version`,
  )
  // A block of this content commits before the file is detected, or finds the file.
  await tx.run(sql`
    insert into uploads.files (tenant_id, id, upload_id, owner_id, purpose, storage_key,
      storage_version, size, sha256, media_category, claimed_type, filename, reserved_bytes, due_at)
    select ${tenant_id}, ${file_id}, ${id}, ${upload.owner_id}, ${purpose}, ${upload.storage_key},
      ${object.version}, ${object.size}, ${object.sha256}, ${upload.media_category},
      ${upload.claimed_type}, ${upload.filename}, ${upload.reserved_bytes}, kernel.now()
    from (select pg_advisory_xact_lock_shared(${contentLock(object.sha256)})) held`)
  announceUpload(
    tx,
    'upload.completed',
    { tenant_id, id, version },
    {
      file_id,
      purpose,
      size: object.size,
      checksum: checksumOf(object.sha256),
    },
  )
  tx.wake('uploads.process')
  return file_id
}

/** Removes what is left of a completed upload. If that fails, or after a crash, the sweep does it. */
export async function removeRest(
  { objects, log }: Pick<Deps['kernel'], 'objects' | 'log'>,
  place: Place,
): Promise<void> {
  await objects.multipart.abort(place).catch((error: unknown) => {
    log.warn({ err: error }, 'parts of a completed upload are left to the sweep')
  })
}

/** Verifies large uploads, and uploads whose completion was interrupted. */
export function verificationQueue(deps: Pick<Deps, 'kernel' | 'completed'>): DueQueue {
  const { kernel } = deps
  const { db, settings } = kernel
  return dueQueue<typeof UploadRow, Verified>({
    name: 'uploads.verify',
    table: 'uploads.uploads',
    key: ['tenant_id', 'id'],
    row: UploadRow,
    load: uploadColumnsOf('t'),
    where: sql`t.state = 'initiated'`,
    batch: settings['uploads.verifications'],
    concurrency: settings['uploads.verifications'],
    lease_seconds: settings['uploads.completion_lease_seconds'],
    retry: { first: 1, factor: 2, cap: 300 },
    run: async upload => {
      const parts = await storedParts(db, kernel, upload)
      // A request that ended before it compared the parts may have left this row.
      const is_whole =
        parts.length === upload.part_count && missingParts(upload, parts).length === 0
      if (!is_whole) return done({ kind: 'parts_missing', place: placeOf(upload) })
      return done(await verifyUpload(db, kernel, upload, parts))
    },
    finish: async (tx, upload, outcome) => {
      if (outcome.end !== 'done') return
      await settleVerification(tx, deps, upload, outcome.result)
      if (outcome.result.kind === 'made') {
        tx.afterCommit(() => removeRest(kernel, outcome.result.place))
      }
    },
  })
}
