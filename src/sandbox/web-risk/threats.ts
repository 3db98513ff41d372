/**
 * The URLs that this Web Risk reports as dangerous, with their threat types. They are on the disk
 * before they are used.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../write-whole.ts'

export type Threats = {
  typesOf(uri: string): readonly string[]
  set(uri: string, types: readonly string[]): void
  list(): { uri: string; threat_types: readonly string[] }[]
  clear(): void
}

export function openThreats(folder: string): Threats {
  const file = join(folder, 'threats.json')
  let known = read(file)
  const keep = () => writeWhole(file, JSON.stringify(Object.fromEntries(known), null, 2))
  return {
    typesOf: uri => known.get(uri) ?? [],
    set: (uri, types) => {
      known.set(uri, types)
      keep()
    },
    list: () => [...known].map(([uri, threat_types]) => ({ uri, threat_types })),
    clear: () => {
      known = new Map()
      keep()
    },
  }
}

function read(file: string): Map<string, readonly string[]> {
  try {
    const text = readFileSync(file, 'utf8')
    return new Map(Object.entries(JSON.parse(text) as Record<string, string[]>))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
}
