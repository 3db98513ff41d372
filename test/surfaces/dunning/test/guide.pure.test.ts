/** The guide shows the surface that the tests run. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

test('the guide has the code of this surface', async () => {
  const here = (path: string) => readFile(resolve(import.meta.dirname, '..', path), 'utf8')
  const guide = await here('../../../docs/guides/workflows.md')
  const code = (await here('surface.ts'))
    .replace("import { Type } from 'typebox'\n", '')
    .replace("surface, workflow } from '#dodeca/kernel'", "surface, Type, workflow } from 'dodeca'")
  expect(guide).toContain(`\`\`\`ts\n${code}\`\`\``)
})
