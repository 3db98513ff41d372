/**
 * TXT records that a developer sets, because names such as acme.test have no DNS. A file a name, in
 * the data folder: each process of the machine reads it at each look-up.
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../ids.ts'

export type DevRecords = {
  /** Undefined if nothing was set for the name. */
  find(name: string): Promise<readonly string[] | undefined>
  set(name: string, records: readonly string[]): Promise<void>
  names(): Promise<readonly string[]>
}

/** Names of DNS, of which none can lead out of the folder. */
export const dev_name = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){1,9}$/

export function openDevRecords(data_dir: string): DevRecords {
  const folder = join(data_dir, 'dev-dns')
  return {
    find: async name => {
      if (!dev_name.test(name)) return undefined
      const text = await ifThere(readFile(join(folder, name), 'utf8'))
      return text === undefined ? undefined : (JSON.parse(text) as string[])
    },
    set: async (name, records) => {
      await mkdir(folder, { recursive: true })
      // A reader must never see half a file.
      const fresh = join(folder, `~${newId()}`)
      await writeFile(fresh, JSON.stringify(records))
      await rename(fresh, join(folder, name))
    },
    names: async () => {
      const names = (await ifThere(readdir(folder))) ?? []
      return names.filter(name => dev_name.test(name)).sort()
    },
  }
}

async function ifThere<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
