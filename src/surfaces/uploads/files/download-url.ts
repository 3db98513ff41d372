/**
 * Signs URLs of files that the caller may read now: of one file, or of a page of pictures in one
 * call.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, text, Time, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { mayBeInline, servedType } from '../media-types.ts'
import { Checksum, checksumOf, Size } from '../schemas.ts'
import type { DerivativeKind } from '../purposes.ts'
import type { Caller } from '../uploads/upload-row.ts'
import type { Disposition, Variant } from './file-urls.ts'
import { derivativesOf, type DerivativeRow } from './file-row.ts'
import { requireReadable, readable, type ReadableFile } from './may-read.ts'

export const DownloadUrl = Type.Object(
  {
    url: Type.String({ maxLength: 4096 }),
    method: Type.Literal('GET'),
    expires_at: Time,
    file_id: Id,
    content_type: text(200),
    size: Size,
    filename: nullable(text(255)),
    checksum: Checksum,
  },
  { title: 'DownloadUrl' },
)

export type Asked = {
  readonly derivative?: DerivativeKind | undefined
  readonly disposition?: Disposition | undefined
  readonly expires_in?: number | undefined
}

type Chosen = {
  readonly variant: Variant
  readonly type: string | null
  readonly size: number
  readonly checksum: string
}

export async function downloadUrl(
  reader: Reader,
  deps: Pick<Deps, 'kernel' | 'readers' | 'fileUrls'>,
  caller: Caller,
  file_id: string,
  asked: Asked,
): Promise<Static<typeof DownloadUrl>> {
  const file = await requireReadable(reader, deps, caller, file_id, 'uploads.files.download_any')
  return await urlOf(reader, deps, file, asked)
}

/** For a caller who may read the file. */
export async function urlOf(
  reader: Reader,
  { fileUrls, kernel }: Pick<Deps, 'kernel' | 'fileUrls'>,
  file: ReadableFile,
  asked: Asked,
): Promise<Static<typeof DownloadUrl>> {
  const chosen = choose(file, await derivativesOf(reader, file.tenant_id, [file.id]), asked)
  if (typeof chosen === 'string') throw refusal(chosen, file)
  const seconds = asked.expires_in ?? kernel.settings['uploads.download_url_seconds']
  const inline = asked.disposition === 'inline' && mayBeInline(chosen.type)
  const disposition = inline ? 'inline' : 'attachment'
  return {
    ...fileUrls.sign(file.id, chosen.variant, disposition, seconds),
    method: 'GET',
    file_id: file.id,
    content_type: servedType(chosen.type),
    size: chosen.size,
    filename: file.by === 'surface' && !isNamed(file, chosen.variant) ? null : file.filename,
    checksum: chosen.checksum,
  }
}

export const ManyUrls = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        file_id: Id,
        url: nullable(Type.String({ maxLength: 4096 })),
        expires_at: nullable(Time),
        code: nullable(text(50)),
      }),
      { maxItems: 100 },
    ),
  },
  { title: 'DownloadUrls' },
)

export type AskedMany = {
  readonly files: readonly { readonly file_id: string; readonly derivative?: DerivativeKind }[]
  readonly expires_in?: number
}

export async function downloadUrls(
  reader: Reader,
  deps: Pick<Deps, 'kernel' | 'readers' | 'fileUrls'>,
  caller: Caller,
  { files, expires_in }: AskedMany,
): Promise<Static<typeof ManyUrls>> {
  const ids = [...new Set(files.map(one => one.file_id))]
  const found = await readable(reader, deps, caller, ids, 'uploads.files.download_any')
  const derivatives = await derivativesOf(reader, caller.principal.tenant_id, ids)
  const seconds = expires_in ?? deps.kernel.settings['uploads.download_url_seconds']
  const data = files.map(({ file_id, derivative }) => {
    const file = found.find(one => one.id === file_id)
    const chosen = file ? choose(file, derivatives, { derivative }) : 'file_not_found'
    if (typeof chosen === 'string') return { file_id, url: null, expires_at: null, code: chosen }
    const disposition = mayBeInline(chosen.type) ? 'inline' : 'attachment'
    return {
      file_id,
      ...deps.fileUrls.sign(file_id, chosen.variant, disposition, seconds),
      code: null,
    }
  })
  return { data }
}

/** The name of an attachment or document is part of it. A picture or a video of a post has none. */
function isNamed({ purpose }: ReadableFile, variant: Variant): boolean {
  return variant === 'original' && purpose !== 'post_media'
}

type Refusal = 'file_not_found' | 'file_not_available' | 'derivative_not_found'

/** Returns which form of the file this reader gets, or the reason for a refusal. */
function choose(
  file: ReadableFile,
  derivatives: readonly DerivativeRow[],
  { derivative }: Asked,
): Chosen | Refusal {
  // Other readers cannot learn that a file exists which is not available yet or is in quarantine.
  if (file.state !== 'available') {
    return file.by === 'surface' ? 'file_not_found' : 'file_not_available'
  }
  const own = derivatives.filter(one => one.file_id === file.id)
  const has_sanitized = own.some(one => one.kind === 'sanitized')
  const kind = derivative ?? (file.by !== 'owner' && has_sanitized ? 'sanitized' : undefined)
  if (kind === undefined) {
    const { detected_type: type, size, sha256 } = file
    return { variant: 'original', type, size, checksum: checksumOf(sha256) }
  }
  const found = own.find(one => one.kind === kind && one.state === 'ready')
  if (!found?.checksum || found.size === null) return 'derivative_not_found'
  return { variant: kind, type: found.media_type, size: found.size, checksum: found.checksum }
}

function refusal(code: Refusal, file: ReadableFile) {
  if (code !== 'file_not_available') return problem(code)
  return problem('file_not_available', {
    current_state: file.state,
    more: { file_state: file.state, error_code: file.error_code },
    detail:
      file.state === 'uploaded'
        ? 'The file is being checked. Ask again when its state is available.'
        : 'The file was refused by the checks; error_code says why.',
  })
}
