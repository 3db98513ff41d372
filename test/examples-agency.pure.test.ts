/** The first page shows the code that runs. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

test('the README has the heart of the agency', async () => {
  const here = (path: string) => readFile(resolve(import.meta.dirname, '..', path), 'utf8')
  const source = await here('examples/agency/surfaces/agency/bookings.ts')
  const [heart = ''] = /^ {2}create: async[^]*?^ {2}\},$/m.exec(source) ?? []
  expect(heart.split('\n').length).toBeLessThanOrEqual(15)
  expect(await here('README.md')).toContain(`\`\`\`ts\n${heart.replaceAll(/^ {2}/gm, '')}\n\`\`\``)
})
