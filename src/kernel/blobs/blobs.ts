/**
 * Objects too large for a row: bytes under a key, written once and never changed. An object exists
 * under its key only when all of it is on the disk, so a reader meets the whole of it or nothing. Which
 * objects there are is known by the rows that name them: a row comes before its object and goes after it.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { codeOf } from '../errors/error-code.ts'
import { newSecret } from '../ids.ts'
import { syncFolder } from '../../runtime/backup/copy.ts'

export type StoredBlob = { readonly size: number; readonly sha256: Buffer }
export type FoundBlob = { readonly size: number; readonly body: Readable }

export type Blobs = {
  /** Resolves once the object survives a loss of power. A key is used for one content only. */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<StoredBlob>
  /** Undefined where there is none; `body` must be read or destroyed. */
  get(key: string): Promise<FoundBlob | undefined>
  /** Also where there is none. */
  delete(key: string): Promise<void>
}

const key_form = /^[a-z][a-z0-9-]*(\/[a-zA-Z0-9_-]+)+$/
const forgotten_after_ms = 3_600_000

/** Objects of one DATA_DIR; drafts lie apart from them, so that no copy of the objects meets one. */
export function openBlobs(data_dir: string): Blobs {
  const objects = join(data_dir, 'objects')
  const spool = join(data_dir, 'spool')
  const pathOf = (key: string) => {
    if (!key_form.test(key)) throw new Error(`not the key of an object: ${key}`)
    return join(objects, key)
  }
  let swept = false
  return {
    put: async (key, content) => {
      const path = pathOf(key)
      await mkdir(spool, { recursive: true, mode: 0o700 })
      const draft = join(spool, `blob-${newSecret(12)}`)
      try {
        const stored = await writeDraft(draft, content)
        if (!swept) await dropForgotten(spool, draft)
        swept = true
        await makeFolder(dirname(path))
        await rename(draft, path)
        await syncFolder(dirname(path))
        return stored
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    },
    get: async key => {
      const file = await open(pathOf(key), 'r').catch(absent)
      if (!file) return undefined
      const { size } = await file.stat()
      return { size, body: file.createReadStream() }
    },
    delete: key => rm(pathOf(key), { force: true }),
  }
}

async function writeDraft(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<StoredBlob> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
  let size = 0
  try {
    for await (const part of content instanceof Uint8Array ? [content] : content) {
      hash.update(part)
      size += part.byteLength
      await file.writeFile(part)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { size, sha256: hash.digest() }
}

/** What a process left that was killed while it wrote; the file system's own clock says how old it is. */
async function dropForgotten(spool: string, fresh: string): Promise<void> {
  const { mtimeMs: now_ms } = await stat(fresh)
  for (const name of await readdir(spool)) {
    const path = join(spool, name)
    const found = name.startsWith('blob-') ? await stat(path).catch(absent) : undefined
    if (found && found.mtimeMs < now_ms - forgotten_after_ms) await rm(path, { force: true })
  }
}

/** A new folder is only there for good when the one above it says so. */
async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  const top = dirname(made)
  for (let folder = dirname(path); folder.length >= top.length; folder = dirname(folder)) {
    await syncFolder(folder)
  }
}

function absent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}
