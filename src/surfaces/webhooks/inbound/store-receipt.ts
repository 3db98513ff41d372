/**
 * Stores a message once: its id at the provider decides. The receipt, its bytes and the event that
 * announces it are one commit; whatever comes again changes nothing.
 */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Kernel } from '../../../kernel/surface.ts'
import type { Envelope, Incoming } from './schemes/scheme.ts'
import type { SourceKey, Trusted } from './sources/find-source.ts'

export type StoreDeps = {
  readonly kernel: Pick<Kernel, 'db' | 'wake'>
  /** The providers whose messages somebody here works on. */
  readonly handled: ReadonlySet<string>
}

export type Genuine = {
  readonly source: Trusted
  readonly key: SourceKey
  readonly envelope: Envelope
  readonly message: Incoming
  readonly verdict: { readonly secret: number }
}

const Stored = Type.Object({ id: Id })

function receiptRef(id: string): string {
  return `/v1/inbound-receipts/${id}/payload`
}

export async function storeReceipt(
  { kernel: { db, wake }, handled }: StoreDeps,
  { source, key, envelope, message, verdict }: Genuine,
): Promise<void> {
  const { tenant_id, versions } = source
  const { provider, account_ref } = key
  const id = newId()
  // What nobody here works on is at its end with its receipt.
  const waits = handled.has(provider)
  await db.tx(async tx => {
    const stored = await tx.maybe(
      Stored,
      sql`
        with receipt as (
          insert into webhooks.inbound_receipts (tenant_id, id, provider, provider_account,
            provider_event_id, event_type, payload_ref, signature_key_version,
            processing_state, processed_at, next_attempt_at)
          values (${tenant_id}, ${id}, ${provider}, ${account_ref}, ${envelope.event_id},
            ${envelope.type}, ${receiptRef(id)}, ${versions[verdict.secret] ?? 0},
            ${waits ? 'received' : 'ignored'},
            case when ${waits}::boolean then null else kernel.now() end,
            case when ${waits}::boolean then kernel.now() end)
          on conflict (tenant_id, provider, provider_account, provider_event_id) do nothing
          returning id
        ), payload as (
          insert into webhooks.receipt_payloads (tenant_id, receipt_id, content_type, headers, bytes)
          select ${tenant_id}, id, ${message.headers['content-type'] ?? null}::text,
            ${sql.json(keptHeaders(message))}::jsonb, ${message.body}
          from receipt
        )
        select id from receipt`,
    )
    if (!stored) return
    if (waits) tx.afterCommit(wake)
    tx.emit({
      type: 'inbound_receipt.received',
      tenant_id,
      aggregate_type: 'inbound_receipt',
      aggregate_id: id,
      aggregate_version: 1,
      data: {
        receipt_id: id,
        provider,
        provider_account: account_ref,
        type: envelope.type,
      },
    })
  })
}

/** What tells about the message; not its signature, nor who carried it. */
const told =
  /^(?:content-type|user-agent|(?:webhook|svix)-(?:id|timestamp)|(?:x-github|x-slack|i-twilio|x-event)-.+)$/

function keptHeaders({ headers }: Incoming): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && told.test(name) && !name.endsWith('signature')) {
      kept[name] = value
    }
  }
  return kept
}
