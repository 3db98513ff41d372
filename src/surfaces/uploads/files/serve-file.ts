/**
 * Serves the bytes of a file by a signed URL. Each request checks the state, and compares the
 * stored object with the version that was scanned. If the version differs, all bytes are hashed
 * again, because a restored backup gives every file a new version. If the digest differs too, the
 * refusal is `object_altered`.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import { Type, type Static } from 'typebox'
import {
  Id,
  isMatched,
  isNotModified,
  nullable,
  rangeOf,
  sql,
  StoreUnavailable,
} from '#dodeca/kernel'
import type { ByteRange, Db, FoundObject, RequestFacts } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { mayBeInline, servedType } from '../media-types.ts'
import { Bytes, Size } from '../schemas.ts'
import { quarantineFile } from './quarantine-file.ts'
import { downloadGrant } from './file-urls.ts'

const redirect_seconds = 60
/** Path separators, control characters, and characters that change the reading direction. */
// oxlint-disable-next-line no-control-regex -- these are what is replaced
const unsafe_in_names = /[/\\\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Windows would open a device instead of a file with this name. */
const device_names = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

const Served = Type.Object({
  tenant_id: Id,
  file_id: Id,
  variant_id: nullable(Id),
  storage_key: Type.String(),
  storage_version: Type.String(),
  size: Size,
  sha256: Bytes,
  media_type: nullable(Type.String()),
  charset: Type.String(),
  filename: nullable(Type.String()),
})
type Served = Static<typeof Served>

export type ServeRequest = {
  readonly file_id: string
  readonly variant: string
  readonly query: Readonly<Record<string, string | undefined>>
  readonly request: Pick<RequestFacts, 'method' | 'headers'>
}

export type ServedReply = {
  readonly status: 200 | 206 | 304 | 307
  readonly body: Readable | null
  readonly headers: Readonly<Record<string, string>>
}

export async function serveFile(
  db: Db,
  { kernel, rights }: Pick<Deps, 'kernel' | 'rights'>,
  { file_id, variant, query, request }: ServeRequest,
): Promise<ServedReply> {
  const { disposition = 'attachment' } = query
  const grant = downloadGrant(file_id, variant, disposition)
  const verdict = kernel.signedUrls.verify(grant, query, kernel.clock.nowSeconds())
  if (verdict !== 'ok') throw problem(verdict)
  const served = await findServed(db, file_id, variant)
  if (!served || !(await rights.isOpen(db, served.tenant_id))) throw problem('file_not_found')
  const headers = headersOf(served, disposition)
  const { method, headers: sent } = request
  if (!isMatched(sent['if-match'], headers['etag'])) {
    throw problem('precondition_failed', { detail: 'The file has another ETag.' })
  }
  if (isNotModified(String(sent['if-none-match'] ?? ''), headers['etag'])) {
    return { status: 304, body: null, headers }
  }
  if (kernel.objects.presignGet && kernel.settings['uploads.s3_redirects'] && method === 'GET') {
    const location = await kernel.objects.presignGet(served.storage_key, {
      expires_seconds: redirect_seconds,
      content_type: headers['content-type'] ?? '',
      content_disposition: headers['content-disposition'] ?? '',
    })
    await checkVersion(db, kernel, served)
    return { status: 307, body: null, headers: { location, 'cache-control': 'no-store' } }
  }
  const fresh = sent['if-range'] === undefined || sent['if-range'] === headers['etag']
  const range = fresh ? rangeOf(sent['range'], served.size) : null
  if (range === 'unsatisfiable') {
    throw problem('range_not_satisfiable', {
      headers: { 'content-range': `bytes */${served.size}` },
    })
  }
  const found = await openChecked(db, kernel, served, range)
  if (method === 'HEAD') found.body.destroy()
  // HEAD has the headers of GET.
  const body = method === 'HEAD' ? Readable.from([]) : found.body
  if (!range) {
    return { status: 200, body, headers: { ...headers, 'content-length': String(served.size) } }
  }
  const { start, end } = range
  return {
    status: 206,
    body,
    headers: {
      ...headers,
      'content-range': `bytes ${start}-${end}/${served.size}`,
      'content-length': String(end - start + 1),
    },
  }
}

async function findServed(db: Db, file_id: string, variant: string): Promise<Served | undefined> {
  return await db.maybe(
    Served,
    sql`
      -- any tenant: the signature of the URL is what grants this
      select f.tenant_id, f.id as file_id, d.id as variant_id,
        coalesce(d.storage_key, f.storage_key) as storage_key,
        coalesce(d.storage_version, f.storage_version) as storage_version,
        coalesce(d.size, f.size) as size, coalesce(d.sha256, f.sha256) as sha256,
        case when d.id is null then f.detected_type else d.media_type end as media_type,
        coalesce(f.metadata ->> 'charset', 'utf-8') as charset,
        -- The same URL serves the owner and all readers, so it does not tell the name to them.
        coalesce(d.kind, case when f.purpose <> 'post_media' then f.filename end) as filename
      from uploads.files f
      left join uploads.derivatives d
        on d.tenant_id = f.tenant_id and d.file_id = f.id and d.kind = ${variant}
          and d.state = 'ready'
      where f.id = ${file_id} and f.state = 'available'
        and (${variant} = 'original' or d.id is not null)`,
  )
}

function headersOf(
  { sha256, media_type, charset, filename, variant_id }: Served,
  disposition: string,
): Record<string, string> {
  const inline = disposition === 'inline' && mayBeInline(media_type)
  const plain = (filename ?? 'file').replaceAll(unsafe_in_names, '_')
  const name = device_names.test(plain) ? `_${plain}` : plain
  const type = servedType(media_type)
  return {
    'content-type': type.startsWith('text/') ? `${type}; charset=${charset}` : type,
    'content-disposition': contentDisposition(variant_id ? `${name}.webp` : name, {
      type: inline ? 'inline' : 'attachment',
    }),
    etag: `"${sha256.toString('hex')}"`,
    'repr-digest': `sha-256=:${sha256.toString('base64')}:`,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'cross-origin',
  }
}

async function openChecked(
  db: Db,
  kernel: Deps['kernel'],
  served: Served,
  range: ByteRange | null,
): Promise<FoundObject> {
  let { storage_version } = served
  for (let attempt = 0; attempt < 3; attempt++) {
    const found = await kernel.objects.get(served.storage_key, range ?? undefined)
    if (found?.version === storage_version) return found
    found?.body.destroy()
    storage_version = await recheck(db, kernel, served)
  }
  throw new StoreUnavailable('an object has another version at each request')
}

async function checkVersion(db: Db, kernel: Deps['kernel'], served: Served): Promise<void> {
  const facts = await kernel.objects.head(served.storage_key)
  if (facts?.version !== served.storage_version) await recheck(db, kernel, served)
}

/** Returns the version of the object, if its bytes are unchanged since the scan. */
async function recheck(db: Db, kernel: Deps['kernel'], served: Served): Promise<string> {
  const { tenant_id, file_id, variant_id } = served
  const found = await kernel.objects.get(served.storage_key)
  // Only the comparison with the whole store decides that an object is lost.
  if (!found) throw new StoreUnavailable('the object of a file is missing')
  if (!(await hasDigest(found.body, served.sha256))) {
    kernel.log.error({ file_id }, 'a stored object is not the one that was scanned')
    await db.tx(tx => quarantineFile(tx, kernel, { tenant_id, id: file_id }, 'object_altered'))
    throw problem('file_not_found')
  }
  if (variant_id) {
    await db.run(sql`
      update uploads.derivatives set storage_version = ${found.version}
      where tenant_id = ${tenant_id} and id = ${variant_id}`)
  } else {
    await db.run(sql`
      update uploads.files set storage_version = ${found.version}
      where tenant_id = ${tenant_id} and id = ${file_id}`)
  }
  return found.version
}

async function hasDigest(body: Readable, sha256: Buffer): Promise<boolean> {
  const hash = createHash('sha256')
  for await (const chunk of body) hash.update(chunk as Buffer)
  return hash.digest().equals(sha256)
}
