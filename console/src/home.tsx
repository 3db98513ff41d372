/** The first page: is it well, how much is going on, and what failed in the last hour. */
import { useEffect, useState } from 'preact/hooks'
import { Sparkline } from './chart.tsx'
import { fill, nameOf, titleOf, words } from './language.ts'
import { useEvents, useLive } from './live.ts'
import { callOperation, type OperationId, type Page, type Row } from './operation.ts'
import { findPlace, findResource } from './places/places.ts'
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

type Failure = {
  readonly list: OperationId
  readonly query: Readonly<Record<string, string>>
  /** The time at which it failed, as far as the row says. */
  readonly at: readonly string[]
  readonly place: readonly [string, string]
  readonly advice: keyof typeof words.advice
}

const failures: readonly Failure[] = [
  {
    list: 'listJobs',
    query: { state: 'failed' },
    at: ['completed_at', 'created_at'],
    place: ['jobs', 'jobs'],
    advice: 'jobs',
  },
  {
    list: 'listWebhookDeliveries',
    query: { state: 'exhausted' },
    at: ['completed_at', 'created_at'],
    place: ['webhooks', 'deliveries'],
    advice: 'deliveries',
  },
  {
    list: 'listNotifications',
    query: { state: 'failed' },
    at: ['created_at'],
    place: ['notifications', 'notifications'],
    advice: 'notifications',
  },
  {
    list: 'listInboundReceipts',
    query: { processing_state: 'dead' },
    at: ['processed_at', 'received_at'],
    place: ['webhooks', 'receipts'],
    advice: 'receipts',
  },
  {
    list: 'listReturns',
    query: { state: 'refund_failed' },
    at: ['created_at'],
    place: ['commerce', 'returns'],
    advice: 'payments',
  },
  {
    list: 'listEventParks',
    query: { state: 'dead' },
    at: [],
    place: ['events', 'parks'],
    advice: 'parks',
  },
]

function Failures() {
  const read = useRead('failures', signal =>
    Promise.all(failures.filter(one => mayCall(one.list)).map(one => countFailed(one, signal))),
  )
  useLive(['job.', 'webhook_delivery.', 'notification.', 'return.'], read.reload)
  const found = (read.data ?? []).filter(one => one.count > 0)
  return (
    <section class="card">
      <h2>{words.failed_hour}</h2>
      {read.error !== undefined && <ProblemBox error={read.error} retry={read.reload} />}
      {read.data && found.length === 0 && (
        <p>
          <State value="ok" /> {words.all_well}
        </p>
      )}
      <ul class="plain">
        {found.map(({ failure: { place, query, advice }, count, more }) => (
          <li key={advice}>
            <Link to={addressOf(place, query)}>
              <strong>
                {count}
                {more ? '+' : ''}
              </strong>{' '}
              {nameOfPlace(place)}
            </Link>
            <p class="soft">{words.advice[advice]}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function nameOfPlace([place_name, name]: readonly [string, string]): string {
  const place = findPlace(place_name)
  const resource = place && findResource(place, name)
  return resource ? titleOf(resource.title) : name
}

async function countFailed(failure: Failure, signal: AbortSignal) {
  const { list, query, at } = failure
  const page = (await callOperation(list, { query: { ...query, limit: 100 }, signal })) as Page
  const hour_ago = Date.now() - 3_600_000
  const recent = page.data.filter(row => {
    const time = at.map(name => row[name]).find(one => typeof one === 'string')
    return at.length === 0 || Date.parse(String(time)) >= hour_ago
  })
  const more = recent.length === page.data.length && page.has_more
  return { failure, count: recent.length, more }
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
                    String(row[name] ?? '–')
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
