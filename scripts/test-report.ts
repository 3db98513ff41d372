/** Reads vitest's report: what passed and failed, what needed a second run, and what was slow. */
import { relative, resolve } from 'node:path'

export type Tally = { passed: number; failed: number; skipped: number }

/** The part of vitest's json report that is read. */
export type Report = {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly startTime?: number
    readonly endTime?: number
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

export function failedFiles(report: Report | undefined): string[] {
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

export function skippedIn(report: Report | undefined): string[] {
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

/** The files that took longest, with their seconds; a file that waits beside others counts in full. */
export function slowestIn(report: Report | undefined, most: number): string[] {
  const taken = (report?.testResults ?? []).map(({ name, startTime = 0, endTime = 0 }) => ({
    name: relative(root, name),
    seconds: (endTime - startTime) / 1000,
  }))
  const slowest = taken.toSorted((a, b) => b.seconds - a.seconds).slice(0, most)
  return slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${name}`)
}
