/**
 * Cost, calls or tokens over days, stacked by the group that the list below is asked for. The largest
 * groups have a colour of their own.
 */
import { useState } from 'preact/hooks'
import { Stacks, type Series } from '../chart.tsx'
import { nameOf, words } from '../language.ts'
import { useLive } from '../live.ts'
import { callOperation, plain, type Page, type Row } from '../operation.ts'
import { ProblemBox } from '../problem-box.tsx'
import { mayCall } from '../resource.ts'
import { addressOf, Link } from '../router.tsx'
import { useRead } from '../use-read.ts'
import type { PanelProps } from './panel.ts'

const measures = ['cost_amount', 'requests', 'input_tokens', 'output_tokens'] as const
type Measure = (typeof measures)[number]

/** The member of a line that names its group. */
const members: Readonly<Record<string, string>> = {
  model: 'model_deployment_id',
  principal: 'principal_id',
  tag: 'tag',
  workload: 'workload',
}
const shown_max = 5
const pages_max = 20
const usual_days = 30
const day_ms = 86_400_000

export function UsageChart({ filters }: Pick<PanelProps, 'filters'>) {
  const { group_by = 'day', scope, from, to } = filters
  const [measure, choose] = useState<Measure>('cost_amount')
  const asked = { group_by, scope, from, to, interval: 'day' }
  const read = useRead(`usage ${JSON.stringify(asked)}`, signal => readLines(asked, signal))
  const people = usePeople(group_by === 'principal')
  useLive(['inference.'], read.reload)
  const { data: lines, error } = read
  if (error !== undefined) return <ProblemBox error={error} retry={read.reload} />
  if (!lines || lines.length === 0) return null
  const currency = plain(lines[0]?.['currency'])
  return (
    <section class="card usage">
      <label class="field">
        <span class="unseen">{words.measure}</span>
        <select value={measure} onChange={event => choose(event.currentTarget.value as Measure)}>
          {measures.map(one => (
            <option key={one} value={one}>
              {one === 'cost_amount' ? `${nameOf(one)} (${currency})` : nameOf(one)}
            </option>
          ))}
        </select>
      </label>
      <Stacks
        title={nameOf(measure)}
        days={daysOf(lines, from, to)}
        series={seriesOf(lines, members[group_by], measure)}
        label={name => <Name group={group_by} name={name} {...{ lines, people }} />}
      />
    </section>
  )
}

async function readLines(query: Row, signal: AbortSignal): Promise<readonly Row[]> {
  const all: Row[] = []
  let cursor: string | null = null
  for (let at = 0; at < pages_max; at++) {
    const from = cursor === null ? {} : { cursor }
    const page = (await callOperation('listUsage', {
      query: { ...query, ...from, limit: 100 },
      signal,
    })) as Page
    all.push(...page.data)
    cursor = page.next_cursor
    if (!page.has_more || cursor === null) break
  }
  return all
}

/** The groups with the most, and all others as one. */
function seriesOf(lines: readonly Row[], member: string | undefined, measure: Measure): Series[] {
  const groups = new Map<string | null, Map<string, number>>()
  for (const line of lines) {
    const name = member === undefined ? nameOf(measure) : (line[member] as string | null)
    const values = groups.get(name) ?? new Map<string, number>()
    const day = plain(line['day'])
    values.set(day, (values.get(day) ?? 0) + Number(line[measure]))
    groups.set(name, values)
  }
  const all = [...groups].map(([name, values]) => ({ name, values, sum: sumOf(values) }))
  const sorted = all.toSorted((a, b) => b.sum - a.sum)
  if (sorted.length <= shown_max + 1) return sorted
  const rest = new Map<string, number>()
  for (const { values } of sorted.slice(shown_max)) {
    for (const [day, value] of values) rest.set(day, (rest.get(day) ?? 0) + value)
  }
  const others = { name: words.others, values: rest, sum: sumOf(rest) }
  return [...sorted.slice(0, shown_max), others]
}

function sumOf(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((sum, one) => sum + one, 0)
}

/** Also those without a call. */
function daysOf(lines: readonly Row[], from: string | undefined, to: string | undefined): string[] {
  const last = Math.max(Date.parse(to ?? ''), ...lines.map(one => Date.parse(plain(one['day']))))
  const end = Number.isNaN(last) ? Math.floor(Date.now() / day_ms) * day_ms : last
  const begin = from === undefined ? end - (usual_days - 1) * day_ms : Date.parse(from)
  const count = Math.max(1, Math.round((end - begin) / day_ms) + 1)
  return Array.from({ length: count }, (_, at) =>
    new Date(begin + at * day_ms).toISOString().slice(0, 10),
  )
}

type NameProps = {
  readonly group: string
  readonly name: string | null
  readonly lines: readonly Row[]
  readonly people: ReadonlyMap<string, string>
}

function Name({ group, name, lines, people }: NameProps) {
  if (name === null) return <span class="soft">{words.untagged}</span>
  if (group === 'model') {
    const found = lines.find(line => line['model_deployment_id'] === name)
    return <bdi>{plain(found?.['model_snapshot']) || name}</bdi>
  }
  if (group !== 'principal' || name === words.others) return <bdi>{name}</bdi>
  const mail = people.get(name)
  if (mail === undefined) return <code title={name}>{`${name.slice(0, 8)}…${name.slice(-4)}`}</code>
  return (
    <Link to={addressOf(['identity', 'accounts', name])}>
      <bdi>{mail}</bdi>
    </Link>
  )
}

/** The addresses of accounts, for a reader who may see them. A key has none. */
function usePeople(is_asked: boolean): ReadonlyMap<string, string> {
  const asks = is_asked && mayCall('listAccounts')
  const { data } = useRead(`people of usage ${asks}`, async signal => {
    if (!asks) return []
    return ((await callOperation('listAccounts', { query: { limit: 100 }, signal })) as Page).data
  })
  return new Map((data ?? []).map(one => [plain(one['id']), plain(one['email'])]))
}
