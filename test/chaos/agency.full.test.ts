/** The agency's process is killed: at each point of a booking, and while it takes 1,000 of them. */
import { expect, test } from 'vitest'
import { runTests } from '../examples-agency.ts'

test('killed at each point of a booking and of its workflow', { timeout: 1_200_000 }, async () => {
  const { code, passed, failed, output } = await runTests(
    'killed.test.ts',
    '--test-name-pattern=killed in',
  )
  expect([code, failed], output).toEqual([0, 0])
  expect(passed).toBeGreaterThan(10)
})

test('1,000 bookings under kills', { timeout: 3_600_000 }, async () => {
  const found = await runTests('killed.test.ts', '--test-name-pattern=bookings under kills', {
    AGENCY_BOOKINGS: '1000',
  })
  expect([found.code, found.failed, found.passed], found.output).toEqual([0, 0, 1])
})
