/**
 * The effects of one request on a time line: its events, the deliveries of each event, and the
 * audit records. A request id contains the time when the request began.
 */
import { useState } from 'preact/hooks'
import { words } from './language.ts'
import { callOperation, type Page, type Row } from './operation.ts'
import { ProblemBox } from './problem-box.tsx'
import { addressOf, go, Link } from './router.tsx'
import { may } from './session.ts'
import { mayCall } from './resource.ts'
import { useRead, useRereads } from './use-read.ts'
import { isId, State } from './value.tsx'

type Step = {
  readonly at: string
  readonly kind: string
  readonly text: string
  readonly state?: string
  readonly to: string | null
}

const pages_max = 20
const delivered_max = 30
/** What a request caused goes on for a while: jobs, messages and deliveries follow its commit. */
const young_ms = 120_000

export function TracePage({ asked }: { readonly asked: string }) {
  const [id, set] = useState(asked)
  return (
    <>
      <h1>{words.trace}</h1>
      <p class="soft">{words.trace_hint}</p>
      <form
        class="find"
        onSubmit={event => {
          event.preventDefault()
          if (isId(id.trim())) go(addressOf(['trace', id.trim()]))
        }}
      >
        <label>
          <span>{words.request_id}</span>
          <input value={id} spellcheck={false} onInput={e => set(e.currentTarget.value)} />
        </label>
        <button>{words.open}</button>
      </form>
      {isId(asked) && <TimeLine request_id={asked} />}
    </>
  )
}

function TimeLine({ request_id }: { readonly request_id: string }) {
  const { data, error, loading, reload } = useRead(request_id, signal => trace(request_id, signal))
  const began = beganAt(request_id)
  const young = Date.now() - began.getTime() < young_ms
  useRereads(young ? JSON.stringify(data ?? null) : null, reload)
  if (loading) return <p class="soft">{words.loading}</p>
  if (!data) return <ProblemBox error={error} retry={reload} />
  return (
    <>
      <ol class="timeline trace">
        <li>
          <span class="offset">0 ms</span> <span class="kind">{words.trace_request}</span>{' '}
          <time dateTime={began.toISOString()}>{began.toISOString()}</time>
        </li>
        {data.map(step => (
          <li key={step.kind + step.at + step.text + (step.to ?? '')}>
            <span class="offset">{Date.parse(step.at) - began.getTime()} ms</span>{' '}
            <span class="kind">{step.kind}</span>{' '}
            {step.to ? <Link to={step.to}>{step.text}</Link> : step.text}{' '}
            {step.state !== undefined && <State value={step.state} />}
          </li>
        ))}
      </ol>
      {data.length === 0 && <p class="empty">{words.trace_none}</p>}
    </>
  )
}

/** The first 48 bits of a UUIDv7 are its time. */
function beganAt(request_id: string): Date {
  return new Date(Number.parseInt(request_id.replaceAll('-', '').slice(0, 12), 16))
}

async function trace(request_id: string, signal: AbortSignal): Promise<Step[]> {
  const [events, audit] = await Promise.all([
    may('webhooks.events.read') ? eventsOf(request_id, signal) : [],
    may('kernel.audit_events.read') ? auditOf(request_id, signal) : [],
  ])
  const deliveries = may('webhooks.deliveries.read')
    ? await Promise.all(events.slice(0, delivered_max).map(one => deliveriesOf(one, signal)))
    : []
  return [...events.map(stepOfEvent), ...audit, ...deliveries.flat()].sort((a, b) =>
    a.at < b.at ? -1 : 1,
  )
}

async function eventsOf(request_id: string, signal: AbortSignal): Promise<Row[]> {
  const since = beganAt(request_id).toISOString()
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
