/** Failures of the last hour, with their number and the next step. */
import { titleOf, words } from './language.ts'
import { useLive } from './live.ts'
import { callOperation, type OperationId, type Page } from './operation.ts'
import { findPlace, findResource } from './places/places.ts'
import { ProblemBox } from './problem-box.tsx'
import { mayCall } from './resource.ts'
import { addressOf, Link } from './router.tsx'
import { useRead } from './use-read.ts'
import { State } from './value.tsx'

type Failure = {
  readonly list: OperationId
  readonly query: Readonly<Record<string, string>>
  /** The time of the failure, if the row contains it. */
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

export function Failures() {
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
