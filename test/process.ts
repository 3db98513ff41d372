/** A platform, with the test surfaces or the product's, as a process of its own: started, killed, started again. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bundled } from '../scripts/bundle.mjs'
import { readyProcess, type PlatformProcess } from '../src/testing/process.ts'
import { endsWithFile } from './children.ts'
import { count } from './counts.ts'

export type { PlatformProcess } from '../src/testing/process.ts'

/** What every process under test has of ours; compiled code is kept from one to the next. */
export const inherited: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
}

const entries = { test: 'test/child.ts', product: 'test/product-child.ts' } as const
export type Entry = keyof typeof entries

/**
 * The file that runs a program of this checkout: from the bundle that the run has made, or its
 * source, if something was edited since.
 */
export function programOf(path: string): string {
  return bundled(path, { kind: 'test' }) ?? fileURLToPath(new URL(`../${path}`, import.meta.url))
}

export function startProcess(
  environment: Record<string, string>,
  entry: Entry = 'test',
): Promise<PlatformProcess> {
  count('platforms')
  const child = spawn(process.execPath, [programOf(entries[entry])], {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return readyProcess(endsWithFile(child))
}
