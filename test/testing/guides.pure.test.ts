/** The guides show the files that the tests run. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const here = (path: string) => readFile(resolve(import.meta.dirname, path), 'utf8')

test('the guide to tests has the test that runs', async () => {
  const code = (await here('guide.child.ts'))
    .replace('../../src/testing/entry.ts', 'dodeca/testing')
    .replace('./dodeca.config.ts', '../dodeca.config.ts')
  expect(await here('../../docs/guides/own-tests.md')).toContain(`\`\`\`ts\n${code}\`\`\``)
})

test('the guide to pages has the page that runs in Chromium', async () => {
  const guide = await here('../../docs/guides/own-page.md')
  const script = (await here('public/app.js')).replace(/^\/\/ oxlint.*\n/m, '')
  expect(guide).toContain(`\`\`\`html\n${await here('public/index.html')}\`\`\``)
  expect(guide).toContain(`\`\`\`js\n${script}\`\`\``)
})
