/**
 * How tests run. A file's ending says what it needs: `*.pure.test.ts` no database and no program of its
 * own; every other one a world, with a real PostgreSQL, real servers and processes. Files named
 * `*.sql.test.ts` are of the second kind. They run on the oldest PostgreSQL if TEST_SQL_DATABASE_URL names
 * one (as .ci/run does), in the same run as the others.
 * `*.long.test.ts` kill processes, drive a browser, fill tables or wait for minutes: `npm test` leaves
 * them out, .ci/run and `vitest run --project long` run them. `vitest run --mode chaos` runs only test/chaos
 * and a few others, at full length (they read which from `inject('chaos')`), and the `*.full.test.ts`
 * of test/chaos, which take minutes each and repeat at length what shorter tests of their surfaces check.
 */
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be merged
  export interface ProvidedContext {
    chaos: 'short' | 'full'
  }
}

// Each file and each program under test is a new process: what they load is compiled once for all.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')

// The platform's processes with background work have a lower priority than the one that starts them.
// One above the lowest, so that a machine full of tests gives each of them almost an equal part.
setPriority(constants.priority.PRIORITY_LOW - 1)

/** Files of minutes: begun last, one of them would be alone at the end. Small ones would be begun last. */
const slowest =
  `/test/docs.test /testing/leads.test /test/report.test /deploy/image database-failover site-crawl
  paypal-doubt one-machine together upgrade`.split(/\s+/)
const slow =
  `/backup/ /chaos/ /cli/ /console/ /test/docs.test crash crawl delete deleting dependencies expiring
  first-start indexes inference/test/jobs install model-profile move outage owner-mail owning people
  plans postgres process purging reseal retries revocation router shares slow targets /test/package
  uploads.test waits`.split(/\s+/)

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    // A worker serves one project: with files of two in turns, each would need a new one.
    const later = ({ project }: TestSpecification) => Number(project.name !== 'sql')
    const among = (names: string[], path: string) => names.some(name => path.includes(name))
    const rank = ({ moduleId }: TestSpecification) => {
      if (among(slowest, moduleId)) return 0
      return among(slow, moduleId) ? 1 : 2
    }
    const sorted = await super.sort(files)
    return sorted.toSorted(
      (a, b) => group(a) - group(b) || later(a) - later(b) || rank(a) - rank(b),
    )
  }
}

const tests = ['src/**/test', 'test', 'scripts/test']
const named = (ending: string) => tests.map(folder => `${folder}/**/${ending}`)
const pure = named('*.pure.test.ts')
const sql = named('*.sql.test.ts')
const longer = ['plans.sql', 'many-waiting', 'site-crawl', 'image', '*killed', '*crash'].flatMap(
  name => named(`${name}.long.test.ts`),
)
const on_oldest = process.env['TEST_SQL_DATABASE_URL'] !== undefined
const long = named('*.long.test.ts')

/** Collecting garbage took 14 % of a worker's time, and takes 11 % with a larger young generation. */
const node_options = ['--min-semi-space-size=32', '--max-semi-space-size=64']

export default defineConfig(({ mode }) => {
  const full = mode === 'chaos'
  const world = {
    globalSetup: './test/global-setup.ts',
    setupFiles: './test/end-children.ts',
    provide: { chaos: full ? 'full' : 'short' },
    // Processes, so that servers, pools and signals stay apart. One keeps what it has loaded for its next
    // file: that was two seconds of processor time each, four tenths of the whole. Two a core keep the cores
    // busy, with the processes that tests start; with more, time-outs of the platform itself were met.
    pool: 'forks',
    isolate: false,
    execArgv: node_options,
    maxWorkers: full ? 1 : Math.min(8, 2 * availableParallelism()),
    // A deadline against endless waiting: wider than the waits of one test, which say what did not happen.
    testTimeout: full ? 600_000 : 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 240_000 } },
    // Real processes on a shared machine: a pause of the whole machine may look like a dead one. What fails
    // twice in a row is a fault; a retry is counted and printed at the end; chaos tests get no second chance.
    retry: full ? 0 : 1,
  } as const
  // Files opt in with `describe.concurrent`: each test there makes its own tenant.
  const order = (groupOrder: number) => ({ concurrent: false, groupOrder })
  return {
    test: {
      reporters: ['default'],
      sequence: { sequencer: SlowFirst },
      // Node loads the sources itself, as it does for users: vitest would first rewrite 2,000 files.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      projects: [
        {
          test: {
            name: 'pure',
            include: full ? [] : pure,
            // Nothing here has state that another file could see: a worker keeps what it has loaded.
            pool: 'threads',
            isolate: false,
            maxWorkers: 2,
            // A deadline against endless loops, wide enough for a busy machine.
            testTimeout: 60_000,
            expect: { poll: { timeout: 50_000 } },
            sequence: { groupOrder: 0 },
          },
        },
        {
          test: {
            name: 'world',
            include: full ? [] : named('*.test.ts'),
            exclude: [...pure, ...long, ...(on_oldest ? sql : []), 'test/chaos/**/*.full.test.ts'],
            ...world,
            sequence: order(1),
          },
        },
        {
          test: {
            // `test/global-setup.ts` goes by this name.
            name: 'sql',
            include: full || !on_oldest ? [] : sql,
            ...world,
            sequence: order(1),
          },
        },
        {
          test: {
            name: 'long',
            include: full ? ['test/chaos/**/*.test.ts', ...longer] : long,
            ...world,
            // Load is part of what they test: with more beside it, their platforms stand still.
            maxWorkers: full ? 1 : 1 + availableParallelism(),
            sequence: order(2),
          },
        },
      ],
    },
  }
})
