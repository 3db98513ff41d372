/**
 * Creates an upload. It checks purpose, type and size, starts the upload at the store, reserves the
 * tenant's bytes, and returns the URLs of the first parts. The store is called before the
 * transaction, so a store that hangs holds no connection. Two statements settle races: the UPDATE
 * that reserves bytes never exceeds the quota, and open uploads of one principal are counted under
 * a lock.
 */
import { Type } from 'typebox'
import { allowsType, lacks, newId, newSecret, Problem, rfc3339, sql } from '#dodeca/kernel'
import type { FieldError, Place, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { categoryOf, isProgramName, normalType } from '../media-types.ts'
import { largestOf } from '../purposes.ts'
import { digestOf, type CreateUpload, type NewUpload } from '../schemas.ts'
import { partUrls } from '../parts/part-urls.ts'
import { requireSpace } from '../storage/space.ts'
import { UploadRow, uploadColumns, type Caller } from './upload-row.ts'

/**
 * The first reply has URLs for this many parts. The client requests further URLs when it needs
 * them.
 */
export const url_window = 50
const parts_max = 9000
const MiB = 1024 * 1024

export type CreateDeps = Pick<Deps, 'kernel' | 'store' | 'purposes' | 'clamd'>

/** Runs outside any transaction: checks that need no row, and the start at the store. */
export async function prepareUpload(
  deps: CreateDeps,
  caller: Caller,
  asked: CreateUpload,
): Promise<Place> {
  const { kernel, store } = deps
  await checkOrder(deps, caller, asked)
  // What is written into another store is lost when the own one is back.
  await store.requireLately()
  await requireSpace(kernel, asked.expected_size)
  const key = newStorageKey(kernel)
  return { key, reference: await kernel.objects.multipart.begin(key) }
}

/** Runs in the caller's transaction, with the result of the preparation for the same order. */
export async function createUpload(
  tx: Tx,
  { kernel }: CreateDeps,
  { principal }: Pick<Caller, 'principal'>,
  asked: CreateUpload,
  place: Place,
): Promise<UploadRow> {
  const { part_size, part_count } = planOf(kernel, asked.expected_size)
  const expiry = kernel.settings['uploads.expiry_seconds']
  try {
    await reserve(tx, kernel, principal.tenant_id, asked.expected_size)
    await requireRoom(tx, kernel, principal)
    return await tx.one(
      UploadRow,
      sql`
        insert into uploads.uploads as u (tenant_id, id, owner_id, purpose, media_category,
          storage_key, expected_size, expected_checksum, claimed_type, filename, part_size,
          part_count, multipart_upload_id, reserved_bytes, expires_at)
        values (${principal.tenant_id}, ${newId()}, ${principal.id}, ${asked.purpose},
          ${asked.media_category}, ${place.key}, ${asked.expected_size},
          ${asked.checksum ? digestOf(asked.checksum) : null},
          ${asked.claimed_type ? normalType(asked.claimed_type) : null}, ${asked.filename ?? null},
          ${part_size}, ${part_count}, ${place.reference}, ${asked.expected_size},
          kernel.now() + make_interval(secs => ${expiry}))
        returning ${uploadColumns}`,
    )
  } catch (error) {
    // If the transaction failed and runs again, it uses the same prepared upload.
    if (error instanceof Problem) discardPlace(kernel, place)
    throw error
  }
}

/**
 * This is not awaited, because a transaction may be open. If something remains at the store, the
 * sweep of orphans finds it.
 */
function discardPlace({ objects, log }: CreateDeps['kernel'], place: Place): void {
  objects.multipart.abort(place).catch((error: unknown) => {
    log.warn({ err: error }, 'an upload that was refused is left at the store')
  })
}

/** The reply to a creation and to its replay. Both get new URLs. */
export async function newUploadOf(
  { kernel }: Pick<Deps, 'kernel'>,
  upload: UploadRow,
): Promise<NewUpload> {
  const { id, part_count, part_size } = upload
  const open = upload.state === 'initiated' && !upload.verifying
  const numbers = Array.from({ length: Math.min(part_count, url_window) }, (_, n) => n + 1)
  const urls = open ? await partUrls(kernel, upload, numbers) : []
  const single = part_count === 1
  return {
    id,
    upload_id: id,
    object_key: upload.storage_key,
    state: upload.state,
    quarantined: upload.state !== 'available',
    part_size,
    part_count,
    upload_url: single ? (urls[0]?.url ?? null) : null,
    upload_headers: single && urls[0] ? urls[0].headers : null,
    part_urls: open && !single ? urls : null,
    next_part_number: open && part_count > url_window ? url_window + 1 : null,
    max_parallel_parts: Math.min(8, kernel.settings['uploads.parts_at_once']),
    expires_at: upload.expires_at,
  }
}

async function checkOrder(
  { kernel, purposes, clamd }: CreateDeps,
  { principal, grants }: Caller,
  asked: CreateUpload,
): Promise<void> {
  const rules = purposes.get(asked.purpose)
  if (!rules) throw invalid('/purpose', 'enum')
  const open = rules.members && principal.kind === 'account'
  if (!open && !allowsType(await grants(), 'uploads.uploads.create', asked.purpose)) {
    throw lacks(`uploads.uploads.create:${asked.purpose}`)
  }
  if (asked.tenant_id !== undefined && asked.tenant_id !== principal.tenant_id) {
    throw problem('permission_denied', { detail: 'The tenant must be that of the caller.' })
  }
  if (rules.checksum === 'required' && asked.checksum === undefined) {
    throw invalid('/checksum', 'required')
  }
  const largest = largestOf(rules, asked.media_category)
  if (largest === undefined) throw notAllowed('/media_category', 'category')
  const claimed = asked.claimed_type && categoryOf(normalType(asked.claimed_type))
  const fits = asked.media_category === 'any' || claimed === asked.media_category
  if (asked.claimed_type !== undefined && !fits) throw notAllowed('/claimed_type', 'claimed_type')
  if (asked.filename !== undefined && isProgramName(asked.filename)) {
    throw notAllowed(
      '/filename',
      'program',
      'Names of programs, such as `invoice.pdf.exe`, are not accepted. Choose another name.',
    )
  }
  const scannable = clamd ? kernel.settings['uploads.scan_max_bytes'] : Infinity
  const most = Math.min(largest, scannable)
  if (asked.expected_size > most) {
    throw problem('content_too_large', {
      detail: `A file for ${asked.purpose} (${asked.media_category}) has at most ${most} bytes.`,
    })
  }
}

function invalid(pointer: string, constraint: string) {
  return problem('validation_failed', { errors: [{ location: 'body', pointer, constraint }] })
}

function notAllowed(pointer: string, constraint: string, detail?: string) {
  const error: FieldError = { location: 'body', pointer, constraint }
  return problem('type_not_allowed', { errors: [error], ...(detail ? { detail } : {}) })
}

const Reserved = Type.Object({ reserved_bytes: Type.Integer() })

/**
 * One statement reserves the bytes. So the sum never exceeds the quota, even if many requests run
 * in parallel.
 */
async function reserve(
  tx: Tx,
  { settings }: CreateDeps['kernel'],
  tenant_id: string,
  bytes: number,
): Promise<void> {
  const quota = settings['uploads.tenant_quota_bytes']
  const taken =
    bytes <= quota &&
    (await tx.maybe(
      Reserved,
      sql`
        insert into uploads.tenant_usage as t (tenant_id, reserved_bytes)
        values (${tenant_id}, ${bytes})
        on conflict (tenant_id) do update set reserved_bytes = t.reserved_bytes + ${bytes}
          where t.reserved_bytes + ${bytes} <= ${quota}
        returning reserved_bytes`,
    ))
  if (!taken) {
    throw problem('quota_exceeded', {
      detail: `The files of a tenant have at most ${quota} bytes together. Delete files, or ask for more.`,
    })
  }
}

const Open = Type.Object({ open: Type.Integer() })

async function requireRoom(
  tx: Tx,
  { settings }: CreateDeps['kernel'],
  { tenant_id, id }: Caller['principal'],
): Promise<void> {
  // The row of the tenant's usage is locked here, so creations of one tenant count one after
  // another.
  const { open } = await tx.one(
    Open,
    sql`
      select count(*)::int as open from uploads.uploads
      where tenant_id = ${tenant_id} and owner_id = ${id} and state = 'initiated'`,
  )
  const most = settings['uploads.open_per_principal']
  if (open >= most) {
    throw problem('quota_exceeded', {
      detail: `${most} uploads are open. Complete or delete one of them first.`,
    })
  }
}

function planOf({ settings }: CreateDeps['kernel'], size: number) {
  const smallest = settings['uploads.part_bytes']
  const part_size = Math.max(smallest, Math.ceil(Math.ceil(size / parts_max) / MiB) * MiB)
  return { part_size, part_count: Math.ceil(size / part_size) }
}

/**
 * 136 random bits. The day is part of the key, so that folders and prefixes fill and empty evenly.
 */
export function newStorageKey({ clock }: Pick<CreateDeps['kernel'], 'clock'>): string {
  const day = rfc3339(clock.nowMs()).slice(0, 10).replaceAll('-', '/')
  return `o/${day}/${newSecret(17)}`
}
