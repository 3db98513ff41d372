/** The guide shows the surface that the tests run. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

test('the guide has the code and the table of this surface', async () => {
  const here = (path: string) => readFile(resolve(import.meta.dirname, '..', path), 'utf8')
  const guide = await here('../../../docs/guides/own-commit.md')
  const code = (await here('surface.ts'))
    .replace("import { Type } from 'typebox'\n", '')
    .replace(
      "  type JobType,\n} from '#dodeca/kernel'",
      "  Type,\n  type JobType,\n} from 'dodeca'",
    )
  expect(guide).toContain(`\`\`\`ts\n${code}\`\`\``)
  expect(guide).toContain(`\`\`\`sql\n${await here('migrations/0001-agency.sql')}\`\`\``)
})
