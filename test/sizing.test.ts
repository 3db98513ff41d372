/** Pages with figures: that on sizing, and the first table of the benchmarks. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { withOverview } from '../bench/ground/report.ts'
import { kernelSettings, type SettingTable } from '../src/kernel/settings.ts'
import { tables } from '../src/settings.ts'

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
  const posted = '### Keyed POST, 32 connections'
  const replicated = '### Keyed POST with and without a synchronous standby, 32 connections'
  for (const [heading, row, column] of [
    [posted, 'dodeca with its worker', 4],
    [posted, 'pgbench', 1],
    [replicated, 'without', 1],
    [replicated, 'with a synchronous standby', 1],
  ] as const) {
    const section = benchmarks?.split(heading)[1] ?? ''
    const [line = ''] = new RegExp(`^\\| ${row} +\\|.*`, 'm').exec(section) ?? []
    expect(line, row).not.toBe('')
    expect(page).toContain(` ${line.split('|')[column + 1]?.trim()} `)
  }
})

test('the tables that grow go as the schema and the settings say', async () => {
  const [page = '', schema = ''] = await Promise.all(
    ['docs/sizing.md', 'test/schema.sql'].map(read),
  )
  const rows =
    page
      .split('## Tables that grow')[1]
      ?.split('\n## ')[0]
      ?.match(/^\| `.*$/gm) ?? []
  const named = rows.flatMap(row => {
    const [, names = '', , goes = ''] = row.split('|')
    return [...names.matchAll(/`(.*?)`/g)].map(([, table = '']) => ({ table, goes }))
  })
  const known = [...schema.matchAll(/^create table (\S+) \([^;]*?\n\)(.*);$/gm)]
  const parted = known
    .filter(([, , how]) => how?.includes('partition by'))
    .map(([, table = '']) => table)
  const said = named.filter(({ goes }) => /partition|by (day|week|month)/.test(goes))
  expect(said.map(({ table }) => table).toSorted()).toEqual(parted.toSorted())
  expect(known.map(([, table]) => table)).toEqual(
    expect.arrayContaining(named.map(({ table }) => table)),
  )
  const settings = Object.assign({}, kernelSettings, ...tables) as SettingTable
  for (const [, name = '', value] of rows.join().matchAll(/`([A-Z_]+)` \((\d+)\)/g)) {
    expect(settings[name.replace('_', '.').toLowerCase()]?.default, name).toBe(Number(value))
  }
})

test('the first table of the benchmarks repeats the figures of its sections', async () => {
  const page = await read('docs/benchmarks.md')
  expect(await withOverview(page)).toBe(page)
})
