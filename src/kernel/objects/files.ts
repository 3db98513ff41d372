/**
 * Files of the local engine: durable folders, and draft files that become visible only when they
 * are complete.
 */
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../errors/error-code.ts'
import { newSecret } from '../ids.ts'
import type { ObjectFacts } from './objects.ts'

const abandoned_after_ms = 3_600_000
const gathered_bytes = 1024 * 1024

export type LocalFolders = {
  readonly spool: string
  pathOf(key: string): string
}

export type Written = { readonly size: number; readonly sha256: Buffer }

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export type WriteOptions = {
  /** Gets the number of bytes so far. It throws if there are too many. */
  readonly check?: (size: number) => void
  /** The pieces are not used after they were written. */
  readonly frees?: boolean
}

/** For `catch`: returns undefined if a file does not exist. */
export function absent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

/** Synchronizes the file names of a folder to the disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** A new folder survives a power failure only if its parent was synchronized too. */
export async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  const top = dirname(made)
  for (let folder = dirname(path); folder.length >= top.length; folder = dirname(folder)) {
    await syncFolder(folder)
  }
}

/**
 * Writes and hashes in one pass, and synchronizes. Pieces are collected to 1 MiB, because writing
 * 64 KiB costs the thread pool as much as hashing it. The last write runs while the next piece
 * arrives.
 */
export async function writeSynced(
  path: string,
  content: Content,
  options: WriteOptions = {},
): Promise<Written> {
  const file = await open(path, 'wx', 0o600)
  try {
    const written = await writeAll(file, content, options)
    await file.datasync()
    return written
  } finally {
    await file.close()
  }
}

async function writeAll(
  file: FileHandle,
  content: Content,
  { check, frees = false }: WriteOptions,
): Promise<Written> {
  const hash = createHash('sha256')
  let size = 0
  let gathered: Uint8Array[] = []
  let waiting = 0
  let writing: Promise<unknown> = Promise.resolve()
  const flush = () => {
    const pieces = gathered
    gathered = []
    waiting = 0
    writing = writeFully(file, pieces).then(() => frees && free(pieces))
    // This promise is awaited before the next write. The empty handler keeps an earlier failure
    // from being unhandled.
    writing.catch(() => {})
  }
  for await (const piece of content) {
    size += piece.byteLength
    check?.(size)
    hash.update(piece)
    gathered.push(piece)
    waiting += piece.byteLength
    if (waiting < gathered_bytes) continue
    await writing
    flush()
  }
  await writing
  if (waiting > 0) flush()
  await writing
  return { size, sha256: hash.digest() }
}

async function writeFully(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  let rest = [...pieces]
  while (rest.length > 0) {
    let { bytesWritten } = await file.writev(rest)
    while (rest[0] && bytesWritten >= rest[0].byteLength) {
      bytesWritten -= rest[0].byteLength
      rest = rest.slice(1)
    }
    if (rest[0] && bytesWritten > 0) rest[0] = rest[0].subarray(bytesWritten)
  }
}

/**
 * Gives memory back at once. V8 itself would start a full collection for every 64 MB that arrived,
 * which took two thirds of the time of a large part.
 */
function free(pieces: readonly Uint8Array[]): void {
  for (const { buffer, byteLength } of pieces) {
    const is_whole = buffer.byteLength === byteLength
    if (is_whole && buffer instanceof ArrayBuffer) buffer.transfer(0)
  }
}

/**
 * Each attempt has its own file. `use` moves the file to its place. After a failure the file is
 * removed.
 */
export async function withDraft<T>(spool: string, use: (path: string) => Promise<T>): Promise<T> {
  await mkdir(spool, { recursive: true, mode: 0o700 })
  const draft = join(spool, newSecret(12))
  try {
    return await use(draft)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/**
 * Removes drafts of processes that were killed. Their age is measured with the clock of the file
 * system.
 */
export async function removeAbandoned(spool: string): Promise<void> {
  const names = await readdir(spool).catch(absent)
  if (!names || names.length === 0) return
  const probe = join(spool, newSecret(12))
  await (await open(probe, 'wx', 0o600)).close()
  const { mtimeMs: now_ms } = await stat(probe)
  await rm(probe, { force: true })
  for (const name of names) {
    const path = join(spool, name)
    const found = await stat(path).catch(absent)
    if (found && found.mtimeMs < now_ms - abandoned_after_ms) await rm(path, { force: true })
  }
}

/** Returns the version of the published file. */
export async function publish(draft: string, path: string): Promise<string> {
  await makeFolder(dirname(path))
  await rename(draft, path)
  await syncFolder(dirname(path))
  return factsOf(await stat(path, { bigint: true })).version
}

/**
 * The version changes with every write and when the file is replaced, because a program cannot set
 * the change time back.
 */
export function factsOf(found: BigIntStats): ObjectFacts {
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  return { size: Number(size), version: [dev, ino, size, mtimeNs, ctimeNs].join('-') }
}
