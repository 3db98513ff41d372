/**
 * Prints the results of a comparison as one table: figures, ratios and verdicts. On request it
 * writes them into its section of docs/benchmarks.md, between two marks, so that each comparison
 * replaces only its own section.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { overviewOf } from './overview.ts'
import { ratioOf, type Standing } from './rounds.ts'

export type Verdict = {
  readonly says: string
  readonly reached: number
  readonly target: number
  readonly unit: string
  /** Whether higher or lower values are better. */
  readonly wanted: 'at least' | 'at most'
}

export type Section = {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly verdicts: readonly Verdict[]
  readonly notes: readonly string[]
}

export function standingsOf(
  title: string,
  standings: readonly Standing[],
  verdicts: readonly Verdict[],
  notes: readonly string[] = [],
): Section {
  const parted = standings.some(one => one.user_us != null)
  const time = (us: number | null | undefined) => (us == null ? '–' : figure(us))
  const wrong = standings.filter(one => one.unexpected > 0)
  return {
    title,
    columns: [
      '',
      'per second',
      'p50 ms',
      'p99 ms',
      'server CPU µs each',
      ...(parted ? ['of it user'] : []),
    ],
    rows: standings.map(one => [
      one.name,
      Math.round(one.per_second).toLocaleString('en'),
      figure(one.p50_ms),
      figure(one.p99_ms),
      time(one.cpu_us),
      ...(parted ? [time(one.user_us)] : []),
    ]),
    verdicts,
    notes: [
      ...notes,
      ...wrong.map(one => `${one.name}: ${one.unexpected} answers of an unexpected status.`),
    ],
  }
}

/** The ratio of two throughputs, compared with the target of the design. */
export function ratioVerdict(one: Standing, other: Standing, target: number): Verdict {
  return {
    says: `${one.name} / ${other.name}`,
    reached: ratioOf(one, other),
    target,
    unit: '',
    wanted: 'at least',
  }
}

/**
 * The same for processor time of the servers, which other processes on the machine hardly affect.
 */
export function costNote(one: Standing, other: Standing): string {
  if (one.cpu_us === null || other.cpu_us === null) return ''
  const ratio = other.cpu_us / one.cpu_us
  return `By processor time ${one.name} / ${other.name} is ${ratio.toFixed(2)}.`
}

const cores = 2

/**
 * The most that two cores can give beside pgbench, if pgbench keeps both busy: there PostgreSQL has them
 * for itself; here the server's process needs its time too, and has one of them at most.
 */
export function coresNote(ours: Standing, limit: Standing): string {
  if (ours.cpu_us === null) return ''
  const database_us = (cores * 1e6) / limit.per_second
  const most = Math.min((cores * 1e6) / (database_us + ours.cpu_us), 1e6 / ours.cpu_us)
  const share = (most / limit.per_second).toFixed(2)
  return `Of ${figure(database_us)} µs for one in pgbench and ${figure(ours.cpu_us)} µs in our process two cores can make at most ${share} of pgbench.`
}

export function figure(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  if (value >= 100) return value.toFixed(0)
  return value.toFixed(value >= 10 ? 1 : 2)
}

function isReached({ reached, target, wanted }: Verdict): boolean {
  return wanted === 'at least' ? reached >= target : reached <= target
}

function sentence(verdict: Verdict): string {
  const { says, reached, target, unit, wanted } = verdict
  const sign = wanted === 'at least' ? '≥' : '≤'
  const space = unit ? ' ' : ''
  const verdictText = isReached(verdict) ? 'reached' : 'NOT reached'
  return `${says}: ${figure(reached)}${space}${unit} (target ${sign} ${target}${space}${unit}): ${verdictText}`
}

export function print(section: Section, facts: string): void {
  const { title, columns, rows, verdicts, notes } = section
  const table = [columns, ...rows]
  const widths = columns.map((_, at) => Math.max(...table.map(row => (row[at] ?? '').length)))
  const lines = table.map(row =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('   '),
  )
  const said = [...verdicts.map(sentence), ...notes.filter(Boolean)]
  process.stdout.write(
    [`\n${title}`, facts, '', ...lines, '', ...said.map(one => `  ${one}`), '', ''].join('\n'),
  )
}

const file = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url))

/** With `part`, only some values were measured. Existing values of the other parts stay. */
export async function write(
  name: string,
  sections: readonly Section[],
  facts: string,
  part: boolean,
) {
  const text = await readFile(file, 'utf8')
  const [from, to] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const begin = text.indexOf(from)
  const end = text.indexOf(to)
  if (begin === -1 || end === -1) throw new Error(`docs/benchmarks.md has no section ${name}`)
  const there = text.slice(begin, end).split(/^### /m).slice(1)
  const kept = part ? there.map(one => [one.split('\n', 1)[0] ?? '', `### ${one}`] as const) : []
  const known = new Map(kept)
  const renewed = new Map(
    sections.map(one => [one.title, markdown(withOldRows(one, known.get(one.title)), facts)]),
  )
  const body = [...new Map([...kept, ...renewed]).values()].join('\n')
  const whole = `${text.slice(0, begin)}${from}\n\n${body}\n${text.slice(end)}`
  await writeFile(file, await withOverview(whole))
}

/** The page with its first table as its sections say. */
export async function withOverview(page: string): Promise<string> {
  const [from, to] = ['<!-- overview -->', '<!-- /overview -->']
  const [before = '', after = ''] = [page.split(from)[0], page.split(to)[1]]
  const renewed = `${before}${from}\n\n${overviewOf(page)}\n\n${to}${after}`
  return format(renewed, { ...(await resolveConfig(file)), filepath: file })
}

/** Rows that were not measured now stay where they are. */
function withOldRows(section: Section, before: string | undefined): Section {
  const lines = before?.split('\n').filter(line => line.startsWith('|')) ?? []
  const [heads, , ...old] = lines.map(line =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map(cell => cell.trim().replaceAll(String.raw`\|`, '|')),
  )
  const names = new Set(old.map(([name]) => name))
  if (heads?.join() !== section.columns.join() || names.size < old.length) return section
  const rows = new Map([...old, ...section.rows].map(row => [row[0] ?? '', row]))
  return { ...section, rows: [...rows.values()] }
}

function markdown({ title, columns, rows, verdicts, notes }: Section, facts: string): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  const rule = columns.map((_, at) => (at === 0 ? '---' : '---:'))
  const said = [...verdicts.map(sentence), ...notes.filter(Boolean)].map(one => `- ${one}`)
  return [
    `### ${title}`,
    '',
    facts,
    '',
    ...[columns, rule, ...rows].map(row),
    '',
    ...said,
    '',
  ].join('\n')
}
