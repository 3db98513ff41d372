/** The first page: is it well, how much is going on, and what failed in the last hour. */
import { useEffect, useState } from 'preact/hooks'
import { Sparkline } from './chart.tsx'
import { Failures } from './failures.tsx'
import { fill, nameOf, words } from './language.ts'
import { useEvents, useLive } from './live.ts'
import { callOperation, plain, type Page, type Row } from './operation.ts'
import { ProblemBox } from './problem-box.tsx'
import { mayCall } from './resource.ts'
import { addressOf, Link } from './router.tsx'
import { useRead } from './use-read.ts'
import { State, Time } from './value.tsx'

export function HomePage() {
  return (
    <>
      <h1>{words.home}</h1>
      <div class="cards">
        <Health />
        <Load />
        <Failures />
        {mayCall('listJobStats') && <Queues />}
        {mayCall('listEventConsumers') && <Consumers />}
        <Recent />
      </div>
    </>
  )
}

type Readiness = { readonly status: string; readonly checks: Readonly<Record<string, boolean>> }

function Health() {
  const { data, error, reload } = useRead('health', async signal => {
    const answer = await fetch('/readyz', { signal })
    return (await answer.json()) as Readiness
  })
  const failing = Object.entries(data?.checks ?? {}).flatMap(([name, well]) => (well ? [] : [name]))
  return (
    <section class="card">
      <h2>{words.health}</h2>
      {error !== undefined && <ProblemBox error={error} retry={reload} />}
      {data && (
        <p role="status">
          <State value={failing.length === 0 ? 'ready' : 'failed'} />{' '}
          {failing.length === 0
            ? words.ready
            : fill(words.not_ready, { checks: failing.join(', ') })}
        </p>
      )}
    </section>
  )
}

const seconds_shown = 60

/** Counted from the live stream, a column a second. */
function Load() {
  const events = useEvents()
  const [now, tick] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const counts = Array.from({ length: seconds_shown }, () => 0)
  for (const event of events) {
    const age = Math.floor((now - Date.parse(String(event['created_at']))) / 1000)
    const at = seconds_shown - 1 - Math.max(0, age)
    if (at >= 0) counts[at] = (counts[at] ?? 0) + 1
  }
  const total = counts.reduce((sum, one) => sum + one, 0)
  return (
    <section class="card">
      <h2>{words.events_second}</h2>
      <p class="figure">{(total / seconds_shown).toFixed(1)}</p>
      <Sparkline values={counts} label={words.events_second} />
    </section>
  )
}

function Queues() {
  const read = useRead('queues', async signal => {
    const query = { limit: 100 }
    const page = (await callOperation('listJobStats', { query, signal })) as Page
    return page.data.filter(
      row => Number(row['waiting']) + Number(row['running']) > 0 || row['paused'],
    )
  })
  useLive(['job.', 'job_type.'], read.reload)
  return (
    <Figures
      title={words.queues}
      read={read}
      columns={['type', 'waiting', 'running', 'oldest_waiting_seconds', 'failed_24h']}
      to={row => addressOf(['jobs', 'jobs'], { type: String(row['type']) })}
    />
  )
}

function Consumers() {
  const read = useRead('consumers', async signal => {
    const query = { limit: 100 }
    const page = (await callOperation('listEventConsumers', { query, signal })) as Page
    return page.data.filter(row => Number(row['lag_events']) > 0 || Number(row['parked']) > 0)
  })
  useLive([''], read.reload)
  return (
    <Figures
      title={words.consumers}
      read={read}
      columns={['consumer', 'lag_events', 'lag_seconds', 'parked']}
      to={() => addressOf(['events', 'consumers'])}
    />
  )
}

type FiguresProps = {
  readonly title: string
  readonly read: ReturnType<typeof useRead<Row[]>>
  readonly columns: readonly string[]
  to(row: Row): string
}

function Figures({ title, read, columns, to }: FiguresProps) {
  const [first = ''] = columns
  return (
    <section class="card">
      <h2>{title}</h2>
      {read.error !== undefined && <ProblemBox error={read.error} retry={read.reload} />}
      {read.data?.length === 0 && <p class="soft">{words.none}</p>}
      {read.data !== undefined && read.data.length > 0 && (
        <FigureTable rows={read.data} columns={columns} first={first} to={to} />
      )}
    </section>
  )
}

function FigureTable({
  rows,
  columns,
  first,
  to,
}: Pick<FiguresProps, 'columns' | 'to'> & {
  readonly rows: readonly Row[]
  readonly first: string
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={nameOf(first)}>
      <table>
        <thead>
          <tr>
            {columns.map(name => (
              <th key={name} scope="col">
                {nameOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={String(row[first])}>
              {columns.map(name => (
                <td key={name}>
                  {name === first ? (
                    <Link to={to(row)}>{String(row[name])}</Link>
                  ) : (
                    plain(row[name]) || '–'
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Recent() {
  const events = useEvents().slice(0, 15)
  return (
    <section class="card">
      <h2>{words.recent}</h2>
      {events.length === 0 && <p class="soft">{words.recent_none}</p>}
      <ol class="timeline">
        {events.map(event => (
          <li key={String(event['id'])}>
            <Time value={String(event['occurred_at'])} />{' '}
            <Link to={addressOf(['events', 'log', String(event['id'])])}>
              {String(event['type'])}
            </Link>
          </li>
        ))}
      </ol>
    </section>
  )
}
