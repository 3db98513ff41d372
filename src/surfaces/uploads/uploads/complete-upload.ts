/**
 * Completes an upload. It takes one lease, compares the parts, computes one digest over all bytes,
 * and makes the file in one transaction. The row is its own queue entry: `due_at` is set with the
 * lease. So after a crash another process verifies the upload (`verify-upload.ts`), and a repeated
 * call finds the same file.
 */
import { Type } from 'typebox'
import { Id, newId, sql, type Db, type FieldError, type Problem } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { isFull } from '../storage/space.ts'
import { compareParts } from '../parts/compare-parts.ts'
import { storedParts } from '../parts/register-parts.ts'
import { digestOf, type Completed, type CompleteUpload } from '../schemas.ts'
import {
  findUpload,
  missingParts,
  UploadRow,
  uploadColumns,
  type Caller,
  type PartRow,
} from './upload-row.ts'
import { removeRest, settleVerification, verifyUpload, type Verified } from './verify-upload.ts'

/** `missing_parts` lists all missing parts. */
const errors_shown = 20

export type Completion = { readonly status: 200 | 202; readonly body: Completed }

/**
 * The number of completions that this process verifies in parallel. The others wait in the queue.
 */
export type Verifying = { count: number }

type CompleteDeps = Pick<Deps, 'kernel' | 'completed'> & { readonly verifying: Verifying }

export async function completeUpload(
  db: Db,
  deps: CompleteDeps,
  caller: Caller,
  upload_id: string,
  asked: CompleteUpload,
): Promise<Completion> {
  const { kernel, verifying } = deps
  const found = await findUpload(db, caller, upload_id, null)
  if (found.state !== 'initiated') return await endedAlready(db, found)
  const expected = expectedOf(found, asked)
  const token = newId()
  const inRequest = fitsRequest(kernel, found, verifying)
  const upload = await lease(db, kernel, found, expected, inRequest ? token : null)
  if (!upload) throw await leasedAlready(db, found)
  let parts: readonly PartRow[]
  try {
    parts = await checkParts(db, kernel, upload, asked)
  } catch (error) {
    await giveUp(db, found, inRequest ? token : null)
    throw error
  }
  if (!inRequest) {
    await db.tx(async tx => {
      await tx.run(sql`
        update uploads.uploads set lease_token = null, leased_until = null
        where tenant_id = ${upload.tenant_id} and id = ${upload.id} and state = 'initiated'`)
      tx.wake('uploads.verify')
    })
    return { status: 202, body: completedOf(upload, null, 'verifying') }
  }
  verifying.count++
  try {
    return await verifyNow(db, deps, upload, parts, token)
  } finally {
    verifying.count--
  }
}

async function verifyNow(
  db: Db,
  deps: CompleteDeps,
  upload: UploadRow,
  parts: readonly PartRow[],
  token: string,
): Promise<Completion> {
  const { kernel } = deps
  await kernel.fault('uploads.after_completion_lease')
  let verified: Verified
  try {
    verified = await verifyUpload(db, kernel, upload, parts)
  } catch (error) {
    await giveUp(db, upload, token)
    throw isFull(error) ? problem('storage_full') : error
  }
  await kernel.fault('uploads.before_file_row')
  const settled = await db.tx(async tx => {
    const mine = await tx.maybe(
      Type.Object({ id: Id }),
      sql`
        select id from uploads.uploads
        where tenant_id = ${upload.tenant_id} and id = ${upload.id} and state = 'initiated'
          and lease_token = ${token}
        for update`,
    )
    return mine && (await settleVerification(tx, deps, upload, verified))
  })
  await kernel.fault('uploads.after_file_row')
  if (!settled) throw inProgress()
  if (verified.kind === 'made') await removeRest(kernel, verified.place)
  if (settled.kind === 'refused') throw refusalOf(upload, verified)
  return {
    status: 202,
    body: completedOf({ ...upload, state: 'uploaded' }, settled.file_id, 'queued'),
  }
}

function fitsRequest(
  { objects, settings }: Deps['kernel'],
  { expected_size, part_count }: UploadRow,
  { count }: Verifying,
): boolean {
  // The digest of a single part is already known, so nothing must be read.
  if (objects.engine === 'local' && part_count === 1) return true
  const most = settings['uploads.verify_in_request_bytes']
  const fits = expected_size <= (objects.engine === 'local' ? most : most / 4)
  return fits && count < settings['uploads.verifications']
}

function expectedOf({ expected_checksum }: UploadRow, { checksum }: CompleteUpload): Buffer {
  const given = checksum === undefined ? null : digestOf(checksum)
  const expected = expected_checksum ?? given
  const error = (constraint: string): FieldError => ({
    location: 'body',
    pointer: '/checksum',
    constraint,
  })
  if (!expected) throw problem('validation_failed', { errors: [error('required')] })
  if (given && !given.equals(expected)) {
    throw problem('validation_failed', {
      errors: [error('declared')],
      detail: 'The checksum is not the one that the upload was begun with.',
    })
  }
  return expected
}

/** One statement sets `due_at` and the lease, so only one of many callers gets the row. */
async function lease(
  db: Db,
  { settings }: Deps['kernel'],
  { tenant_id, id }: UploadRow,
  expected: Buffer,
  token: string | null,
): Promise<UploadRow | undefined> {
  const seconds = settings['uploads.completion_lease_seconds']
  return await db.maybe(
    UploadRow,
    sql`
      update uploads.uploads u
      set due_at = kernel.now(), lease_token = ${token ?? newId()}, attempts = u.attempts + 1,
        leased_until = now() + make_interval(secs => ${seconds}), error_code = null,
        given_checksum = case when u.expected_checksum is null then ${expected}::bytea end
      where u.tenant_id = ${tenant_id} and u.id = ${id} and u.state = 'initiated'
        and u.expires_at > kernel.now()
        and (u.due_at is null or u.leased_until < now())
      returning ${uploadColumns}`,
  )
}

async function leasedAlready(db: Db, { tenant_id, id }: UploadRow): Promise<Problem> {
  const now = await db.one(
    Type.Object({ state: Type.String(), expired: Type.Boolean() }),
    sql`
      select state, expires_at <= kernel.now() as expired from uploads.uploads
      where tenant_id = ${tenant_id} and id = ${id}`,
  )
  if (now.state === 'initiated' && !now.expired) return inProgress()
  const current_state = now.state === 'initiated' ? 'expired' : now.state
  return now.state === 'uploaded' ? inProgress() : problem('invalid_transition', { current_state })
}

function inProgress(): Problem {
  return problem('completion_in_progress', {
    retry_after: 1,
    detail: 'Another call verifies this upload. Ask for its state, or call again.',
  })
}

async function checkParts(
  db: Db,
  kernel: Deps['kernel'],
  upload: UploadRow,
  { parts }: CompleteUpload,
): Promise<readonly PartRow[]> {
  const stored = await storedParts(db, kernel, upload)
  const missing = missingParts(upload, stored)
  const beyond = stored.filter(one => one.part_number > upload.part_count)
  const differing = parts ? compareParts(parts, stored) : []
  const named = parts ?? (upload.part_count === 1 ? stored : [])
  const unnamed = upload.part_count - new Set(named.map(one => one.part_number)).size
  if (missing.length === 0 && differing.length === 0 && beyond.length === 0 && unnamed === 0) {
    return stored
  }
  const found = differing.length > 0 ? differing : missing.map(range => missingError(range))
  const errors = found.slice(0, errors_shown)
  throw problem('upload_parts_mismatch', {
    errors: errors.length > 0 ? errors : [missingError([1, upload.part_count])],
    more: { missing_parts: missing, quarantined: true },
    detail:
      unnamed > 0 && missing.length === 0
        ? `All ${upload.part_count} parts are stored; name each of them once in "parts".`
        : 'Send the missing parts again, then complete the upload.',
  })
}

function missingError([part_number = 1]: readonly number[]): FieldError {
  return { location: 'body', pointer: '/parts', constraint: 'missing', params: { part_number } }
}

/** The upload is open again, so the client can correct it, also the checksum of this call. */
async function giveUp(db: Db, { tenant_id, id }: UploadRow, token: string | null): Promise<void> {
  await db.run(sql`
    update uploads.uploads
    set due_at = null, lease_token = null, leased_until = null, given_checksum = null
    where tenant_id = ${tenant_id} and id = ${id} and state = 'initiated'
      and (${token}::uuid is null or lease_token = ${token}::uuid)`)
}

const Existing = Type.Object({ file_id: Id, stage: Type.Union([Type.String(), Type.Null()]) })

/** A repeated call gets the current result. */
async function endedAlready(db: Db, upload: UploadRow): Promise<Completion> {
  const { tenant_id, id, state } = upload
  if (state !== 'uploaded' && state !== 'available') {
    throw problem('invalid_transition', { current_state: state })
  }
  const { file_id, stage } = await db.one(
    Existing,
    sql`
      select id as file_id, stage from uploads.files
      where tenant_id = ${tenant_id} and upload_id = ${id}`,
  )
  const body = completedOf(upload, file_id, state === 'available' ? null : (stage ?? 'queued'))
  return { status: state === 'available' ? 200 : 202, body }
}

function refusalOf({ expected_checksum }: UploadRow, { kind }: Verified): Problem {
  const more = { quarantined: true }
  if (kind !== 'checksum_mismatch') return problem('upload_parts_mismatch', { more })
  const is_open = expected_checksum === null
  return problem('checksum_mismatch', {
    current_state: is_open ? 'initiated' : 'quarantined',
    more,
    detail: is_open
      ? 'The stored bytes have another checksum. Complete the upload with their checksum, or begin a new one.'
      : 'The stored bytes are not those of the checksum. Begin a new upload.',
  })
}

function completedOf(upload: UploadRow, file_id: string | null, stage: string | null): Completed {
  const { id, state } = upload
  return {
    id,
    upload_id: id,
    file_id,
    status: state === 'available' ? 'available' : 'processing',
    state,
    quarantined: state !== 'available',
    stage,
  }
}
