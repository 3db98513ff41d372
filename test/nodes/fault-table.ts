/** The tables of faults in docs/many-nodes.md: how long each took, and what the clients of each surface saw. */
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'
import type { Seen } from './traffic.ts'

export type Measured = {
  readonly fault: string
  readonly lasted_ms: number
  readonly seen: readonly Seen[]
  /** From the end of the traffic until everything that follows from it was there. */
  readonly complete_ms: number
  readonly lost: number
  readonly doubled: number
}

const page = resolve(import.meta.dirname, '../../docs/many-nodes.md')

/** Replaces the rows of the faults that were measured, and keeps the others. */
export async function writeFaults(measured: readonly Measured[]): Promise<void> {
  const surfaces = measured[0]?.seen.map(one => one.surface) ?? []
  const columns = ['lasted', 'all served again after', 'complete after']
  const sums = measured.map(one => [one.fault, ...sumOf(one)])
  const cells = measured.map(({ fault, seen }) => [fault, ...seen.map(cellOf)])
  let text = await readFile(page, 'utf8')
  text = replaceTable(text, 'faults', [...columns, 'acknowledged', 'lost', 'doubled'], sums)
  text = replaceTable(text, 'surfaces', surfaces, cells)
  const options = await resolveConfig(page)
  await writeFile(page, await format(text, { ...options, filepath: page }))
}

function sumOf({ lasted_ms, seen, complete_ms, lost, doubled }: Measured): string[] {
  const again_ms = Math.max(...seen.map(one => one.again_ms))
  const operations = seen.reduce((sum, one) => sum + one.operations, 0)
  return [
    ...[lasted_ms, again_ms, complete_ms].map(seconds),
    ...[operations, lost, doubled].map(String),
  ]
}

function cellOf({ failures, longest_ms }: Seen): string {
  const seen = Object.entries(failures).map(([status, times]) => `${times} × ${status}`)
  return [...seen, seconds(longest_ms)].join(', ')
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

function replaceTable(
  text: string,
  name: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end)
  if (to < 0) throw new Error(`docs/many-nodes.md has no ${end}`)
  const known = new Map(
    text
      .slice(from, to)
      .split('\n')
      .filter(line => line.startsWith('|'))
      .slice(2)
      .map(line =>
        line
          .split('|')
          .slice(1, -1)
          .map(cell => cell.trim()),
      )
      .map(cells => [cells[0] ?? '', cells]),
  )
  for (const row of rows) known.set(row[0] ?? '', [...row])
  const lines = [['fault', ...columns], ['---', ...columns.map(() => '---')], ...known.values()]
  const table = lines.map(cells => `| ${cells.join(' | ')} |`).join('\n')
  return `${text.slice(0, from)}\n\n${table}\n\n${text.slice(to)}`
}
