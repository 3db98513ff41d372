/**
 * The few values of a vendor that stay the same over restarts: credentials, ports, the offset of
 * its clock. Each change is completely on the disk before the vendor uses it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '#dodeca/kernel'
import { writeWhole } from './write-whole.ts'

export type Kept = {
  number(name: string): number | undefined
  keep(name: string, value: number): void
  /** Returns a secret, and creates it at its first use. */
  secret(name: string): string
}

export function openKept(folder: string): Kept {
  const file = join(folder, 'kept.json')
  const values = read(file)
  const keep = (name: string, value: number | string) => {
    if (values.get(name) === value) return
    values.set(name, value)
    writeWhole(file, JSON.stringify(Object.fromEntries(values), null, 2))
  }
  return {
    number: name => {
      const value = values.get(name)
      return typeof value === 'number' ? value : undefined
    },
    keep,
    secret: name => {
      const known = values.get(`secret.${name}`)
      if (typeof known === 'string') return known
      const made = newSecret(24)
      keep(`secret.${name}`, made)
      return made
    },
  }
}

function read(file: string): Map<string, unknown> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
  return new Map(Object.entries(JSON.parse(text) as Record<string, unknown>))
}
