/**
 * The mail row for an address without an account. It writes the same row and event as a real mail,
 * so that the request takes the same time. It contains no address and its token is invalid, so it
 * is never sent.
 */
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Template } from './request.ts'
import type { Purpose } from '../one-time.ts'

type Draft = {
  readonly template: Template
  readonly tenant_id: string
  readonly purpose: Purpose
  readonly key_id: string
}

export async function requestDecoyMail(tx: Tx, draft: Draft): Promise<void> {
  const { template, tenant_id, purpose, key_id } = draft
  const id = newId()
  await tx.run(sql`
    insert into identity.mails
      (tenant_id, id, account_id, template, address, locale, purpose, ref, key_id)
    values (${tenant_id}, ${id}, null, ${template}, '', null, ${purpose}, ${newId()}, ${key_id})`)
  tx.emit({
    type: 'identity_mail.requested',
    tenant_id,
    aggregate_type: 'identity_mail',
    aggregate_id: id,
    aggregate_version: 1,
    data: { mail_id: id, template, account_id: null },
  })
}
