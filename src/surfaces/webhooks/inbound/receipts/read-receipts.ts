/** Reads received messages, the newest first, and their bytes for as long as they are stored. */
import { type Static, Type } from 'typebox'
import { isUtf8 } from 'node:buffer'
import type { Reader } from '../../../../kernel/database/db.ts'
import { sql } from '../../../../kernel/database/sql.ts'
import { nullable } from '../../../../kernel/http/shapes.ts'
import { problem } from '../../errors.ts'
import { Bytes } from '../../schemas.ts'
import { Receipt, type ReceiptPayload, type ReceiptQuery } from '../schemas.ts'

type Own = { readonly tenant_id: string; readonly id: string }

const columns = sql`
  r.id, r.tenant_id, r.provider, r.provider_account, r.provider_event_id, r.event_type,
  r.payload_ref, r.signature_key_version, r.received_at, r.processing_state, r.processed_at,
  r.attempts, r.next_attempt_at, r.last_error_code`

export function listReceipts(
  reader: Pick<Reader, 'many'>,
  { tenant_id, after, fetch }: { tenant_id: string; after: string | null; fetch: number },
  query: Static<typeof ReceiptQuery>,
) {
  const { provider = null, provider_account = null, processing_state = null } = query
  return reader.many(
    Receipt,
    sql`
      select ${columns} from webhooks.inbound_receipts r
      where r.tenant_id = ${tenant_id} and (${after}::uuid is null or r.id < ${after}::uuid)
        and (${provider}::text is null or r.provider = ${provider}::text)
        and (${provider_account}::text is null or r.provider_account = ${provider_account}::text)
        and (${processing_state}::text is null or r.processing_state = ${processing_state}::text)
      order by r.id desc limit ${fetch}`,
  )
}

export async function findReceipt(reader: Pick<Reader, 'maybe'>, { tenant_id, id }: Own) {
  const row = await reader.maybe(
    Receipt,
    sql`
      select ${columns} from webhooks.inbound_receipts r
      where r.tenant_id = ${tenant_id} and r.id = ${id}`,
  )
  if (!row) throw problem('inbound_receipt_not_found')
  return row
}

const Payload = Type.Object({
  content_type: nullable(Type.String()),
  headers: nullable(Type.Record(Type.String(), Type.String())),
  bytes: nullable(Bytes),
})

export async function readPayload(
  reader: Pick<Reader, 'maybe'>,
  { tenant_id, id }: Own,
): Promise<Static<typeof ReceiptPayload>> {
  const row = await reader.maybe(
    Payload,
    sql`
      select p.content_type, p.headers, p.bytes
      from webhooks.inbound_receipts r
      left join webhooks.receipt_payloads p on p.tenant_id = r.tenant_id and p.receipt_id = r.id
      where r.tenant_id = ${tenant_id} and r.id = ${id}`,
  )
  if (!row) throw problem('inbound_receipt_not_found')
  const { content_type, headers, bytes } = row
  if (!bytes) throw problem('payload_purged')
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64'
  return { content_type, headers: headers ?? {}, encoding, body: bytes.toString(encoding) }
}
