/**
 * The one check of everything: format, lint, types, dead code, then all tests. It continues after a
 * failed step, shows that step's output in full, and always ends with one line `N passed, N failed,
 * N skipped`. Under CI a skipped test is a failure, because every engine is installed there. A test
 * that passed only after a retry is printed with its first error, because it hides a race. What the
 * run cost is printed as the slowest files, and as counts, which do not depend on the machine.
 * `scripts/check.ts static` runs only the steps before the tests; `tests [filter…]` only the tests, or
 * only those whose paths contain a filter; `--project=long` runs those that take minutes, which are
 * left out otherwise; `--changed[=base]` runs only the tests that the changes since `base` (main) affect.
 */
import { spawn, type SpawnOptions } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { changedFiles, testsTouchedBy } from './changed.ts'
import {
  failedFiles,
  failedIn,
  retriedIn,
  skippedIn,
  slowestIn,
  tallyOf,
  withSecondRun,
  type Report,
  type Tally,
} from './test-report.ts'

const root = resolve(import.meta.dirname, '..')
const programs = join(root, 'node_modules', '.bin')

const cache = join(root, 'node_modules', '.cache')
const types = ['--incremental', '--tsBuildInfoFile', join(cache, 'types.tsbuildinfo')] as const

/** The other steps read what this one makes. */
const generated = ['generated files', 'node', 'scripts/generated.mjs'] as const

/** They run beside each other, and look only at what changed since their last run. */
const steps = [
  ['format', 'prettier', '--check', '.', '--cache', '--cache-strategy', 'content'],
  ['lint', 'oxlint'],
  ['types', 'tsc', '--noEmit', '--pretty', 'false', ...types],
  ['types of the console', 'tsc', '--noEmit', '--pretty', 'false', '--project', 'console'],
  ['dead code', 'knip', '--no-progress'],
] as const

/** At most this many files run a second time. If more fail, they have a common cause. */
const second_runs_max = 5

if (import.meta.main) {
  const args = process.argv.slice(2)
  const changed = args.find(arg => /^--changed(=|$)/.test(arg))
  const [only, ...filters] = args.filter(arg => arg !== changed)
  const total: Tally = { passed: 0, failed: 0, skipped: 0 }
  if (only !== 'tests') {
    add(total, await runStep(generated))
    for (const one of await Promise.all(steps.map(runStep))) add(total, one)
  }
  const touched = changed && (await touchedSince(changed.split('=')[1] ?? 'main'))
  if (touched) console.log(`the changes affect ${touched.length} test files`)
  if (only !== 'static' && (!touched || touched.length > 0)) {
    add(total, await runTests([...filters, ...(touched || [])], Boolean(process.env['CI'])))
  }
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
  process.exitCode = total.failed > 0 ? 1 : 0
}

async function touchedSince(base: string): Promise<string[]> {
  const files = await testsTouchedBy(root, changedFiles(root, base))
  return files.filter(file => !file.endsWith('.long.test.ts'))
}

function add(total: Tally, more: Tally): void {
  total.passed += more.passed
  total.failed += more.failed
  total.skipped += more.skipped
}

async function runStep([name, program, ...args]: readonly [string, string, ...string[]]) {
  const { code, output, seconds } = await run(program, args, 'captured')
  if (code !== 0) process.stdout.write(output)
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`)
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
}

/**
 * Tests take minutes, so their output is shown as it comes: it shows where a run hangs. Files that
 * failed run once more, without the others beside them: tests of processes and leases also fail
 * when the machine stands still. Each is printed, because it hides a race or a slow machine.
 */
async function runTests(filters: readonly string[], strict: boolean): Promise<Tally> {
  const asked = filters.some(one => one.startsWith('--project='))
  const projects = asked ? [] : ['--project=pure', '--project=world', '--project=sql']
  const first = await runVitest([...projects, ...filters])
  let { report, code, seconds } = first
  const files = failedFiles(report)
  if (report && files.length > 0 && files.length <= second_runs_max) {
    console.log(`run again, alone: ${files.join(', ')}`)
    const chosen = filters.filter(one => one.startsWith('--project='))
    const again = await runVitest([...(asked ? chosen : projects), '--maxWorkers=1', ...files])
    report = withSecondRun(report, again.report)
    code = again.code
    seconds += again.seconds
  }
  const tally = tallyOf(report, code, strict)
  if (strict) for (const name of skippedIn(report)) console.log(`skipped, so failed: ${name}`)
  const retried = retriedIn(report)
  for (const one of retried) console.log(`passed only after a retry: ${one}`)
  console.log(`${retried.length} tests retried`)
  for (const one of failedIn(report)) console.log(`failed: ${one}`)
  console.log(['the slowest files:', ...slowestIn(report, 20)].join('\n'))
  console.log(`opened: ${first.counts}`)
  console.log(`${tally.failed === 0 ? 'ok    ' : 'FAILED'} tests (${seconds.toFixed(1)} s)`)
  return tally
}

async function runVitest(args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-check-'))
  try {
    const file = join(folder, 'report.json')
    const counted = join(folder, 'counts')
    await mkdir(counted)
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const env = { TEST_COUNTS: counted }
    const { code, seconds } = await run('vitest', ['run', ...reporters, ...args], 'shown', env)
    return { code, seconds, report: await readReport(file), counts: await sumOf(counted) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** `12 worlds, 30 platforms`: what `test/counts.ts` wrote in the processes of the run. */
async function sumOf(folder: string): Promise<string> {
  const sums = new Map<string, number>()
  for (const file of await readdir(folder)) {
    for (const line of (await readFile(join(folder, file), 'utf8')).trim().split('\n')) {
      const [what = '', many] = line.split(' ')
      sums.set(what, (sums.get(what) ?? 0) + Number(many))
    }
  }
  return [...sums].map(([what, many]) => `${many} ${what}`).join(', ')
}

/** A run that was killed leaves no report, or half of one: then no test is counted. */
async function readReport(file: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}

async function run(
  program: string,
  args: readonly string[],
  output: 'captured' | 'shown',
  more: Readonly<Record<string, string>> = {},
) {
  const started = performance.now()
  const chunks: Buffer[] = []
  const { promise, resolve: ended } = Promise.withResolvers<number>()
  const stdio = output === 'shown' ? 'inherit' : 'pipe'
  const options: SpawnOptions = {
    cwd: root,
    // The first line of the programs looks for node on the PATH: it must find the pinned one.
    env: { ...process.env, ...more, PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}` },
    stdio: ['ignore', stdio, stdio],
  }
  const child = spawn(join(programs, program), args, options)
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('error', error => {
    chunks.push(Buffer.from(`${program} cannot be started: ${error.message}\n`))
    ended(1)
  })
  child.on('close', code => ended(code ?? 1))
  const code = await promise
  const seconds = (performance.now() - started) / 1000
  return { code, seconds, output: Buffer.concat(chunks) }
}
