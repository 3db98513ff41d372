/**
 * The one check of everything: format, lint, types, dead code, then all tests. It continues after a
 * failed step, shows that step's output in full, and always ends with one line `N passed, N failed,
 * N skipped`. Under CI a skipped test is a failure, because every engine is installed there. A test
 * that passed only after a retry is printed with its first error, because it hides a race.
 * `scripts/check.ts tests [filter…]` runs only the tests, or only those whose paths contain a
 * filter; `--project=long` runs those that take minutes, which are left out otherwise;
 * `--changed[=base]` runs only the tests that the changes since `base` (main) affect.
 */
import { spawn, type SpawnOptions } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, relative, resolve } from 'node:path'
import { changedFiles, testsTouchedBy } from './changed.ts'

export type Tally = { passed: number; failed: number; skipped: number }

/** The part of vitest's json report that is read. */
export type Report = {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    /** A failure outside of its tests: of loading the file, or of a hook. */
    readonly message?: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      /** One for each failure, even if the test passed in the end. */
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

const root = resolve(import.meta.dirname, '..')
const programs = join(root, 'node_modules', '.bin')

const steps = [
  ['format', 'prettier', '--check', '.'],
  ['lint', 'oxlint'],
  ['types', 'tsc', '--noEmit', '--pretty', 'false'],
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
  if (only === undefined) for (const step of steps) add(total, await runStep(step))
  const touched = changed && (await touchedSince(changed.split('=')[1] ?? 'main'))
  if (touched) console.log(`the changes affect ${touched.length} test files`)
  if (!touched || touched.length > 0) {
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
  const projects = asked ? [] : ['--project=pure', '--project=world']
  let { report, code, seconds } = await runVitest([...projects, ...filters])
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
  console.log(`${tally.failed === 0 ? 'ok    ' : 'FAILED'} tests (${seconds.toFixed(1)} s)`)
  return tally
}

async function runVitest(args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-check-'))
  try {
    const file = join(folder, 'report.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const { code, seconds } = await run('vitest', ['run', ...reporters, ...args], 'shown')
    return { code, seconds, report: await readReport(file) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function failedFiles(report: Report | undefined): string[] {
  return (report?.testResults ?? [])
    .filter(file => file.status === 'failed')
    .map(file => relative(root, file.name))
}

/** The results of the first run, but those of its failed files from the second one. */
export function withSecondRun(first: Report, second: Report | undefined): Report {
  const again = new Map(second?.testResults.map(file => [file.name, file]))
  const testResults = first.testResults.map(file => {
    const later = file.status === 'failed' ? again.get(file.name) : undefined
    if (!later) return file
    const errors = new Map(file.assertionResults.map(one => [one.fullName, one.failureMessages]))
    const outside = file.message ? [file.message] : []
    const assertionResults = later.assertionResults.map((one, at) => {
      const earlier = [...(at === 0 ? outside : []), ...(errors.get(one.fullName) ?? [])]
      return { ...one, failureMessages: [...earlier, ...(one.failureMessages ?? [])] }
    })
    return { ...later, assertionResults }
  })
  return { testResults }
}

/** A run that was killed leaves no report, or half of one: then no test is counted. */
async function readReport(file: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}

/**
 * A file that cannot be loaded has no tests to count, and an error outside any test fails none.
 * Each counts as one failure, so that a run with a bad exit code never looks successful.
 */
export function tallyOf(report: Report | undefined, code: number, strict: boolean): Tally {
  const files = report?.testResults ?? []
  const tests = files.flatMap(file => file.assertionResults)
  const passed = tests.filter(test => test.status === 'passed').length
  const broken = tests.filter(test => test.status === 'failed').length
  const silent = files.filter(
    file =>
      file.status === 'failed' && !file.assertionResults.some(test => test.status === 'failed'),
  )
  const skipped = skippedIn(report).length
  const failed = broken + silent.length + (strict ? skipped : 0)
  const unexplained = failed === 0 && (code !== 0 || tests.length === 0) ? 1 : 0
  return { passed, failed: failed + unexplained, skipped: strict ? 0 : skipped }
}

function skippedIn(report: Report | undefined): string[] {
  return (report?.testResults ?? []).flatMap(file =>
    file.assertionResults
      .filter(test => test.status !== 'passed' && test.status !== 'failed')
      .map(test => `${relative(root, file.name)}: ${test.fullName}`),
  )
}

/** What failed, with its first error: a test, or a file outside of its tests. */
export function failedIn(report: Report | undefined): string[] {
  return (report?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter(test => test.status === 'failed')
    const lines = tests.map(
      ({ fullName, failureMessages: [first] = [] }) => `${fullName}: ${start(first)}`,
    )
    if (status === 'failed' && lines.length === 0)
      lines.push(`outside of a test: ${start(message)}`)
    return lines.map(line => `${relative(root, name)}: ${line}`)
  })
}

/** The first lines of an error, with the expected and the actual value. */
function start(error = ''): string {
  const lines = error.split('\n').filter(line => !/^\s+at /.test(line))
  return lines.slice(0, 12).join(' | ').slice(0, 400)
}

/** Tests that failed first and then passed, each with its first error. */
export function retriedIn(report: Report | undefined): string[] {
  return (report?.testResults ?? []).flatMap(file =>
    file.assertionResults.flatMap(({ status, fullName, failureMessages: [first] = [] }) => {
      const [line] = first?.split('\n') ?? []
      return status === 'passed' && line
        ? [`${relative(root, file.name)}: ${fullName}: ${line}`]
        : []
    }),
  )
}

async function run(program: string, args: readonly string[], output: 'captured' | 'shown') {
  const started = performance.now()
  const chunks: Buffer[] = []
  const { promise, resolve: ended } = Promise.withResolvers<number>()
  const stdio = output === 'shown' ? 'inherit' : 'pipe'
  const options: SpawnOptions = {
    cwd: root,
    // The first line of the programs looks for node on the PATH: it must find the pinned one.
    env: { ...process.env, PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}` },
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
