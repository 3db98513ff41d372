/** The tests of the agency, an application of its own, as `npm test` in its folder runs them. */
import { expect, test } from 'vitest'
import { runTests } from './examples-agency.ts'

test('what every route must bear, and the way from a booking to its file', async () => {
  const { code, passed, failed, output } = await runTests('agency.test.ts', '--test-concurrency=1')
  expect([code, failed], output).toEqual([0, 0])
  expect(passed).toBeGreaterThan(10)
})
