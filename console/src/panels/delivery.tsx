/** The course of a delivery: each request, and the response of the endpoint. */
import { fill, titleOf, words } from '../language.ts'
import { callOperation, plain, type Row } from '../operation.ts'
import { mayCall } from '../resource.ts'
import { addressOf, Link } from '../router.tsx'
import { Table } from '../table.tsx'
import { useRead } from '../use-read.ts'
import { Cell } from '../value.tsx'
import type { PanelProps } from './panel.ts'

const columns = [
  'attempt_no',
  'http_status',
  'error_code',
  'duration_ms',
  'started_at',
  'response_excerpt',
]

export function Delivery({ row }: PanelProps) {
  const attempts = row['attempts'] as readonly Row[]
  return (
    <div class="panel">
      {row['state'] === 'pending' && mayCall('getWebhookSubscription') && (
        <Waits id={plain(row['subscription_id'])} />
      )}
      {mayCall('getWebhookEvent') && <Sent id={plain(row['event_id'])} />}
      <section class="card">
        <h2>{words.responses}</h2>
        {attempts.length === 0 ? (
          <p class="soft">{words.none}</p>
        ) : (
          <Table
            title={words.responses}
            columns={columns}
            rows={attempts}
            cell={(one, name) => <Cell name={name} value={one[name]} row={one} />}
          />
        )}
      </section>
    </div>
  )
}

const waits = {
  en: 'Nothing is sent now: its endpoint is {state}.',
  de: 'Jetzt wird nichts gesendet: ihr Endpunkt ist {state}.',
}

/** Why a delivery is not sent at its time. */
function Waits({ id }: { readonly id: string }) {
  const { data } = useRead(`endpoint ${id}`, async signal => {
    return (await callOperation('getWebhookSubscription', { path: { id }, signal })) as Row
  })
  const state = plain(data?.['state'])
  if (!data || state === 'active') return null
  return (
    <p role="status" class="warning">
      {fill(titleOf(waits), { state })} {plain(data['paused_reason'])}{' '}
      <Link to={addressOf(['webhooks', 'subscriptions', id])}>{words.open}</Link>
    </p>
  )
}

/** What the platform knows of the event, and receivers do not get. */
const not_sent = new Set(['trace_id', 'written_by', 'transaction_id', 'deliveries'])

function Sent({ id }: { readonly id: string }) {
  const { data } = useRead(`event ${id}`, async signal => {
    const event = await callOperation('getWebhookEvent', { path: { event_id: id }, signal })
    return Object.fromEntries(Object.entries(event as Row).filter(([name]) => !not_sent.has(name)))
  })
  return (
    <section class="card">
      <h2>{words.request_body}</h2>
      {data && (
        <pre tabIndex={0} aria-label={words.request_body}>
          {JSON.stringify(data, null, 2)}
        </pre>
      )}
    </section>
  )
}
