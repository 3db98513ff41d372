/**
 * Reads tar and gzip. Names and links must stay inside the archive, and no entry may be a device.
 */
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { countEntry, isUnsafePath, type Archive } from './archive.ts'
import { Refused } from './inspector-protocol.ts'

const devices = new Set(['character-device', 'block-device', 'fifo'])

/** What is in it is inspected: a tar, a zip, or anything else. */
export async function inspectGzip(
  packed: AsyncIterable<Buffer>,
  archive: Archive,
  depth: number,
): Promise<void> {
  if (depth > archive.limits.archive_depth) throw new Refused('archive_bomb')
  let read = 0
  const counted = async function* () {
    for await (const chunk of packed) {
      read += chunk.length
      yield chunk
    }
  }
  const reading = Readable.from(counted())
  const gunzip = createGunzip()
  reading.once('error', error => gunzip.destroy(error))
  const from = { bytes: () => Math.max(1, read), by: 'gzip' } as const
  try {
    await archive.inside(reading.pipe(gunzip) as AsyncIterable<Buffer>, depth + 1, from)
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('media_corrupt')
  } finally {
    reading.destroy()
    gunzip.destroy()
  }
}

export function isTarHead(head: Buffer): boolean {
  return head.subarray(257, 262).toString('latin1') === 'ustar'
}

export async function inspectTar(
  bytes: AsyncIterable<Buffer>,
  archive: Archive,
  depth: number,
): Promise<void> {
  if (depth > archive.limits.archive_depth) throw new Refused('archive_bomb')
  const entries = extract()
  const reading = Readable.from(bytes)
  reading.once('error', error => entries.destroy(error))
  reading.pipe(entries)
  // A tar is not compressed. The unpacking that led here counts its own bytes.
  const from = { bytes: (unpacked: number) => unpacked }
  try {
    for await (const entry of entries) {
      countEntry(archive)
      checkHeader(entry.header)
      await archive.inside(entry as AsyncIterable<Buffer>, depth + 1, from)
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
