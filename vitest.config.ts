/**
 * How tests run: real servers and a real PostgreSQL, so few files at once and generous bounds. The
 * chaos tests take part in every run in a short form; `vitest run --mode chaos` runs only them, at
 * full length (they read which from `inject('chaos')`).
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be merged
  export interface ProvidedContext {
    chaos: 'short' | 'full'
  }
}

// Each file and each program under test is a new process: what they load is compiled once for all.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')

const everything = ['src/**/test/**/*.test.ts', 'test/**/*.test.ts', 'scripts/test/**/*.test.ts']

export default defineConfig(({ mode }) => {
  const full = mode === 'chaos'
  return {
    test: {
      include: full ? ['test/chaos/**/*.test.ts'] : everything,
      globalSetup: './test/global-setup.ts',
      provide: { chaos: full ? 'full' : 'short' },
      reporters: ['default'],
      // A process of its own for each file, so that servers, pools and signals stay apart; two of them
      // and PostgreSQL fill a machine with two cores.
      pool: 'forks',
      maxWorkers: full ? 1 : 2,
      // Files opt in with `describe.concurrent`: each test there makes its own tenant.
      sequence: { concurrent: false },
      testTimeout: full ? 600_000 : 30_000,
      hookTimeout: 120_000,
      // Real processes on a shared machine: a pause of the whole machine may look like a dead one. What
      // fails twice in a row is a fault; chaos tests get no second chance.
      retry: full ? 0 : 1,
    },
  }
})
