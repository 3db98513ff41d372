/** The tests of the agency, an application of its own, as `npm test` in its folder runs them. */
import { expect, test } from 'vitest'
import { runTests } from './examples-agency.ts'

test.each(['agency.test.ts', 'killed.test.ts'])('%s', { timeout: 600_000 }, async file => {
  const { code, passed, failed, output } = await runTests(file, '--test-concurrency=1')
  expect([code, failed], output).toEqual([0, 0])
  expect(passed).toBeGreaterThan(10)
})
