/**
 * Lists the fault points by reading the source files, because a list written by hand would miss
 * some. Only development needs them. A package has no sources, and its bundle is read.
 */
/* oxlint-disable node/no-sync -- asked for once, by a person or at the start */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '#dodeca/kernel'
import type { AnySurface } from '../gather-declarations.ts'

const point = /\bfault\(\s*['"]([a-z0-9_.]+)['"]/g

export function faultPoints(surfaces: readonly AnySurface[]): readonly string[] {
  const own = ['../../kernel/', '../', '../../../dist/'].map(path => new URL(path, import.meta.url))
  const folders = [...own, ...surfaces.map(one => new URL('../', one.migrations))]
  const found = new Set<string>()
  for (const folder of folders) {
    const cwd = fileURLToPath(folder)
    for (const file of globSync('**/*.{ts,js,mjs}', { cwd, exclude: ['**/test/**'] })) {
      const text = readFileSync(join(cwd, file), 'utf8')
      for (const [, name = ''] of text.matchAll(point)) found.add(name)
    }
  }
  return [...found].sort()
}

/** Checks KERNEL_FAULTS, because a fault at a misspelled point would never happen. */
export function refuseUnknownPoints(faults: string, surfaces: readonly AnySurface[]): void {
  if (faults === '') return
  const known = faultPoints(surfaces)
  for (const entry of faults.split(',').filter(Boolean)) {
    const name = entry.trim().split('=', 1)[0] ?? ''
    if (!known.includes(name)) {
      throw new StartError(
        `KERNEL_FAULTS: there is no fault point ${name}. There are: ${known.join(', ')}.`,
      )
    }
  }
}
