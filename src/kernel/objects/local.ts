/**
 * Objects in folders of this machine. Drafts and parts are in `spool`, on the same file system but
 * outside the folder of the objects. So publishing an object is a rename, and a backup copy of the
 * objects never contains half an object.
 */
import type { Stats } from 'node:fs'
import { open, opendir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Fault } from '../faults.ts'
import { absent, factsOf, publish, withDraft, writeSynced, type LocalFolders } from './files.ts'
import { FileBody } from './file-body.ts'
import { openLocalMultipart } from './local-multipart.ts'
import { checkKey, isKey, type ListedObject, type Objects } from './objects.ts'

export function openLocalObjects(data_dir: string, fault: Fault): Objects {
  const root = join(data_dir, 'objects')
  const spool = join(data_dir, 'spool', 'tmp')
  const pathOf = (key: string) => join(root, checkKey(key))
  const folders: LocalFolders = { spool, pathOf }
  return {
    engine: 'local',
    createsOnce: () => Promise.resolve(true),
    multipart: openLocalMultipart(join(data_dir, 'spool', 'parts'), folders, fault),
    put: async (key, content) => {
      const path = pathOf(key)
      return await withDraft(spool, async draft => {
        const pieces = content instanceof Uint8Array ? [content] : content
        const written = await writeSynced(draft, pieces)
        await fault('objects.after_draft')
        return { ...written, version: await publish(draft, path) }
      })
    },
    get: async (key, range) => {
      const file = await open(pathOf(key), 'r').catch(absent)
      if (!file) return undefined
      // The information about the open file. Meanwhile another file may have been renamed to this
      // path.
      const facts = factsOf(await file.stat({ bigint: true }))
      const { start = 0, end = facts.size - 1 } = range ?? {}
      return { ...facts, body: new FileBody(file, start, Math.min(end, facts.size - 1)) }
    },
    head: async key => {
      const found = await stat(pathOf(key), { bigint: true }).catch(absent)
      return found && factsOf(found)
    },
    delete: key => rm(pathOf(key), { force: true }),
    list: prefix => listFiles(root, prefix),
    undelete: null,
    presignGet: null,
    pathOf,
    close: async () => {},
  }
}

async function* listFiles(root: string, prefix: string): AsyncGenerator<ListedObject> {
  const folder = await opendir(join(root, checkKey(`${prefix}/x`), '..'), {
    recursive: true,
  }).catch(absent)
  if (!folder) return
  for await (const entry of folder) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const key = relative(root, path)
    const found: Stats | undefined = isKey(key) ? await stat(path).catch(absent) : undefined
    if (found) yield { key, size: found.size, modified_ms: found.mtimeMs }
  }
}
