/**
 * The images and documents of a call. Their first bytes have to be of the type that the caller says,
 * so that no page of HTML is sent as a PDF. The platform opens no address: they are sent inline, or are
 * files of uploads, whose type was found there.
 */
import { limit } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { bytesOf, filesIn, type File, type Item } from '../providers/form.ts'

const files_max = limit(
  'inference.files',
  8,
  'files',
  'Most images and documents of a conversation',
)
const file_bytes_max = limit('inference.file_bytes', 20 * 1024 * 1024, 'bytes', 'Largest file')
const call_bytes_max = limit(
  'inference.call_file_bytes',
  32 * 1024 * 1024,
  'bytes',
  'All files of a conversation together',
)
const kept_bytes_max = limit(
  'inference.file_bytes_kept',
  256 * 1024,
  'bytes',
  'Largest files of a call that is stored, or that has an Idempotency-Key',
)

/** By its base64, of which 4 characters are 3 bytes. */
const beginnings: Readonly<Record<string, RegExp>> = {
  'image/png': /^iVBORw0KGgo/,
  'image/jpeg': /^\/9j\//,
  'image/gif': /^R0lGOD/,
  'image/webp': /^UklGR.{8,9}XRUJQ/,
  'application/pdf': /^JVBERi0/,
}

export function isAccepted(media_type: string): boolean {
  return Object.hasOwn(beginnings, media_type)
}

/** `pointer` is the part in the request. */
export function readFile(
  pointer: string,
  media_type: string,
  data: string,
  name: string | undefined,
): File {
  const begins = beginnings[media_type]
  const errors = [{ location: 'body' as const, pointer, constraint: 'file' }]
  if (!begins) {
    const detail = `Files of the type ${media_type.slice(0, 60)} are not accepted. Send png, jpeg, gif, webp or pdf.`
    throw problem('validation_failed', { detail, errors })
  }
  if (!begins.test(data) || !isBase64(data)) {
    const detail = `The file is not base64 of the type ${media_type}. Check its bytes and its type.`
    throw problem('validation_failed', { detail, errors })
  }
  const type = media_type === 'application/pdf' ? 'document' : 'image'
  return { type, media_type, data, ...(name === undefined ? {} : { name }) }
}

/** A data URL, as the dialects send files. */
export function readDataUrl(pointer: string, url: string, name: string | undefined): File {
  const comma = url.indexOf(',')
  const head = /^data:([\w/+.-]{1,60});base64$/.exec(url.slice(0, Math.max(0, Math.min(comma, 80))))
  if (!head?.[1]) {
    throw problem('validation_failed', {
      detail: 'Files are sent inline. Send a URL that begins with `data:` and has base64.',
      errors: [{ location: 'body', pointer, constraint: 'data_url' }],
    })
  }
  return readFile(pointer, head[1], url.slice(comma + 1), name)
}

type Checked = { readonly is_kept: boolean; readonly pointer: string }

/** Large inline files are not written to the database. */
export function checkFiles(
  before: readonly Item[],
  items: readonly Item[],
  { is_kept, pointer }: Checked,
): void {
  const own = filesIn(items)
  const all = [...filesIn(before), ...own]
  const refuse = (detail: string) => {
    const errors = [{ location: 'body' as const, pointer, constraint: 'files' }]
    return problem('validation_failed', { detail, errors })
  }
  if (all.length > files_max) {
    throw refuse(`A conversation has at most ${files_max} files. Send fewer.`)
  }
  if (all.some(one => bytesOf(one) > file_bytes_max)) {
    throw refuse('A file has more than 20 MiB. Send a smaller one.')
  }
  if (sumOf(all) > call_bytes_max) {
    throw refuse('The files of the conversation have more than 32 MiB together. Send fewer.')
  }
  if (is_kept && sumOf(own.filter(one => !one.stored)) > kept_bytes_max) {
    throw refuse(
      'Inline files above 256 KiB are not stored. Upload them and send their ids, or send `store: false` and no Idempotency-Key.',
    )
  }
}

function sumOf(files: readonly File[]): number {
  return files.reduce((sum, one) => sum + bytesOf(one), 0)
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data)
}
