/** The guide shows the provider that the tests run. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

test('the guide has the provider and the application of this folder', async () => {
  const here = (path: string) => readFile(resolve(import.meta.dirname, path), 'utf8')
  const guide = await here('../../docs/guides/own-payments.md')
  for (const file of ['provider.ts', 'dodeca.config.ts']) {
    expect(guide).toContain(`\`\`\`ts\n${await here(file)}\`\`\``)
  }
})
