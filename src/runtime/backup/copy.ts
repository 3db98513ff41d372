/**
 * Copies files into a backup and out of it. Every byte is hashed while it is copied. A copy counts
 * as done only when it is on the disk. Only this account can read the copies.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#dodeca/kernel'

export type Copied = { readonly bytes: number; readonly sha256: string }

const chunk_bytes = 1024 * 1024
/**
 * The number of parallel copies. This many keep a disk busy that must confirm each file. More would
 * only use memory.
 */
const lanes_max = 8

/** Copies an open file from its beginning to its current end. */
export async function writeCopy(from: FileHandle, to: string): Promise<Copied> {
  const copy = await open(to, 'wx', 0o600)
  try {
    const sum = await readThrough(from, async chunk => {
      await copy.writeFile(chunk)
    })
    await copy.sync()
    return sum
  } finally {
    await copy.close()
  }
}

export async function copyFile(from: string, to: string): Promise<Copied> {
  const file = await open(from, 'r')
  try {
    return await writeCopy(file, to)
  } finally {
    await file.close()
  }
}

export async function hashFile(path: string): Promise<Copied> {
  const file = await open(path, 'r')
  try {
    return await readThrough(file, () => Promise.resolve())
  } finally {
    await file.close()
  }
}

async function readThrough(
  file: FileHandle,
  each: (chunk: Buffer) => Promise<void>,
): Promise<Copied> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(chunk_bytes)
  let bytes = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, chunk_bytes, bytes)
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
    const chunk = buffer.subarray(0, bytesRead)
    hash.update(chunk)
    await each(chunk)
    bytes += bytesRead
  }
}

export type Tree = { readonly folders: string[]; readonly files: string[] }

/**
 * Lists paths below `root`, with `/` as separator. `leaveOut` is called for each path. Entries that
 * are neither file nor folder are skipped.
 */
export async function treeOf(
  root: string,
  leaveOut: (path: string) => boolean = () => false,
): Promise<Tree> {
  const tree: Tree = { folders: [], files: [] }
  const visit = async (folder: string) => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(absent)
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (leaveOut(path)) continue
      if (entry.isFile()) tree.files.push(path)
      if (!entry.isDirectory()) continue
      tree.folders.push(path)
      await visit(path)
    }
  }
  await visit('')
  return tree
}

function absent(error: unknown): [] {
  if (codeOf(error) === 'ENOENT') return []
  throw error
}

export async function makeFolders(root: string, folders: readonly string[]): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true, mode: 0o700 })
}

/** Runs `work` on all items, a few at a time. The first failure stops it. */
export async function inLanes<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  let failed = false
  const lane = async () => {
    for (const item of waiting) {
      if (failed) return
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: lanes_max }, lane))
  for (const one of lanes) if (one.status === 'rejected') throw one.reason
}
