/**
 * Renders a mail when it is sent. The token is derived again at that time, only while it is still
 * valid.
 */
import { type Static, Type } from 'typebox'
import { Id, nullable, sql, type Reader } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { MailToSend } from '../face.ts'
import { codeOf } from '../login-codes/codes.ts'
import { derivedToken } from '../one-time.ts'
import { languageOf, type Words } from './words.ts'

const MailRow = Type.Object({
  template: Type.String(),
  address: Type.String(),
  locale: nullable(Type.String()),
  purpose: nullable(Type.String()),
  ref: nullable(Id),
  key_id: nullable(Type.String()),
  open: Type.Boolean(),
})

const pages: Readonly<Record<string, string>> = {
  email_verification: 'verify',
  email_change: 'verify',
  password_reset: 'reset',
  invite: 'invite',
  factor_reset_stop: 'keep-factors',
  login_code: 'code',
}

/** Pages to which a mail without a token leads. */
const plain_pages: Readonly<Record<string, string>> = {
  organization_invitation: 'organizations',
  application_connected: '',
}

export async function mailToSend(
  reader: Reader,
  { keys, settings, public_url }: Pick<Kernel, 'keys' | 'settings' | 'public_url'>,
  mail_id: string,
  shown?: 'masked',
): Promise<MailToSend | undefined> {
  const row = await reader.maybe(
    MailRow,
    sql`
      select m.template, m.address, m.locale, m.purpose, m.ref, m.key_id,
        (m.purpose is null or exists (select from identity.one_time_challenges c
          where c.purpose = m.purpose and c.ref = m.ref
            and c.consumed_at is null and c.expires_at > kernel.now()))
        and (m.invitation_id is null or exists (select from identity.invitations i
          join identity.tenants t on t.id = i.tenant_id and t.state = 'active'
          where i.tenant_id = m.tenant_id and i.id = m.invitation_id
            and i.state = 'pending' and i.expires_at > kernel.now())) as open
      from identity.mails m where m.id = ${mail_id}`,
  )
  if (!row?.open) return undefined
  const { template, address, purpose, ref, key_id } = row
  const base = settings['identity.link_base'] ?? `${public_url}/account`
  if (purpose === null || ref === null || key_id === null) {
    const page = plain_pages[template]
    const link = page === undefined ? null : `${base}/${page}`
    return { template, address, token: null, code: null, link, ...wordsOf(row) }
  }
  const derived = derivedToken(keys, key_id, purpose, ref)
  if (derived === null) return undefined
  const token = shown === 'masked' ? mask : derived
  const code = purpose === 'login_code' && shown !== 'masked' ? codeOf(keys, key_id, ref) : token
  // The link does not contain the id of the registration. The reader must know that id, or the
  // password.
  const query = new URLSearchParams({ token })
  const link = `${base}/${pages[purpose]}?${query}`
  return { template, address, token, code, link, ...wordsOf(row) }
}

const mask = '••••••'

function wordsOf({ template, locale: wanted }: Static<typeof MailRow>) {
  const { words, code_label, locale } = languageOf(wanted)
  const known: Readonly<Record<string, Words>> = words
  const found = known[template]
  if (!found) throw new Error(`there is no mail ${template}`)
  const { subject, says, action = '' } = found
  return { subject, paragraphs: says, action, code_label, locale }
}
