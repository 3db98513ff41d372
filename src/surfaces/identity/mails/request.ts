/**
 * Requests a mail in the caller's transaction: it writes a row with the destination, and an
 * internal event that names the row. Neither contains a token; the token is derived again when the
 * mail is sent.
 */
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Purpose } from '../one-time.ts'

export type Template =
  | 'verify_address'
  | 'address_known'
  | 'login_code'
  | 'reset_password'
  | 'invite'
  | 'confirm_new_address'
  | 'address_changed'
  | 'password_changed'
  | 'sessions_ended'
  | 'factor_added'
  | 'factor_removed'
  | 'factor_reset_requested'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes_renewed'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'api_key_created'
  | 'application_connected'
  | 'organization_invitation'

export type MailDraft = {
  readonly template: Template
  readonly tenant_id: string
  readonly account_id: string | null
  /** A stored address, never the submitted text. */
  readonly address: string
  readonly locale: string | null
  /** The values from which the one-time token of the mail is derived. */
  readonly token?: { readonly purpose: Purpose; readonly ref: string; readonly key_id: string }
  /** The mail is sent only while this invitation is pending. */
  readonly invitation_id?: string
}

export function requestMail(tx: Tx, draft: MailDraft): Promise<void> {
  return requestMails(tx, [draft])
}

/** Writes many with one statement. */
export async function requestMails(tx: Tx, drafts: readonly MailDraft[]): Promise<void> {
  const mails = drafts.map(draft => ({ ...draft, id: newId() }))
  await tx.run(sql`
    insert into identity.mails
      (tenant_id, id, account_id, template, address, locale, purpose, ref, key_id,
        invitation_id)
    select m.tenant_id, m.id, m.account_id, m.template, m.address, m.locale, m.purpose, m.ref,
      m.key_id, m.invitation_id
    from unnest(
      ${mails.map(one => one.tenant_id)}::uuid[], ${mails.map(one => one.id)}::uuid[],
      ${mails.map(one => one.account_id)}::uuid[], ${mails.map(one => one.template)}::text[],
      ${mails.map(one => one.address)}::text[], ${mails.map(one => one.locale)}::text[],
      ${mails.map(one => one.token?.purpose ?? null)}::text[],
      ${mails.map(one => one.token?.ref ?? null)}::uuid[],
      ${mails.map(one => one.token?.key_id ?? null)}::text[],
      ${mails.map(one => one.invitation_id ?? null)}::uuid[]
    ) m (tenant_id, id, account_id, template, address, locale, purpose, ref, key_id,
      invitation_id)`)
  for (const { id, template, tenant_id, account_id } of mails) {
    tx.emit({
      type: 'identity_mail.requested',
      tenant_id,
      aggregate_type: 'identity_mail',
      aggregate_id: id,
      aggregate_version: 1,
      data: { mail_id: id, template, account_id },
    })
  }
}
