/**
 * The closing line of a check must never look better than the run was: whatever did not pass is counted,
 * also what fails outside of any test.
 */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failedIn, retriedIn, tallyOf, withSecondRun, type Report } from '../test-report.ts'

type FileResult = Report['testResults'][number]

const file = (status: string, ...tests: string[]): FileResult => ({
  name: 'a.test.ts',
  status,
  assertionResults: tests.map(one => ({ status: one, fullName: one })),
})
const tally = (files: FileResult[], code: number, strict = false) =>
  tallyOf({ testResults: files }, code, strict)

test('a test that passed after a retry is named, with what failed first', () => {
  const path = join(import.meta.dirname, 'a.test.ts')
  const failureMessages = ['Error: first\n    at a line', 'Error: second']
  const assertionResults = [
    { status: 'passed', fullName: 'one', failureMessages },
    { status: 'failed', fullName: 'two', failureMessages },
    { status: 'passed', fullName: 'three', failureMessages: [] },
  ]
  const report = { testResults: [{ name: path, status: 'failed', assertionResults }] }
  expect(retriedIn(report)).toEqual(['scripts/test/a.test.ts: one: Error: first'])
})

test('what failed is named with its error, also a file outside of its tests', () => {
  const name = join(import.meta.dirname, 'a.test.ts')
  const failureMessages = ['Error: expected 200\nto be 404\n    at a line']
  const failed = { status: 'failed', fullName: 'one', failureMessages }
  const testResults = [
    { name, status: 'failed', message: '', assertionResults: [failed] },
    { name, status: 'failed', message: 'Error: a hook timed out', assertionResults: [] },
    { name, status: 'passed', message: '', assertionResults: [] },
  ]
  expect(failedIn({ testResults })).toEqual([
    'scripts/test/a.test.ts: one: Error: expected 200 | to be 404',
    'scripts/test/a.test.ts: outside of a test: Error: a hook timed out',
  ])
})

test('a file that failed is counted by its second run, and its first error is named', () => {
  const one = (name: string, status: string, ...failureMessages: string[]) => {
    const tests = [{ status, fullName: 'one', failureMessages }]
    return { name, status, message: '', assertionResults: tests }
  }
  const hook = { name: 'hook', status: 'failed', message: 'Error: hook', assertionResults: [] }
  const first = [one('fine', 'passed'), one('slow', 'failed', 'Error: late'), hook]
  const passed = [one('slow', 'passed'), one('hook', 'passed')]
  const merged = withSecondRun({ testResults: first }, { testResults: passed })
  expect(tallyOf(merged, 0, false)).toEqual({ passed: 3, failed: 0, skipped: 0 })
  expect(retriedIn(merged)).toMatchObject(
    [/slow: one: Error: late$/, /hook: one: Error: hook$/].map(
      form => expect.stringMatching(form) as unknown,
    ),
  )
  const failed = [one('slow', 'failed', 'Error: wrong'), one('hook', 'passed')]
  const twice = withSecondRun({ testResults: first }, { testResults: failed })
  expect(tallyOf(twice, 1, false)).toEqual({ passed: 2, failed: 1, skipped: 0 })
  expect(tallyOf(withSecondRun({ testResults: first }, undefined), 1, false).failed).toBe(2)
})

describe('the tally', () => {
  test('counts what passed', () => {
    const files = [file('passed', 'passed', 'passed'), file('passed', 'passed')]
    expect(tally(files, 0)).toEqual({ passed: 3, failed: 0, skipped: 0 })
  })

  test('counts what failed', () => {
    const files = [file('failed', 'passed', 'failed'), file('passed', 'passed')]
    expect(tally(files, 1)).toEqual({ passed: 2, failed: 1, skipped: 0 })
  })

  test('counts a file that could not be loaded', () => {
    const files = [file('failed'), file('passed', 'passed')]
    expect(tally(files, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 })
  })

  test('counts a hook that failed after its tests had passed', () => {
    expect(tally([file('failed', 'passed')], 1)).toEqual({ passed: 1, failed: 1, skipped: 0 })
  })

  test('counts a bad exit code that no test explains', () => {
    expect(tally([file('passed', 'passed')], 1)).toEqual({ passed: 1, failed: 1, skipped: 0 })
  })

  test('counts a run without a report, and one without tests', () => {
    expect(tallyOf(undefined, 1, false)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(tally([], 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })

  test('shows what was skipped, and fails it under CI', () => {
    const files = [file('passed', 'passed', 'skipped', 'pending', 'todo')]
    expect(tally(files, 0)).toEqual({ passed: 1, failed: 0, skipped: 3 })
    expect(tally(files, 0, true)).toEqual({ passed: 1, failed: 3, skipped: 0 })
  })
})
