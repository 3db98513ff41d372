/** 1,000 bookings of the agency while its process is killed: each is paid once. */
import { expect, test } from 'vitest'
import { runTests } from '../examples-agency.ts'

test('1,000 bookings under kills', { timeout: 3_600_000 }, async () => {
  const found = await runTests('killed.test.ts', '--test-name-pattern=bookings under kills', {
    AGENCY_BOOKINGS: '1000',
  })
  expect([found.code, found.failed, found.passed], found.output).toEqual([0, 0, 1])
})
