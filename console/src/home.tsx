/** The first page: health, activity, load, and failures of the last hour. */
import { useEffect, useState } from 'preact/hooks'
import { Sparkline } from './chart.tsx'
import { EventLines } from './event-lines.tsx'
import { Failures } from './failures.tsx'
import { fill, words } from './language.ts'
import { useEvents, useLive } from './live.ts'
import { callOperation, plain, type Page, type Row } from './operation.ts'
import { Load } from './load.tsx'
import { ProblemBox } from './problem-box.tsx'
import { mayCall } from './resource.ts'
import { addressOf, Link } from './router.tsx'
import { may } from './session.ts'
import { Table } from './table.tsx'
import { useRead } from './use-read.ts'
import { State } from './value.tsx'

export function HomePage() {
  return (
    <>
      <h1>{words.home}</h1>
      <p>{words.home_says}</p>
      <div class="cards">
        <Health />
        <Activity />
        {may('kernel.metrics.read') && <Load />}
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

/** Events of the live stream, counted in one column for each second. */
function Activity() {
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
      empty={words.queues_empty}
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
      empty={words.consumers_empty}
      read={read}
      columns={['consumer', 'lag_events', 'lag_seconds', 'parked']}
      to={() => addressOf(['events', 'consumers'])}
    />
  )
}

type FiguresProps = {
  readonly title: string
  readonly empty: string
  readonly read: ReturnType<typeof useRead<Row[]>>
  readonly columns: readonly string[]
  to(row: Row): string
}

function Figures({ title, empty, read, columns, to }: FiguresProps) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {read.error !== undefined && <ProblemBox error={read.error} retry={read.reload} />}
      {read.data?.length === 0 && <p class="soft">{empty}</p>}
      {read.data !== undefined && read.data.length > 0 && (
        <Table
          title={title}
          columns={columns}
          rows={read.data}
          cell={(row, name, place) =>
            place === 0 ? <Link to={to(row)}>{plain(row[name])}</Link> : plain(row[name]) || '–'
          }
        />
      )}
    </section>
  )
}

function Recent() {
  const events = useEvents().slice(0, 15)
  return (
    <section class="card">
      <h2>{words.recent}</h2>
      {events.length === 0 && <p class="soft">{words.recent_none}</p>}
      <EventLines events={events} />
    </section>
  )
}
