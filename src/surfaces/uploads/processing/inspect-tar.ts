/**
 * Inspects tar and gzip. Names and links must stay inside the archive, no entry may be a device,
 * and all bytes are counted. The content of a gzip may be a tar or a zip, and is then inspected
 * like one.
 */
import { createReadStream } from 'node:fs'
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { Refused, type FileMetadata, type InspectorLimits } from './inspector-protocol.ts'
import {
  inspectNested,
  isUnsafePath,
  isZipHead,
  nested_bytes_max,
  spend,
  type Budget,
} from './inspect-zip.ts'

const head_bytes = 512
const devices = new Set(['character-device', 'block-device', 'fifo'])

export async function inspectTarFile(path: string, limits: InspectorLimits): Promise<FileMetadata> {
  const budget: Budget = { entries: 0, bytes: 0, limits }
  await inspectTar(createReadStream(path), budget, 1)
  return { entries: budget.entries, expanded_bytes: budget.bytes }
}

export async function inspectGzip(path: string, limits: InspectorLimits): Promise<FileMetadata> {
  const budget: Budget = { entries: 0, bytes: 0, limits }
  const packed = createReadStream(path)
  const unpacked = unpackedBytes(packed, budget)
  try {
    const first = await firstBytes(unpacked)
    if (isTarHead(first)) await inspectTar(rest(first, unpacked), { ...budget, bytes: 0 }, 2)
    else if (isZipHead(first)) await inspectNested(await whole(rest(first, unpacked)), budget, 1)
    else for await (const _ of unpacked);
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('media_corrupt')
  } finally {
    packed.destroy()
  }
  return { expanded_bytes: budget.bytes }
}

async function* unpackedBytes(
  packed: ReturnType<typeof createReadStream>,
  budget: Budget,
): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  packed.once('error', error => gunzip.destroy(error))
  for await (const chunk of packed.pipe(gunzip) as AsyncIterable<Buffer>) {
    spend(budget, chunk.length, Math.max(1, packed.bytesRead), budget.bytes + chunk.length)
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

function isTarHead(head: Buffer): boolean {
  return head.subarray(257, 262).toString('latin1') === 'ustar'
}

async function inspectTar(
  bytes: AsyncIterable<Buffer>,
  budget: Budget,
  depth: number,
): Promise<void> {
  const entries = extract()
  const reading = Readable.from(bytes)
  reading.once('error', error => entries.destroy(error))
  reading.pipe(entries)
  try {
    for await (const entry of entries) {
      budget.entries++
      if (budget.entries > budget.limits.archive_entries) throw new Refused('archive_bomb')
      checkHeader(entry.header)
      await readEntry(entry as AsyncIterable<Buffer>, budget, depth)
    }
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('media_corrupt')
  } finally {
    reading.destroy()
    entries.destroy()
  }
}

function checkHeader({ name, type, linkname }: Header): void {
  if (isUnsafePath(name) || devices.has(type)) throw new Refused('archive_unsafe_path')
  if (type !== 'symlink' && type !== 'link') return
  // A hard link names a path in the archive. A symbolic link names a path relative to itself.
  const target = type === 'link' ? linkname : posix.join(posix.dirname(name), linkname)
  const outside = posix.normalize(target).startsWith('..') || linkname.startsWith('/')
  if (outside) throw new Refused('archive_unsafe_path')
}

async function readEntry(
  entry: AsyncIterable<Buffer>,
  budget: Budget,
  depth: number,
): Promise<void> {
  let nested: Buffer[] | null = null
  let size = 0
  for await (const chunk of entry) {
    if (size === 0 && isZipHead(chunk)) nested = []
    size += chunk.length
    // A tar is not compressed. The unpacking that led here counts its own bytes.
    spend(budget, chunk.length, size, size)
    if (nested && size > nested_bytes_max) throw new Refused('archive_uninspectable')
    nested?.push(chunk)
  }
  if (nested) await inspectNested(Buffer.concat(nested), budget, depth)
}
