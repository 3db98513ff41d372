/**
 * Looks up a password in a file of stolen ones: SHA-1 in upper case hex, one a line, sorted, each with
 * an optional `:count`. The public list of Have I Been Pwned, "ordered by hash", has this form. It
 * has some 40 GB, so it is searched where it lies: 27 small reads find a line among a billion.
 */
/* oxlint-disable node/no-sync -- a few bytes, once, before anything is served */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'

const hash_length = 40
/** Longer than two lines. */
const piece_bytes = 160

export async function isBreached(path: string, password: string): Promise<boolean> {
  const hash = createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase()
  const file = await open(path, 'r')
  try {
    return await contains(file, hash)
  } finally {
    await file.close()
  }
}

/** The line, if there is one, begins at or after `low` and before `high`. */
async function contains(file: FileHandle, hash: string): Promise<boolean> {
  let low = 0
  let high = (await file.stat()).size
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const line = await lineFrom(file, middle)
    const order = line && compare(line.hash, hash)
    if (order === 0) return true
    // No line begins between the middle and the end of the range: what is left is before it.
    if (!line || line.at >= high || (order ?? 0) > 0) high = middle
    else low = line.at + hash_length
  }
  return false
}

type Line = { readonly hash: string; readonly at: number }

/** The first line that begins at this place or after it. */
async function lineFrom(file: FileHandle, place: number): Promise<Line | undefined> {
  const from = Math.max(0, place - 1)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(piece_bytes), 0, piece_bytes, from)
  const text = buffer.toString('latin1', 0, bytesRead)
  const begins = place === 0 ? 0 : text.indexOf('\n') + 1
  if (place > 0 && begins === 0) return undefined
  const hash = text.slice(begins, begins + hash_length)
  return hash.length === hash_length ? { hash, at: from + begins } : undefined
}

function compare(one: string, other: string): -1 | 0 | 1 {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Throws unless the file can be read and begins as it should. */
export function requireBreachedFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(piece_bytes)
    const text = start.toString('latin1', 0, readSync(file, start, 0, piece_bytes, 0))
    if (/^[0-9A-F]{40}(:\d+)?\r?\n/.test(text)) return
  } finally {
    closeSync(file)
  }
  throw new Error(`${path} does not begin with a SHA-1 in upper case hex and the end of a line`)
}
