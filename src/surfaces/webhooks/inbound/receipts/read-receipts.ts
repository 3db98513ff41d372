/** Reads a received message, and its bytes for as long as they are stored. */
import { type Static, Type } from 'typebox'
import { isUtf8 } from 'node:buffer'
import { columnsOf, nullable, sql, type Reader } from '#dodeca/kernel'
import { problem } from '../../errors.ts'
import { Bytes } from '../../schemas.ts'
import { Receipt, type ReceiptPayload } from '../schemas.ts'

type Own = { readonly tenant_id: string; readonly id: string }

export async function findReceipt(reader: Pick<Reader, 'maybe'>, { tenant_id, id }: Own) {
  const row = await reader.maybe(
    Receipt,
    sql`
      select ${columnsOf(Receipt, 'r')} from webhooks.inbound_receipts r
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
