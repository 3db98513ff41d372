/** A mail at the moment of sending: the token is derived anew, and only while it is still of use. */
import { type Static, Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id, nullable } from '../../../kernel/http/shapes.ts'
import type { Kernel } from '../settings.ts'
import type { MailToSend, Notice } from '../face.ts'
import { derivedToken } from '../one-time.ts'

const MailRow = Type.Object({
  template: Type.String(),
  address: Type.String(),
  locale: nullable(Type.String()),
  purpose: nullable(Type.String()),
  ref: nullable(Id),
  key_id: nullable(Type.String()),
  category: nullable(Type.String()),
  subject: nullable(Type.String()),
  says: nullable(Type.Array(Type.String())),
  open: Type.Boolean(),
})

const pages: Readonly<Record<string, string>> = {
  email_verification: 'verify',
  email_change: 'verify',
  password_reset: 'reset',
  invite: 'invite',
}

export async function mailToSend(
  reader: Reader,
  { keys, settings, public_url }: Pick<Kernel, 'keys' | 'settings' | 'public_url'>,
  mail_id: string,
): Promise<MailToSend | undefined> {
  const row = await reader.maybe(
    MailRow,
    sql`
      select m.template, m.address, m.locale, m.purpose, m.ref, m.key_id, m.category, m.subject,
        m.says,
        m.purpose is null or exists (select from identity.one_time_challenges c
          where c.purpose = m.purpose and c.ref = m.ref
            and c.consumed_at is null and c.expires_at > kernel.now()) as open
      from identity.mails m where m.id = ${mail_id}`,
  )
  if (!row?.open) return undefined
  const { template, address, locale, purpose, ref, key_id } = row
  if (purpose === null || ref === null || key_id === null) {
    return { template, address, locale, token: null, link: null, notice: noticeOf(row) }
  }
  const token = derivedToken(keys, key_id, purpose, ref)
  if (token === null) return undefined
  const base = settings['identity.link_base'] ?? `${public_url}/console`
  // The link says nothing of the registration: whoever clicks must know it, or its password.
  const query = new URLSearchParams({ token })
  const link = `${base}/${pages[purpose]}?${query}`
  return { template, address, locale, token, link, notice: null }
}

function noticeOf({ category, subject, says }: Static<typeof MailRow>): Notice | null {
  return category === null || subject === null || says === null ? null : { category, subject, says }
}
