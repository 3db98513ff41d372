/** Pages with figures: that on sizing, and the first table of the benchmarks. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { withOverview } from '../bench/ground/report.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFile(join(root, path), 'utf8')

test('the simulation prints what the page shows', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'bench/cells.ts'), '--seed=1'],
    { encoding: 'utf8' },
  )
  expect(await read('docs/sizing.md')).toContain(`\`\`\`text\n${stdout}\`\`\``)
})

test('its figures are those of the benchmarks', async () => {
  const [page, program, benchmarks] = await Promise.all(
    ['docs/sizing.md', 'bench/cells.ts', 'docs/benchmarks.md'].map(read),
  )
  for (const [heading, row, name] of [
    ['### GET by id (one SELECT), 16 connections', 'dodeca', 'reads'],
    ['### Keyed POST, 32 connections', 'dodeca with its worker', 'writes'],
    ['### Login, 16 at once', 'dodeca', 'logins'],
  ] as const) {
    const section = benchmarks?.split(heading)[1]?.split('\n### ')[0] ?? ''
    const figure = new RegExp(`\\| ${row} +\\| +([\\d,]+) `).exec(section)?.[1]
    expect(figure, heading).toBeDefined()
    expect(page).toContain(` ${figure} |`)
    expect(program).toContain(`${name}: ${figure?.replace(',', '_')},`)
  }
})

test('the first table of the benchmarks repeats the figures of its sections', async () => {
  const page = await read('docs/benchmarks.md')
  expect(await withOverview(page)).toBe(page)
})
