/**
 * Reads zip files and does not trust their headers. Every entry is inflated and inspected. Entries
 * that share bytes are a bomb. Office documents are zip files whose parts may run or load something.
 */
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { countEntry, isUnsafePath, type Archive } from './archive.ts'
import { Refused } from './inspector-protocol.ts'

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

export async function inspectZipFile(path: string, archive: Archive): Promise<void> {
  await inspectZip(await readable(yauzl.openPromise(path, options)), archive, 1)
}

export async function inspectZipBytes(
  bytes: Buffer,
  archive: Archive,
  depth: number,
): Promise<void> {
  await inspectZip(await readable(yauzl.fromBufferPromise(bytes, options)), archive, depth)
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

async function inspectZip(zip: ZipFile, archive: Archive, depth: number): Promise<void> {
  try {
    if (depth > archive.limits.archive_depth) throw new Refused('archive_bomb')
    const taken: [number, number][] = []
    for await (const entry of entriesOf(zip)) {
      countEntry(archive)
      checkEntry(entry)
      taken.push([
        entry.relativeOffsetOfLocalHeader,
        entry.relativeOffsetOfLocalHeader + 30 + entry.compressedSize,
      ])
      checkOverlap(taken)
      if (!entry.fileName.endsWith('/')) await inflate(zip, entry, archive, depth)
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
  const mode = (externalFileAttributes >>> 16) & 0o170000
  if (isUnsafePath(fileName) || mode === symbolic_link) throw new Refused('archive_unsafe_path')
  if ((generalPurposeBitFlag & 1) !== 0) throw new Refused('encrypted_content')
  if (office_programs.test(fileName)) throw new Refused('active_content')
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

async function inflate(zip: ZipFile, entry: Entry, archive: Archive, depth: number): Promise<void> {
  let stream
  try {
    stream = await zip.openReadStreamPromise(entry)
  } catch {
    throw new Refused('archive_uninspectable')
  }
  const relations: Buffer[] = []
  const from = { bytes: () => entry.compressedSize }
  const content = stream as AsyncIterable<Buffer>
  try {
    const is_relations = /(^|\/)_rels\/[^/]*\.rels$/i.test(entry.fileName)
    const kept = is_relations ? keptIn(relations, content) : content
    await archive.inside(kept, depth + 1, from)
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('media_corrupt')
  }
  checkRelations(Buffer.concat(relations).toString('utf8'))
}

async function* keptIn(relations: Buffer[], content: AsyncIterable<Buffer>) {
  let size = 0
  for await (const chunk of content) {
    size += chunk.length
    if (size > relations_bytes_max) throw new Refused('archive_uninspectable')
    relations.push(chunk)
    yield chunk
  }
}

function checkRelations(text: string): void {
  for (const [relation] of text.matchAll(/<Relationship\b[^>]*>/g)) {
    const external = /TargetMode=["']External["']/i.test(relation)
    if (external && remote_parts.test(relation)) throw new Refused('active_content')
  }
}
