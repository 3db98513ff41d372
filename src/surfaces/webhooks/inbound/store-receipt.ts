/**
 * Stores each message once, by the provider's id of the message. A receipt, its bytes and its event
 * are written in one transaction. Messages that arrive together share that transaction. A repeated
 * message changes nothing.
 */
import { Type } from 'typebox'
import { gather, Id, newId, sql, workContext } from '#dodeca/kernel'
import { inbound_topic } from './processing/process-receipts.ts'
import type { Kernel } from '../settings.ts'
import type { Handlers } from './handlers.ts'
import type { Envelope, Incoming } from './schemes/scheme.ts'
import { schemes } from './schemes/schemes.ts'
import type { SourceKey, Trusted } from './sources/find-source.ts'

export type StoreDeps = {
  readonly kernel: Pick<Kernel, 'db' | 'settings'>
  /** The providers whose messages have a handler. */
  readonly handlers: Pick<Handlers, 'of'>
}

export type Genuine = {
  readonly source: Trusted
  readonly key: SourceKey
  readonly envelope: Envelope
  readonly message: Incoming
  readonly verdict: { readonly secret: number }
}

/** Returns the id of the receipt, also of a repeated message if its reply names the receipt. */
export type Store = (genuine: Genuine) => Promise<string | null>

type Given = Genuine & { readonly id: string; readonly context: ReturnType<typeof contextNow> }

/** Two transactions may run, so that a large message or a lock does not delay all others. */
const flights_max = 2
const rows_max = 100
const bytes_max = 1024 * 1024

const Stored = Type.Object({ id: Id })
const Repeated = Type.Object({ given: Id, id: Id })

const contextNow = () => workContext.getStore()
/** A shared transaction belongs to no single request. */
const no_context = { request_id: null, traceparent: null, name: null }

export function openStore(deps: StoreDeps): Store {
  const patience_ms = deps.kernel.settings['webhooks.inbound_ack_ms']
  const limits = { flights_max, items_max: rows_max, patience_ms, fit }
  const store = gather<Given, string | null>(limits, async all => {
    const [first] = all
    const context = (all.length === 1 ? first?.context : undefined) ?? no_context
    const receipts = await workContext.run(context, () => storeAll(deps, all))
    return all.map(({ id }) => receipts.get(id) ?? null)
  })
  return genuine => store({ ...genuine, id: newId(), context: contextNow() })
}

function fit(waiting: readonly { readonly item: Given }[]): number {
  let bytes = 0
  const over = waiting.findIndex(({ item }) => (bytes += item.message.body.length) > bytes_max)
  return Math.max(1, over < 0 ? waiting.length : over)
}

async function storeAll({ kernel, handlers }: StoreDeps, all: readonly Given[]) {
  const waits = (one: Given) => handlers.of(one.key.provider) !== undefined
  return await kernel.db.tx(async tx => {
    const rows = await tx.many(Stored, insert(all, waits))
    const receipts = new Map(rows.map(({ id }) => [id, id]))
    const stored = all.filter(one => receipts.has(one.id))
    if (stored.some(waits)) tx.wake(inbound_topic)
    for (const one of stored) {
      const { id, source, key, envelope } = one
      tx.emit({
        type: waits(one) ? 'inbound_receipt.received' : 'inbound_receipt.ignored',
        tenant_id: source.tenant_id,
        aggregate_type: 'inbound_receipt',
        aggregate_id: id,
        aggregate_version: 1,
        data: {
          receipt_id: id,
          provider: key.provider,
          provider_account: key.account_ref,
          type: envelope.type,
        },
      })
    }
    const repeated = all.filter(one => !receipts.has(one.id) && namesReceipt(one))
    if (repeated.length > 0) {
      const first = await tx.many(Repeated, find(repeated))
      for (const { given, id } of first) receipts.set(given, id)
    }
    return receipts
  })
}

const namesReceipt = ({ source }: Given) => schemes[source.scheme].received.status === 202

/** The receipts of repeated messages. */
function find(repeated: readonly Given[]) {
  return sql`
    select g.id as given, r.id
    from unnest(
      ${repeated.map(one => one.id)}::uuid[],
      ${repeated.map(one => one.source.tenant_id)}::uuid[],
      ${repeated.map(one => one.key.provider)}::text[],
      ${repeated.map(one => one.key.account_ref)}::text[],
      ${repeated.map(one => one.envelope.event_id)}::text[]
    ) as g (id, tenant_id, provider, account, event_id)
    join webhooks.inbound_receipts r on r.tenant_id = g.tenant_id and r.provider = g.provider
      and r.provider_account = g.account and r.provider_event_id = g.event_id`
}

/**
 * The rows are in a fixed order, so that two transactions cannot deadlock. The bytes of all rows
 * are sent as one value, and each row takes its part, because the driver would encode an array of
 * bytes as text. If a message has no handler, its receipt is finished as soon as it is stored.
 */
function insert(all: readonly Given[], waits: (one: Given) => boolean) {
  const bodies = all.map(one => one.message.body)
  let end = 1
  const starts = bodies.map(body => (end += body.length) - body.length)
  return sql`
    -- any tenant: each message is its own source's
    with given as materialized (
      select g.*, (select kernel.now()) as now
      from unnest(
        ${all.map(one => one.source.tenant_id)}::uuid[],
        ${all.map(one => one.id)}::uuid[],
        ${all.map(one => one.key.provider)}::text[],
        ${all.map(one => one.key.account_ref)}::text[],
        ${all.map(one => one.envelope.event_id)}::text[],
        ${all.map(one => one.envelope.type)}::text[],
        ${all.map(one => one.source.versions[one.verdict.secret] ?? 0)}::int[],
        ${all.map(waits)}::boolean[],
        ${all.map(one => contentTypeOf(one.message))}::text[],
        ${all.map(one => sql.json(keptHeaders(one.message)))}::text[],
        ${starts}::int[],
        ${bodies.map(body => body.length)}::int[]
      ) as g (tenant_id, id, provider, account, event_id, event_type, version, waits,
        content_type, headers, start, length)
    ), receipt as (
      insert into webhooks.inbound_receipts (tenant_id, id, provider, provider_account,
        provider_event_id, event_type, payload_ref, signature_key_version, received_at,
        processing_state, processed_at, next_attempt_at)
      select tenant_id, id, provider, account, event_id, event_type,
        '/v1/inbound-receipts/' || id || '/payload', version, now,
        case when waits then 'received' else 'ignored' end,
        case when waits then null else now end, case when waits then now end
      from given
      order by tenant_id, provider, account, event_id, id
      on conflict (tenant_id, provider, provider_account, provider_event_id) do nothing
      returning id
    ), payload as (
      insert into webhooks.receipt_payloads (tenant_id, receipt_id, content_type, headers, bytes,
        created_at)
      select g.tenant_id, g.id, g.content_type, g.headers::jsonb,
        substr(${joined(bodies)}::bytea, g.start, g.length), g.now
      from receipt r join given g on g.id = r.id
    )
    select id from receipt`
}

function joined(bodies: readonly Buffer[]): Buffer {
  const [first] = bodies
  return first && bodies.length === 1 ? first : Buffer.concat(bodies)
}

function contentTypeOf({ headers }: Incoming): string | null {
  const type = headers['content-type']
  return typeof type === 'string' ? type : null
}

/** Keeps headers that describe the message. Its signature and headers from proxies are left out. */
const kept_names =
  /^(?:content-type|user-agent|(?:webhook|svix)-(?:id|timestamp)|(?:x-github|x-slack|i-twilio|x-event)-.+)$/

function keptHeaders({ headers }: Incoming): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && kept_names.test(name) && !name.endsWith('signature')) {
      kept[name] = value
    }
  }
  return kept
}
