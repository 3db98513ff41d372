/** A platform, with the test surfaces or the product's, as a process of its own: started, killed, started again. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bundled } from '../scripts/bundle.mjs'
import { endsWithFile } from './children.ts'
import { count } from './counts.ts'

/** What every process under test has of ours; compiled code is kept from one to the next. */
export const inherited: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
}

const entries = { test: 'test/child.ts', product: 'test/product-child.ts' } as const
export type Entry = keyof typeof entries

export type PlatformProcess = {
  readonly url: string
  readonly child: ChildProcess
  /** What it has written so far. */
  output(): string
  /** Resolves when it is gone; answers how. */
  readonly gone: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** It ended before it was ready: a fault point may lie on the way of its start. */
export class EndedAtStart extends Error {
  readonly signal: NodeJS.Signals | null
  constructor(message: string, signal: NodeJS.Signals | null) {
    super(message)
    this.signal = signal
  }
}

/**
 * The file that runs a program of this checkout: from the bundle that the run has made, or its
 * source, if something was edited since.
 */
export function programOf(path: string): string {
  return bundled(path, { kind: 'test' }) ?? fileURLToPath(new URL(`../${path}`, import.meta.url))
}

export async function startProcess(
  environment: Record<string, string>,
  entry: Entry = 'test',
): Promise<PlatformProcess> {
  count('platforms')
  const child = endsWithFile(
    spawn(process.execPath, [programOf(entries[entry])], {
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let output = ''
  child.stderr.on('data', part => (output += String(part)))
  const gone = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', part => {
      output += String(part)
      const ready = /ready (\d+)/.exec(output)?.[1]
      if (ready) resolve(ready)
    })
    void gone.then(({ code, signal }) => {
      reject(new EndedAtStart(`the platform ended with ${code ?? signal}: ${output}`, signal))
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    output: () => output,
    gone,
    kill: signal => {
      child.kill(signal ?? 'SIGKILL')
      return gone
    },
  }
}
