/**
 * Inspects archives, and what is in them: an archive in an archive is opened up to a maximum depth,
 * and no content may be malware or a program. All unpacked bytes are counted.
 */
import { createReadStream } from 'node:fs'
import { isExecutable } from '../media-types.ts'
import type { Archive, Packed } from './archive.ts'
import { openEicarSearch } from './eicar.ts'
import { Refused, type FileMetadata, type InspectorLimits } from './inspector-protocol.ts'
import { inspectGzip, inspectTar, isTarHead } from './inspect-tar.ts'
import { inspectZipBytes, inspectZipFile } from './inspect-zip.ts'

const ratio_from_bytes = 100 * 1024 * 1024
/** A zip inside is held in memory while it is inspected. */
const nested_bytes_max = 64 * 1024 * 1024
const head_bytes = 512

const types = {
  'application/x-tar': (path: string, archive: Archive) =>
    inspectTar(createReadStream(path), archive, 1),
  'application/gzip': (path: string, archive: Archive) =>
    inspectGzip(createReadStream(path), archive, 1),
  'application/zip': inspectZipFile,
} as const

export async function inspectArchive(
  path: string,
  type: keyof typeof types,
  limits: InspectorLimits,
): Promise<FileMetadata> {
  const archive: Archive = {
    limits,
    entries: 0,
    bytes: 0,
    inside: (content, depth, from) => inspectContent(content, archive, depth, from),
  }
  await types[type](path, archive)
  const { entries, bytes: expanded_bytes } = archive
  return type === 'application/gzip' ? { expanded_bytes } : { entries, expanded_bytes }
}

async function inspectContent(
  content: AsyncIterable<Buffer>,
  archive: Archive,
  depth: number,
  from: Packed,
): Promise<void> {
  const counting = { is_on: true }
  const bytes = watched(content, archive, from, counting)
  const first = await firstBytes(bytes)
  if (isTarHead(first)) {
    // Its entries are counted instead. A tar in a gzip is one archive.
    counting.is_on = false
    archive.bytes -= first.length
    return await inspectTar(rest(first, bytes), archive, from.by === 'gzip' ? depth - 1 : depth)
  }
  const head = first.subarray(0, 8).toString('latin1')
  if (head.startsWith('PK\x03\x04')) {
    return await inspectZipBytes(await whole(rest(first, bytes)), archive, depth)
  }
  if (head.startsWith('\x1f\x8b\x08')) return await inspectGzip(rest(first, bytes), archive, depth)
  if (/^(Rar!|7z\xbc\xaf|\xfd7zXZ|BZh[1-9]1AY)/.test(head)) {
    throw new Refused('archive_uninspectable')
  }
  if (isExecutable(first)) throw new Refused('type_not_allowed')
  for await (const _ of bytes);
}

async function* watched(
  content: AsyncIterable<Buffer>,
  archive: Archive,
  { bytes: packedBytes }: Packed,
  counting: { readonly is_on: boolean },
): AsyncGenerator<Buffer> {
  const { archive_bytes, archive_ratio } = archive.limits
  const hasEicar = openEicarSearch()
  let unpacked = 0
  for await (const chunk of content) {
    unpacked += chunk.length
    if (counting.is_on) archive.bytes += chunk.length
    const bomb = unpacked > ratio_from_bytes && unpacked > packedBytes(unpacked) * archive_ratio
    if (bomb || archive.bytes > archive_bytes) throw new Refused('archive_bomb')
    if (hasEicar(chunk)) throw new Refused('malware_detected')
    yield chunk
  }
}

async function firstBytes(bytes: AsyncGenerator<Buffer>): Promise<Buffer> {
  let first = Buffer.alloc(0)
  while (first.length < head_bytes) {
    const next = await bytes.next()
    if (next.done === true) break
    first = Buffer.concat([first, next.value])
  }
  return first
}

async function* rest(first: Buffer, bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* bytes
}

async function whole(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const gathered: Buffer[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > nested_bytes_max) throw new Refused('archive_uninspectable')
    gathered.push(chunk)
  }
  return Buffer.concat(gathered)
}
