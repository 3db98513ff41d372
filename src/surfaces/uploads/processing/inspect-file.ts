/**
 * Inspects a whole file, in a child process. It detects the type from the bytes, compares it with
 * the claimed type, and looks for content that no purpose accepts: programs, active content,
 * archives that explode or cannot be read, two formats in one file. It inspects exactly the bytes
 * of the digest.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileTypeFromFile } from 'file-type'
import { categoryOf, isProgram, normalType } from '../media-types.ts'
import { imageFacts } from './derive-images.ts'
import { openEicarSearch } from './eicar.ts'
import { inspectArchive } from './inspect-archive.ts'
import { inspectPdf } from './inspect-pdf.ts'
import { markupOf, openTextCheck, type Charset } from './inspect-text.ts'
import {
  Refused,
  type FileMetadata,
  type Inspection,
  type InspectTask,
} from './inspector-protocol.ts'

const head_bytes = 4096
const first_bytes = 1024 * 1024
const tail_bytes = 65_536 + 22
const trailing_bytes_max = 1024
export async function inspectFile(task: InspectTask): Promise<Inspection> {
  const { head, tail, size } = await endsOf(task.path)
  const { sha256, charset, first, has_eicar } = await readThrough(task.path)
  if (sha256 !== task.sha256) throw new Refused('object_altered')
  const is_text = charset !== null
  const markup = is_text && markupOf(new TextDecoder(charset).decode(first), first.length === size)
  const detected_type = markup || (await detect(task, is_text))
  const refuse = (refused: Inspection['refused'], metadata: FileMetadata = {}): Inspection => ({
    detected_type,
    refused,
    metadata,
  })
  if (has_eicar) return refuse('malware_detected')
  if (isProgram(head, is_text) || detected_type === 'image/svg+xml')
    return refuse('type_not_allowed')
  if (/rar|x-7z|x-bzip2|x-xz/.test(detected_type)) return refuse('archive_uninspectable')
  if (!isWhatWasClaimed(task, detected_type)) return refuse('type_mismatch')
  if (isPolyglot(detected_type, head, tail, size)) return refuse('polyglot_detected')
  try {
    return refuse(null, await lookInside(task, detected_type, charset))
  } catch (error) {
    if (error instanceof Refused) return refuse(error.code)
    throw error
  }
}

async function lookInside(
  { path, limits }: InspectTask,
  detected_type: string,
  charset: Charset | null,
): Promise<FileMetadata> {
  if (categoryOf(detected_type) === 'image') return await imageFacts(path, limits)
  if (detected_type === 'application/pdf') return await inspectPdf(path, limits)
  if (detected_type === 'application/x-tar' || detected_type === 'application/gzip') {
    return await inspectArchive(path, detected_type, limits)
  }
  if (isZip(detected_type)) return await inspectArchive(path, 'application/zip', limits)
  return charset === null || charset === 'utf-8' ? {} : { charset }
}

const isZip = (type: string) =>
  type === 'application/zip' || /openxmlformats|opendocument/.test(type)

async function endsOf(path: string) {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const read = async (length: number, position: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
      return buffer.subarray(0, bytesRead)
    }
    const from = Math.max(0, size - tail_bytes)
    return { head: await read(head_bytes, 0), tail: await read(tail_bytes, from), size }
  } finally {
    await file.close()
  }
}

/** `first` is the beginning of the file. */
async function readThrough(path: string) {
  const hash = createHash('sha256')
  const text = openTextCheck()
  let first: Buffer | undefined
  const hasEicar = openEicarSearch()
  let has_eicar = false
  for await (const chunk of createReadStream(path, { highWaterMark: first_bytes })) {
    const bytes = chunk as Buffer
    first ??= bytes
    hash.update(bytes)
    text.add(bytes)
    has_eicar = hasEicar(bytes)
  }
  const charset = text.end()
  return { sha256: hash.digest('hex'), charset, first: first ?? Buffer.alloc(0), has_eicar }
}

/** Other formats have bytes that no text has. A text may begin with the same letters, as "MZ". */
const written_as_text = /^(application\/(pdf|postscript|rtf)|text\/)/

async function detect({ path, claimed_type }: InspectTask, is_text: boolean): Promise<string> {
  const found = await fileTypeFromFile(path)
  const type = found ? normalType(found.mime) : null
  if (type !== null && (!is_text || written_as_text.test(type))) return type
  if (!is_text) return 'application/octet-stream'
  return claimed_type && categoryOf(claimed_type) === 'text' ? claimed_type : 'text/plain'
}

/** Text formats cannot be distinguished by their bytes, and audio and video share containers. */
function isWhatWasClaimed({ category, claimed_type }: InspectTask, type: string): boolean {
  const found = categoryOf(type)
  const shared = (a: string | undefined) =>
    a === found ||
    (a === 'audio' && type === 'video/mp4') ||
    (a === 'video' && type === 'audio/mp4')
  if (category !== 'any' && !shared(category)) return false
  if (claimed_type === null || claimed_type === type) return true
  const claimed = categoryOf(claimed_type)
  const is_plain = found === 'text' && type !== 'text/html'
  // Many types that are not listed here are texts, such as those of programming languages.
  if (claimed === undefined) return found === undefined || is_plain
  if (claimed === 'text') return is_plain
  return (claimed === 'audio' || claimed === 'video') && shared(claimed)
}

/** A second format is hidden at the beginning or end of the first. */
function isPolyglot(type: string, head: Buffer, tail: Buffer, size: number): boolean {
  const category = categoryOf(type)
  if (category === 'text') return false
  const markup = /<script[\s>]|<html[\s>]|__HALT_COMPILER/i.test(head.toString('latin1'))
  if (category === 'image' && markup) return true
  // PDF viewers accept the header of a PDF anywhere in the first kilobyte.
  if (type !== 'application/pdf' && head.subarray(0, 1028).includes('%PDF-', 0, 'latin1'))
    return true
  if (
    (category === 'image' || type === 'application/pdf') &&
    tail.includes('PK\x05\x06', 0, 'latin1')
  )
    return true
  const end = endOf(type, tail)
  const beyond = end === null ? 0 : tail.length - end
  return size > trailing_bytes_max && beyond > trailing_bytes_max
}

function endOf(type: string, tail: Buffer): number | null {
  const marks: Readonly<Record<string, readonly [string, number]>> = {
    'image/png': ['49454e44ae426082', 8],
    'image/jpeg': ['ffd9', 2],
    'image/gif': ['003b', 2],
  }
  const mark = marks[type]
  if (!mark) return null
  const at = tail.lastIndexOf(Buffer.from(mark[0], 'hex'))
  if (at !== -1) return at + mark[1]
  // The end is not in the last 64 KiB. So more than that follows the image, or the image is cut
  // short.
  return tail.length < tail_bytes ? null : 0
}
