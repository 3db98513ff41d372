/** What an application can import is in git, so that a change of it is seen in a review. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { report } from '../scripts/report.ts'

test('the report is that of the types of the package', async () => {
  const found = await readFile(resolve(import.meta.dirname, '../api/report.md'), 'utf8')
  expect(await report(), 'run `npm run generate`').toBe(found)
})
