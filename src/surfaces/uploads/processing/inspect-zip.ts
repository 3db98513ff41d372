/**
 * Inspects zip files and does not trust their headers. Every entry is inflated and counted. Entries
 * that share bytes are a bomb. Archives inside are opened up to a maximum depth. Office documents
 * are zip files whose parts may run or load something.
 */
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { Refused, type FileMetadata, type InspectorLimits } from './inspector-protocol.ts'

const ratio_from_bytes = 10 * 1024 * 1024
/** An archive inside is held in memory while it is inspected. */
export const nested_bytes_max = 64 * 1024 * 1024
const symbolic_link = 0o120000
/** Parts of Office documents that run: macros, ActiveX, embedded OLE objects. */
const office_programs =
  /(^|\/)(vbaProject\.bin|macrosheets\/|activeX\/|embeddings\/oleObject[^/]*\.bin$)/i
/**
 * A relation that loads a template, an object or a frame from elsewhere when the document is
 * opened.
 */
const remote_parts = /relationships\/(attachedTemplate|oleObject|frame|subDocument)["']/i
const relations_bytes_max = 1024 * 1024

export type Budget = { entries: number; bytes: number; readonly limits: InspectorLimits }

export async function inspectZipFile(path: string, limits: InspectorLimits): Promise<FileMetadata> {
  const budget: Budget = { entries: 0, bytes: 0, limits }
  const zip = await readable(yauzl.openPromise(path, options))
  await inspectZip(zip, budget, 1)
  return { entries: budget.entries, expanded_bytes: budget.bytes }
}

const options = {
  lazyEntries: true,
  autoClose: false,
  // Names and sizes are checked here and not by the library, so that the error can describe the
  // fault.
  decodeStrings: true,
  validateEntrySizes: false,
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
      if (content) await inspectNested(content, budget, depth)
    }
  } finally {
    zip.close()
  }
}

export async function inspectNested(content: Buffer, budget: Budget, depth: number): Promise<void> {
  const inner = await readable(yauzl.fromBufferPromise(content, options))
  await inspectZip(inner, budget, depth + 1)
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
  const mode = (externalFileAttributes >>> 16) & 0o170000
  if (isUnsafePath(fileName) || mode === symbolic_link) throw new Refused('archive_unsafe_path')
  if ((generalPurposeBitFlag & 1) !== 0) throw new Refused('encrypted_content')
  if (office_programs.test(fileName)) throw new Refused('active_content')
}

export function isZipHead(head: Buffer): boolean {
  return head.subarray(0, 4).toString('latin1') === 'PK\x03\x04'
}

export function isUnsafePath(name: string): boolean {
  return name.split(/[/\\]/).includes('..') || /^([/\\]|[a-z]:)/i.test(name)
}

/**
 * Compares the last entry with all others, because entries have the order of the directory, not of
 * their bytes.
 */
function checkOverlap(taken: readonly [number, number][]): void {
  const last = taken.at(-1)
  if (!last) return
  const previous = taken.at(-2)
  // In nearly every archive each entry follows the previous one.
  if (!previous || last[0] >= previous[1]) return
  if (taken.slice(0, -1).some(([start, end]) => last[0] < end && start < last[1])) {
    throw new Refused('archive_bomb')
  }
}

/** Counts the bytes of an entry. Returns the bytes if the entry is an archive itself. */
async function inflate(zip: ZipFile, entry: Entry, budget: Budget): Promise<Buffer | null> {
  let stream
  try {
    stream = await zip.openReadStreamPromise(entry)
  } catch {
    throw new Refused('archive_uninspectable')
  }
  const relations = /(^|\/)_rels\/[^/]*\.rels$/i.test(entry.fileName)
  let nested: Buffer[] | null = relations ? [] : null
  let size = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (size === 0 && isZipHead(chunk)) nested ??= []
      size += chunk.length
      spend(budget, chunk.length, entry.compressedSize, size)
      const most = relations ? relations_bytes_max : nested_bytes_max
      if (nested && size > most) throw new Refused('archive_uninspectable')
      nested?.push(chunk)
    }
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('media_corrupt')
  }
  const content = nested && Buffer.concat(nested)
  if (!relations) return content
  checkRelations(content?.toString('utf8') ?? '')
  return null
}

function checkRelations(text: string): void {
  for (const [relation] of text.matchAll(/<Relationship\b[^>]*>/g)) {
    const external = /TargetMode=["']External["']/i.test(relation)
    if (external && remote_parts.test(relation)) throw new Refused('active_content')
  }
}

export function spend(budget: Budget, bytes: number, packed: number, unpacked: number): void {
  const { archive_bytes, archive_ratio } = budget.limits
  budget.bytes += bytes
  if (budget.bytes > archive_bytes) throw new Refused('archive_bomb')
  if (unpacked > ratio_from_bytes && unpacked > packed * archive_ratio) {
    throw new Refused('archive_bomb')
  }
}
