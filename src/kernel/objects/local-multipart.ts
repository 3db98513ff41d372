/**
 * Multipart uploads of the local engine. Each attempt to send a part has its own file, so two
 * attempts at the same time never mix. When the whole part is on the disk, the file is renamed to
 * `parts/<reference>/<n>.<nonce>`. The row of the part has the valid nonce. Completing an upload
 * copies the parts into one draft (in a separate thread if they are large) and renames the draft. A
 * single part is renamed without a copy.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { codeOf } from '../errors/error-code.ts'
import type { Fault } from '../faults.ts'
import { newSecret } from '../ids.ts'
import { assemble, type Assembled } from './assemble.ts'
import {
  absent,
  factsOf,
  makeFolder,
  publish,
  removeAbandoned,
  syncFolder,
  withDraft,
  writeSynced,
  type LocalFolders,
} from './files.ts'
import {
  ChecksumDiffers,
  PartMissing,
  PartSizeDiffers,
  type Multipart,
  type Place,
  type ReceivedParts,
  type StoredObject,
  type StoredPart,
} from './objects.ts'

/** Starting a thread takes about as long as hashing this many bytes. */
const in_thread_from_bytes = 32 * 1024 * 1024

const reference_form = /^[\w-]{16,64}$/

export function openLocalMultipart(root: string, folders: LocalFolders, fault: Fault): Multipart {
  const folderOf = (reference: string) => {
    if (!reference_form.test(reference)) throw new Error('not a multipart upload of this engine')
    return join(root, reference)
  }
  const pathOf = (reference: string, { part_number, name }: Named) =>
    join(folderOf(reference), `${part_number}.${name}`)
  return {
    begin: async key => {
      folders.pathOf(key)
      const reference = newSecret(18)
      await makeFolder(folderOf(reference))
      return reference
    },
    parts: {
      kind: 'received',
      receive: receiver(folders.spool, folderOf, fault),
      remove: (reference, part) => rm(pathOf(reference, part), { force: true }),
    },
    complete: async (place, parts, expected) => {
      const paths = parts.map(part => pathOf(place.reference, part))
      const [only] = parts
      const path = folders.pathOf(place.key)
      const made =
        parts.length === 1 && only?.sha256
          ? await renameOnly(paths[0] ?? '', path, only, expected)
          : await assembleTo(folders, paths, parts, path, expected)
      await fault('objects.after_complete')
      return made
    },
    abort: ({ reference }) => rm(folderOf(reference), { recursive: true, force: true }),
    list: () => listUploads(root, folders.spool),
  }
}

type Named = Pick<StoredPart, 'part_number' | 'name'>

function receiver(
  spool: string,
  folderOf: (reference: string) => string,
  fault: Fault,
): ReceivedParts['receive'] {
  return async (reference, part_number, body, size) =>
    await withDraft(spool, async draft => {
      const check = (received: number) => {
        if (received > size) throw new PartSizeDiffers(received)
      }
      const written = await writeSynced(draft, body, { check, frees: true })
      if (written.size !== size) throw new PartSizeDiffers(written.size)
      await fault('objects.after_part_draft')
      const name = newSecret(9)
      const folder = folderOf(reference)
      try {
        await rename(draft, join(folder, `${part_number}.${name}`))
      } catch (error) {
        // The upload was aborted while the part arrived.
        throw codeOf(error) === 'ENOENT' ? new PartMissing(part_number) : error
      }
      await syncFolder(folder)
      return { part_number, name, ...written }
    })
}

async function renameOnly(
  from: string,
  to: string,
  part: StoredPart,
  expected: Buffer,
): Promise<StoredObject> {
  const { size, sha256 } = part
  if (!sha256?.equals(expected)) throw new ChecksumDiffers(sha256 ?? Buffer.alloc(0))
  try {
    return { size, sha256, version: await publish(from, to) }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  // An attempt renamed this file, but ended before its caller could store the nonce.
  const found = await hashObject(to)
  if (!found) throw new PartMissing(part.part_number)
  if (!found.sha256.equals(expected)) throw new ChecksumDiffers(found.sha256)
  return found
}

async function hashObject(path: string): Promise<StoredObject | undefined> {
  const file = await open(path, 'r').catch(absent)
  if (!file) return undefined
  const facts = factsOf(await file.stat({ bigint: true }))
  const hash = createHash('sha256')
  for await (const chunk of file.createReadStream()) hash.update(chunk as Buffer)
  return { ...facts, sha256: hash.digest() }
}

async function assembleTo(
  { spool }: LocalFolders,
  paths: readonly string[],
  parts: readonly StoredPart[],
  to: string,
  expected: Buffer,
): Promise<StoredObject> {
  const total = parts.reduce((sum, { size }) => sum + size, 0)
  return await withDraft(spool, async draft => {
    const made = await (total < in_thread_from_bytes
      ? assemble(paths, draft)
      : assembleInThread(paths, draft))
    if ('missing' in made) throw new PartMissing(parts[made.missing]?.part_number ?? 0)
    if (!made.sha256.equals(expected)) throw new ChecksumDiffers(made.sha256)
    return { ...made, version: await publish(draft, to) }
  })
}

function assembleInThread(paths: readonly string[], draft: string): Promise<Assembled> {
  const file = new URL('./assemble-thread.ts', import.meta.url)
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: { paths, draft }, execArgv: [] })
    worker.once('message', (made: { size: number; sha256: Uint8Array } | { missing: number }) =>
      resolve('missing' in made ? made : { ...made, sha256: Buffer.from(made.sha256) }),
    )
    worker.once('error', reject)
    worker.once('exit', code => reject(new Error(`the assembling thread ended with ${code}`)))
  })
}

/** Walks through the files for a sweep, and also removes drafts of processes that were killed. */
async function* listUploads(
  root: string,
  spool: string,
): AsyncGenerator<Place & { begun_ms: number }> {
  await removeAbandoned(spool)
  await mkdir(root, { recursive: true, mode: 0o700 })
  for await (const entry of await opendir(root)) {
    const is_one = entry.isDirectory() && reference_form.test(entry.name)
    const found = is_one ? await stat(join(root, entry.name)).catch(absent) : undefined
    if (found)
      yield { key: '', reference: entry.name, begun_ms: found.birthtimeMs || found.ctimeMs }
  }
}
