/** Reads the mail addresses of accounts: only verified addresses of active accounts. */
import { Type } from 'typebox'
import { Id, nullable, sql, type Reader } from '#dodeca/kernel'
import type { MailRecipient } from '../face.ts'

const Row = Type.Object({
  tenant_id: Id,
  principal_id: Id,
  id: Id,
  address: nullable(Type.String()),
  locale: nullable(Type.String()),
})

export async function readRecipients(
  reader: Reader,
  wanted: readonly { readonly tenant_id: string; readonly principal_id: string }[],
): Promise<MailRecipient[]> {
  if (wanted.length === 0) return []
  return reader.many(
    Row,
    sql`
      select w.tenant_id, w.principal_id, a.id, a.locale,
        case when a.verified_at is not null then a.email end as address
      from unnest(${wanted.map(one => one.tenant_id)}::uuid[],
        ${wanted.map(one => one.principal_id)}::uuid[]) w (tenant_id, principal_id)
      left join identity.api_keys k on k.tenant_id = w.tenant_id and k.id = w.principal_id
      join identity.accounts a on a.id = coalesce(k.account_id, w.principal_id)
        and (a.tenant_id = w.tenant_id or k.account_id = a.id)
      where a.status = 'active'`,
  )
}
