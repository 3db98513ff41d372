/**
 * One request on a time line: its route, the transactions that it caused, the events of each, their
 * deliveries, and the audit records. A request id contains the time when the request began.
 */
import { useState } from 'preact/hooks'
import { Problem } from '../../client/src/index.ts'
import { words } from './language.ts'
import { callOperation, type Page, plain, type Row } from './operation.ts'
import type { PanelProps } from './panels/panel.ts'
import { ProblemBox } from './problem-box.tsx'
import { requestIdOf } from './places/references.ts'
import { addressOf, go, Link } from './router.tsx'
import { may } from './session.ts'
import { mayCall } from './resource.ts'
import { useRead, useRereads } from './use-read.ts'
import { FieldList, isId, State } from './value.tsx'

type Step = {
  readonly at: string
  readonly kind: string
  readonly text: string
  readonly state?: string
  readonly to: string | null
  /** The transaction that wrote the event. */
  readonly within?: number
}

type Trace = {
  readonly began: Date
  /** The route of the request, such as `POST /v1/jobs`, if it left a record or an event. */
  readonly route: string | null
  readonly status: number | null
  readonly steps: readonly Step[]
  /** What is kept of a write with a key, or of a failure. */
  readonly request: Row | null
}

const pages_max = 20
const delivered_max = 30
/** What a request caused goes on for a while: jobs, messages and deliveries follow its commit. */
const young_ms = 120_000
const day_ms = 86_400_000

export function TracePage({ asked }: { readonly asked: string }) {
  const [id, set] = useState(asked)
  const request_id = requestIdOf(asked)
  return (
    <>
      <h1>{words.trace}</h1>
      <p class="soft">{words.trace_hint}</p>
      <form
        class="find"
        onSubmit={event => {
          event.preventDefault()
          const request_id = requestIdOf(id)
          if (request_id) go(addressOf(['trace', request_id]))
        }}
      >
        <label>
          <span>{words.request_id}</span>
          <input value={id} spellcheck={false} onInput={e => set(e.currentTarget.value)} />
        </label>
        <button>{words.open}</button>
      </form>
      {request_id && <TimeLine request_id={request_id} />}
    </>
  )
}

/** Of the page of a failed request. */
export function RequestTimeLine({ path }: PanelProps) {
  return <TimeLine request_id={path['request_id'] ?? ''} />
}

/** The refusal, and what helps. */
function Why({ request }: { readonly request: Row }) {
  const code = plain(request['code'])
  const names = ['permission', 'pointer'].filter(one => plain(request[one]) !== '')
  return (
    <section class="why" aria-label={words.why_failed}>
      <p>
        <strong>
          {words.why_failed}: {code.replaceAll('_', ' ')}.
        </strong>{' '}
        <a href={`/problems/${encodeURIComponent(code)}`} target="_blank" rel="noopener">
          <code>{code}</code> {words.what_helps}
        </a>
      </p>
      <FieldList row={Object.fromEntries(names.map(one => [one, request[one]]))} />
    </section>
  )
}

function TimeLine({ request_id }: { readonly request_id: string }) {
  const { data, error, loading, reload } = useRead(request_id, signal => trace(request_id, signal))
  const young = Date.now() - startOf(request_id).getTime() < young_ms
  useRereads(young ? JSON.stringify(data ?? null) : null, reload)
  if (loading) return <p class="soft">{words.loading}</p>
  if (!data) return <ProblemBox error={error} retry={reload} />
  const { began, route, status, steps, request } = data
  return (
    <>
      {request && request['code'] !== null && <Why request={request} />}
      <ol class="timeline trace">
        <li>
          <span class="offset">0 ms</span> <span class="kind">{words.trace_request}</span>{' '}
          {route !== null && <code>{status === null ? route : `${route} → ${status}`}</code>}{' '}
          <time dateTime={began.toISOString()}>{began.toISOString()}</time>
        </li>
        {steps.map(step => (
          <li
            key={step.kind + step.at + step.text + (step.to ?? '')}
            class={step.within === undefined ? undefined : 'within'}
          >
            <span class="offset">{Date.parse(step.at) - began.getTime()} ms</span>{' '}
            <span class="kind">{step.kind}</span>{' '}
            {step.to ? <Link to={step.to}>{step.text}</Link> : <bdi>{step.text}</bdi>}{' '}
            {step.state !== undefined && <State value={step.state} />}
          </li>
        ))}
      </ol>
      {steps.length === 0 && <p class="empty">{words.trace_none}</p>}
    </>
  )
}

/**
 * The first 48 bits of a UUIDv7 are its time. A trace id that the caller chose contains no time;
 * then the trace is searched in the last day.
 */
function startOf(request_id: string): Date {
  const began = Number.parseInt(request_id.replaceAll('-', '').slice(0, 12), 16)
  const now = Date.now()
  const has_time = request_id[14] === '7' && began <= now + 60_000
  return new Date(has_time ? began : now - day_ms)
}

async function trace(request_id: string, signal: AbortSignal): Promise<Trace> {
  const [request, events, audit] = await Promise.all([
    requestOf(request_id, signal),
    may('webhooks.events.read') ? eventsOf(request_id, signal) : [],
    may('kernel.audit_events.read') ? auditOf(request_id, signal) : [],
  ])
  const deliveries = may('webhooks.deliveries.read')
    ? await Promise.all(events.slice(0, delivered_max).map(one => deliveriesOf(one, signal)))
    : []
  const steps = [...transactionsOf(request, events), ...audit, ...deliveries.flat()].sort(
    (a, b) => Number(a.at > b.at) - Number(a.at < b.at),
  )
  const route = [request?.['route'], ...events.map(one => one['written_by'])].find(isRoute)
  const start = startOf(request_id)
  const first = steps[0] ? new Date(steps[0].at) : start
  const began = request_id[14] === '7' ? start : first
  const status = typeof request?.['status'] === 'number' ? request['status'] : null
  return { began, route: route ?? null, status, steps, request }
}

function isRoute(written_by: unknown): written_by is string {
  return typeof written_by === 'string' && /^[A-Z]+ \//.test(written_by)
}

/** Of a write with a key, the first; else only what failed or was slow. */
async function requestOf(request_id: string, signal: AbortSignal): Promise<Row | null> {
  try {
    return (await callOperation('getRequest', { path: { request_id }, signal })) as Row
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  }
}

/** Each transaction, followed by its events. */
function transactionsOf(request: Row | null, events: readonly Row[]): Step[] {
  const groups = new Map<string, Row[]>()
  for (const event of events) {
    const name = String(event['transaction_id'] ?? event['id'])
    groups.set(name, [...(groups.get(name) ?? []), event])
  }
  const steps = [...groups.values()].flatMap(group => {
    const [first] = group
    const number = first?.['transaction_id']
    if (!first || typeof number !== 'number') return group.map(stepOfEvent)
    const at = String(first['occurred_at'])
    const by = group.map(one => one['written_by']).find(one => typeof one === 'string')
    const within = group.map(one => ({ ...stepOfEvent(one), at, within: number }))
    return [transactionStep(at, number, by), ...within]
  })
  // A transaction may write no event, for example when a job is submitted.
  const own = request?.['transaction_id']
  if (typeof own === 'number' && !groups.has(String(own))) {
    const at = String(request?.['completed_at'] ?? request?.['created_at'])
    const step = transactionStep(at, own, request?.['route'])
    const made = request?.['location']
    const id = typeof made === 'string' ? made.split('/').findLast(isId) : undefined
    steps.push(id === undefined ? step : { ...step, to: addressOf(['search', id]) })
  }
  return steps
}

function transactionStep(at: string, number: number, by: unknown): Step {
  const text = typeof by === 'string' ? `${number} · ${by}` : String(number)
  return { at, kind: words.trace_transaction, text, to: null }
}

async function eventsOf(request_id: string, signal: AbortSignal): Promise<Row[]> {
  const since = startOf(request_id).toISOString()
  const trace_id = request_id.replaceAll('-', '')
  const found: Row[] = []
  let cursor: string | null = null
  for (let at = 0; at < pages_max; at++) {
    const query = { since, trace_id, limit: 100, ...(cursor === null ? {} : { cursor }) }
    const page = (await callOperation('listWebhookEvents', { query, signal })) as Page
    found.push(...page.data)
    cursor = page.next_cursor
    if (!page.has_more) break
  }
  return found
}

async function auditOf(request_id: string, signal: AbortSignal): Promise<Step[]> {
  const query = { request_id, limit: 100 }
  const page = (await callOperation('listAuditEvents', { query, signal })) as Page
  return page.data.map(row => ({
    at: String(row['occurred_at']),
    kind: words.trace_audit,
    text: `${String(row['action'])} ${String(row['target'])}`,
    state: String(row['outcome']),
    to: addressOf(['platform', 'audit', String(row['id'])]),
  }))
}

async function deliveriesOf(event: Row, signal: AbortSignal): Promise<Step[]> {
  const query = { event_id: event['id'], limit: 100 }
  const page = (await callOperation('listWebhookDeliveries', { query, signal })) as Page
  return page.data.map(row => ({
    at: String(row['completed_at'] ?? row['created_at']),
    kind: words.trace_delivery,
    text: String(row['event_type']),
    state: String(row['state']),
    to: addressOf(['webhooks', 'deliveries', String(row['id'])]),
  }))
}

function stepOfEvent(event: Row): Step {
  const type = String(event['type'])
  const of = String(event['aggregate_id'])
  const step = { at: String(event['occurred_at']), text: type }
  if (type.startsWith('job.') && mayCall('getJob')) {
    return { ...step, kind: words.trace_job, to: addressOf(['jobs', 'jobs', of]) }
  }
  if (type.startsWith('notification.') && mayCall('getNotification')) {
    const to = addressOf(['notifications', 'notifications', of])
    return { ...step, kind: words.trace_mail, to }
  }
  return { ...step, kind: words.trace_event, to: addressOf(['events', 'log', String(event['id'])]) }
}
