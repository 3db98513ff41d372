/**
 * Receives one part of an upload by a signed URL, if the engine is local. Signature, state and size
 * are checked before the body is read. After the first bytes of part 1 the type is checked too. The
 * bytes are on the disk before the row names them. If there are two attempts, the row says which
 * attempt counts.
 */
import { Type } from 'typebox'
import type { Readable } from 'node:stream'
import { PartMissing, PartSizeDiffers, sql } from '#dodeca/kernel'
import type { Db, ReceivedParts, RequestFacts, StoredPart } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { headFits } from '../media-types.ts'
import { isFull, requireSpace } from '../storage/space.ts'
import { sizeOfPart, UploadRow, uploadColumns } from '../uploads/upload-row.ts'
import { partGrant } from './part-urls.ts'
import { guardPace } from './pace.ts'
import type { Slots } from './slots.ts'

const head_bytes = 4096

export type PartRequest = {
  readonly upload_id: string
  readonly part_number: number
  readonly query: Readonly<Record<string, unknown>>
  readonly request: Pick<RequestFacts, 'headers' | 'stream'>
}

/** Returns the entity tag of the part. */
export async function receivePart(
  db: Db,
  { kernel, rights, slots }: Pick<Deps, 'kernel' | 'rights'> & { readonly slots: Slots },
  asked: PartRequest,
): Promise<string> {
  const { parts } = kernel.objects.multipart
  const upload = await findForPart(db, kernel, asked)
  if (!(await rights.isOpen(db, upload.tenant_id))) throw problem('signed_url_invalid')
  const { part_number } = asked
  const size = sizeOfPart(upload, part_number)
  checkLength(asked.request.headers, size)
  const expected = expectedDigest(asked.request.headers)
  if (parts.kind !== 'received' || !upload.multipart_upload_id) throw ended(upload.state)
  const release = slots.take(upload)
  try {
    await requireSpace(kernel, size)
    const body = asked.request.stream(size)
    const checked = part_number === 1 ? withHead(body, upload) : body
    const stored = await receive(parts, upload.multipart_upload_id, part_number, checked, size, {
      idle_ms: kernel.settings['uploads.part_idle_seconds'] * 1000,
    })
    await kernel.fault('uploads.after_part_bytes')
    await keepPart(db, kernel, parts, upload, stored, expected)
    return `"${stored.sha256?.toString('hex')}"`
  } finally {
    release()
  }
}

async function findForPart(db: Db, kernel: Deps['kernel'], asked: PartRequest): Promise<UploadRow> {
  const { upload_id, part_number, query } = asked
  const upload = await db.maybe(
    UploadRow,
    sql`
      -- any tenant: the signature of the URL is what grants this
      select ${uploadColumns} from uploads.uploads u where u.id = ${upload_id}`,
  )
  // This URL was never signed, because there is no such upload or part.
  if (!upload || part_number > upload.part_count) throw problem('signed_url_invalid')
  const grant = partGrant(upload, part_number)
  const verdict = kernel.signedUrls.verify(grant, query, kernel.clock.nowSeconds())
  if (verdict !== 'ok') throw problem(verdict)
  if (upload.state !== 'initiated' || upload.verifying) throw ended(upload.state)
  return upload
}

function ended(current_state: string) {
  return problem('invalid_transition', {
    current_state,
    detail: 'The upload takes no more parts. Its state is in GET /v1/uploads/{upload_id}.',
  })
}

function checkLength(headers: RequestFacts['headers'], size: number): void {
  const given = headers['content-length']
  if (given === undefined) throw problem('content_length_required')
  const length = Number(given)
  if (length === size) return
  const detail = `This part has ${size} bytes, and the request announces ${length}.`
  throw problem(length > size ? 'content_too_large' : 'part_size_mismatch', { detail })
}

function expectedDigest(headers: RequestFacts['headers']): Buffer | null {
  const given = headers['x-amz-checksum-sha256']
  if (given === undefined) return null
  const digest = Buffer.from(String(given), 'base64')
  if (digest.length === 32 && digest.toString('base64') === given) return digest
  throw problem('invalid_header', {
    errors: [
      { location: 'header', pointer: '/x-amz-checksum-sha256', constraint: 'sha256_base64' },
    ],
  })
}

/** Checks the first 4 KiB before it reads any more. They may arrive in many pieces. */
async function* withHead(body: Readable, { media_category }: UploadRow): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (head) {
      head = Buffer.concat([head, chunk.subarray(0, head_bytes)])
      if (head.length >= head_bytes) {
        checkHead(head, media_category)
        head = null
      }
    }
    yield chunk
  }
  if (head && head.length > 0) checkHead(head, media_category)
}

function checkHead(head: Buffer, category: UploadRow['media_category']): void {
  if (headFits(head, category)) return
  throw problem('type_not_allowed', {
    detail: `The first bytes are not those of a file of the category ${category}.`,
  })
}

async function receive(
  parts: ReceivedParts,
  reference: string,
  part_number: number,
  body: AsyncIterable<Buffer>,
  size: number,
  { idle_ms }: { readonly idle_ms: number },
): Promise<StoredPart> {
  try {
    return await parts.receive(reference, part_number, guardPace(body, idle_ms), size)
  } catch (error) {
    if (error instanceof PartSizeDiffers) {
      throw problem('part_size_mismatch', {
        detail: `This part has ${size} bytes, and ${error.received} arrived.`,
      })
    }
    if (error instanceof PartMissing) throw ended('aborted')
    if (isFull(error)) throw problem('storage_full')
    throw error
  }
}

const Kept = Type.Object({ replaced: Type.Union([Type.String(), Type.Null()]) })

/**
 * The row counts only while the upload is open. Each part extends the expiry, up to a maximum age.
 */
async function keepPart(
  db: Db,
  { settings }: Deps['kernel'],
  parts: ReceivedParts,
  upload: UploadRow,
  stored: StoredPart,
  expected: Buffer | null,
): Promise<void> {
  const { tenant_id, id } = upload
  const { part_number, name, size, sha256 } = stored
  const reference = upload.multipart_upload_id ?? ''
  if (expected && !sha256?.equals(expected)) {
    await parts.remove(reference, stored)
    throw problem('part_checksum_mismatch')
  }
  const kept = await db.maybe(
    Kept,
    sql`
      with open as (
        update uploads.uploads
        set expires_at = least(kernel.now() + make_interval(secs => ${settings['uploads.expiry_seconds']}),
          created_at + make_interval(secs => ${settings['uploads.max_age_seconds']}))
        where tenant_id = ${tenant_id} and id = ${id} and state = 'initiated' and due_at is null
        returning id
      )
      insert into uploads.upload_parts as p (tenant_id, upload_id, part_number, etag, size, sha256, name)
      select ${tenant_id}, open.id, ${part_number}, ${sha256?.toString('hex') ?? ''}, ${size},
        ${sha256}, ${name}
      from open
      on conflict (tenant_id, upload_id, part_number) do update
      set etag = excluded.etag, size = excluded.size, sha256 = excluded.sha256,
        name = excluded.name, replaced_name = p.name, received_at = kernel.now()
      returning p.replaced_name as replaced`,
  )
  if (!kept) {
    await parts.remove(reference, stored)
    throw ended(upload.state)
  }
  if (kept.replaced) await parts.remove(reference, { part_number, name: kept.replaced })
}
