/**
 * Gives a file a path that a child process can open. With the local engine this is the path of the
 * object itself. Otherwise the file is copied to the spool, and the copy is removed when the work
 * is done.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { newSecret, StoreUnavailable } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Kernel } from '../settings.ts'
import type { OwnStore } from '../storage/own-store.ts'
import { Refused } from './inspector-protocol.ts'

type Stored = { readonly storage_key: string }

export async function withLocalCopy<T>(
  { kernel, store }: Pick<Deps, 'kernel' | 'store'>,
  { storage_key }: Stored,
  signal: AbortSignal,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const { objects } = kernel
  if (objects.pathOf) {
    if (!(await objects.head(storage_key))) throw await missingObject(store, storage_key)
    return await use(objects.pathOf(storage_key))
  }
  return await withSpool(kernel, 1, async ([path = '']) => {
    const found = await objects.get(storage_key)
    if (!found) throw await missingObject(store, storage_key)
    await pipeline(found.body, createWriteStream(path, { mode: 0o600 }), { signal })
    return await use(path)
  })
}

/** The error for an object that was not found. */
export async function missingObject(store: OwnStore, key: string): Promise<Error> {
  if (await store.isLost(key)) return new Refused('object_missing')
  return new StoreUnavailable('an object was not found, and is there again')
}

/** Paths of temporary files. If the process is killed, they are removed with old drafts. */
export async function withSpool<T>(
  { data_dir }: Pick<Kernel, 'data_dir'>,
  count: number,
  use: (paths: string[]) => Promise<T>,
): Promise<T> {
  const spool = join(data_dir, 'spool', 'tmp')
  await mkdir(spool, { recursive: true, mode: 0o700 })
  const paths = Array.from({ length: count }, () => join(spool, newSecret(12)))
  try {
    return await use(paths)
  } finally {
    await Promise.all(paths.map(path => rm(path, { force: true })))
  }
}
