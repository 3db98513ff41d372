/**
 * Looks into archives without trusting what they say of themselves: every entry is inflated and counted,
 * entries that share bytes are a bomb, and archives inside are opened up to a depth.
 */
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { Refused, type FileMetadata, type InspectorLimits } from './inspector-protocol.ts'

const ratio_from_bytes = 10 * 1024 * 1024
/** An archive inside is held in memory while it is looked at. */
const nested_bytes_max = 64 * 1024 * 1024
const symbolic_link = 0o120000

type Budget = { entries: number; bytes: number; readonly limits: InspectorLimits }

export async function inspectArchive(path: string, limits: InspectorLimits): Promise<FileMetadata> {
  const budget: Budget = { entries: 0, bytes: 0, limits }
  const zip = await readable(yauzl.openPromise(path, options))
  await inspectZip(zip, budget, 1)
  return { entries: budget.entries, expanded_bytes: budget.bytes }
}

const options = {
  lazyEntries: true,
  autoClose: false,
  // We look at names and count bytes ourselves, and say what is wrong.
  decodeStrings: true,
  validateEntrySize: false,
  strictFileNames: false,
} as const

async function readable<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening
  } catch {
    throw new Refused('archive_uninspectable')
  }
}

async function inspectZip(zip: ZipFile, budget: Budget, depth: number): Promise<void> {
  if (depth > budget.limits.archive_depth) throw new Refused('archive_bomb')
  const taken: [number, number][] = []
  try {
    for await (const entry of entriesOf(zip)) {
      budget.entries++
      if (budget.entries > budget.limits.archive_entries) throw new Refused('archive_bomb')
      checkEntry(entry)
      taken.push([
        entry.relativeOffsetOfLocalHeader,
        entry.relativeOffsetOfLocalHeader + 30 + entry.compressedSize,
      ])
      checkOverlap(taken)
      if (entry.fileName.endsWith('/')) continue
      const content = await inflate(zip, entry, budget)
      if (content) {
        const inner = await readable(yauzl.fromBufferPromise(content, options))
        await inspectZip(inner, budget, depth + 1)
      }
    }
  } finally {
    zip.close()
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    for await (const entry of zip.eachEntry()) yield entry
  } catch (error) {
    if (error instanceof Refused) throw error
    throw new Refused(
      /invalid relative path|absolute path|invalid characters/.test(String(error))
        ? 'archive_unsafe_path'
        : 'archive_uninspectable',
    )
  }
}

function checkEntry(entry: Entry): void {
  const { fileName, generalPurposeBitFlag, externalFileAttributes } = entry
  const unsafe = fileName.split(/[/\\]/).includes('..') || /^([/\\]|[a-z]:)/i.test(fileName)
  const mode = (externalFileAttributes >>> 16) & 0o170000
  if (unsafe || mode === symbolic_link) throw new Refused('archive_unsafe_path')
  if ((generalPurposeBitFlag & 1) !== 0) throw new Refused('encrypted_content')
  if (/(^|\/)(vbaProject\.bin|macrosheets\/)/i.test(fileName)) throw new Refused('active_content')
}

/** The last one against all: entries come in the order of the directory, not of the bytes. */
function checkOverlap(taken: readonly [number, number][]): void {
  const last = taken.at(-1)
  if (!last) return
  const previous = taken.at(-2)
  // In nearly every archive each entry follows the one before it.
  if (!previous || last[0] >= previous[1]) return
  if (taken.slice(0, -1).some(([start, end]) => last[0] < end && start < last[1])) {
    throw new Refused('archive_bomb')
  }
}

/** Counts what an entry holds; answers it where it is an archive itself. */
async function inflate(zip: ZipFile, entry: Entry, budget: Budget): Promise<Buffer | null> {
  let stream
  try {
    stream = await zip.openReadStreamPromise(entry)
  } catch {
    throw new Refused('archive_uninspectable')
  }
  let nested: Buffer[] | null = null
  let size = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (size === 0 && chunk.subarray(0, 4).toString('latin1') === 'PK\x03\x04') nested = []
      size += chunk.length
      spend(budget, chunk.length, entry.compressedSize, size)
      if (nested && size > nested_bytes_max) throw new Refused('archive_uninspectable')
      nested?.push(chunk)
    }
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('media_corrupt')
  }
  return nested && Buffer.concat(nested)
}

function spend(budget: Budget, bytes: number, packed: number, unpacked: number): void {
  const { archive_bytes, archive_ratio } = budget.limits
  budget.bytes += bytes
  if (budget.bytes > archive_bytes) throw new Refused('archive_bomb')
  if (unpacked > ratio_from_bytes && unpacked > packed * archive_ratio) {
    throw new Refused('archive_bomb')
  }
}

export async function inspectGzip(path: string, limits: InspectorLimits): Promise<FileMetadata> {
  const budget: Budget = { entries: 1, bytes: 0, limits }
  const packed = createReadStream(path)
  const unpacked = createGunzip()
  packed.pipe(unpacked)
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      spend(budget, chunk.length, Math.max(1, packed.bytesRead), budget.bytes + chunk.length)
    }
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('media_corrupt')
  } finally {
    packed.destroy()
  }
  return { expanded_bytes: budget.bytes }
}
