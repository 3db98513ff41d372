/**
 * Everything that a vendor received and decided, in one append-only file with one JSON line for
 * each entry. An entry is written before its vendor replies, so that it survives the death of every
 * process. An incomplete last line is dropped at the next start. Readers store offsets, not
 * contents, so that memory stays small.
 */
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
} from 'node:fs'

/**
 * The offset of an entry in the file, and the real time when it was written (not the vendor's
 * time).
 */
export type Place = { readonly at_ms: number; readonly start: number; readonly bytes: number }

export type Journal = {
  append(entry: object): Place
  read(place: Place): unknown
  /** Removes all other entries in one step. Returns the new offsets in the same order. */
  keepOnly(places: readonly Place[]): Place[]
  close(): void
}

export type JournalOptions = {
  file: string
  nowMs(): number
  /** Called for each existing entry, oldest first. */
  replay(entry: unknown, place: Place): void
}

type Line = { at_ms: number; entry: unknown }

const chunk_bytes = 1 << 20
const newline = 10

export function openJournal({ file, nowMs, replay }: JournalOptions): Journal {
  let fd = openSync(file, 'a+', 0o600)
  let size = scan(fd, replay)
  ftruncateSync(fd, size)

  return {
    append: entry => {
      const at_ms = nowMs()
      const line = Buffer.from(`${JSON.stringify({ at_ms, entry } satisfies Line)}\n`)
      write(fd, line, size)
      const place = { at_ms, start: size, bytes: line.length }
      size += line.length
      return place
    },
    read: place => (JSON.parse(bytesAt(fd, place).toString('utf8')) as Line).entry,
    keepOnly: places => {
      const next = `${file}.next`
      const target = openSync(next, 'w+', 0o600)
      let start = 0
      const moved = places.map(place => {
        appendFileSync(target, bytesAt(fd, place))
        const now = { ...place, start }
        start += place.bytes
        return now
      })
      fsyncSync(target)
      closeSync(target)
      renameSync(next, file)
      closeSync(fd)
      fd = openSync(file, 'a+', 0o600)
      size = start
      return moved
    },
    close: () => closeSync(fd),
  }
}

/** A line is written completely or not at all, even if the disk is full. */
function write(fd: number, line: Buffer, size: number): void {
  try {
    appendFileSync(fd, line)
  } catch (error) {
    ftruncateSync(fd, size)
    throw error
  }
}

function bytesAt(fd: number, { start, bytes }: Place): Buffer {
  const buffer = Buffer.allocUnsafe(bytes)
  let filled = 0
  while (filled < bytes) {
    const got = readSync(fd, buffer, filled, bytes - filled, start + filled)
    if (got === 0) throw new Error('the journal is shorter than its entries')
    filled += got
  }
  return buffer
}

/** Returns the offset at which the last complete line ends. */
function scan(fd: number, replay: JournalOptions['replay']): number {
  const chunk = Buffer.allocUnsafe(chunk_bytes)
  let pending: Buffer[] = []
  let start = 0
  let position = 0
  for (;;) {
    const got = readSync(fd, chunk, 0, chunk_bytes, position)
    if (got === 0) return start
    let from = 0
    for (let end; (end = chunk.subarray(0, got).indexOf(newline, from)) >= 0; from = end + 1) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end + 1)])
      pending = []
      const { at_ms, entry } = JSON.parse(line.toString('utf8')) as Line
      replay(entry, { at_ms, start, bytes: line.length })
      start += line.length
    }
    pending.push(Buffer.from(chunk.subarray(from, got)))
    position += got
  }
}
