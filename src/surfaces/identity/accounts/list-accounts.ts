/** Lists the accounts of a tenant for its administrators. Erased accounts are left out. */
import { Type, type Static } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { page, type List } from '../../../kernel/http/page.ts'
import { page as pageOf, pageQuery } from '../../../kernel/http/shapes.ts'
import { Account, Email } from '../schemas.ts'
import { parseEmail } from './email.ts'

export const AccountQuery = pageQuery({
  status: Type.Optional(
    Type.Union([Type.Literal('invited'), Type.Literal('active'), Type.Literal('disabled')]),
  ),
  email: Type.Optional(Email),
})
export const AccountPage = pageOf(Account)

export function listAccounts(
  reader: Reader,
  list: List,
  { status, email }: Pick<Static<typeof AccountQuery>, 'status' | 'email'>,
) {
  // An invalid address matches no account.
  const normalized = email === undefined ? null : (parseEmail(email)?.normalized ?? '')
  return page(reader, {
    scope: list,
    row: Account,
    place: ['id'],
    fetch: (after, n) => sql`
      select id, tenant_id, email, email_normalized, status, verified_at, display_name, locale,
        created_at
      from identity.accounts
      where tenant_id = ${list.tenant_id} and status <> 'deleted'
        and (${status ?? null}::text is null or status = ${status ?? null}::text)
        and (${normalized}::text is null or email_normalized = ${normalized}::text)
        and (${after.id}::uuid is null or id < ${after.id}::uuid)
      order by id desc
      limit ${n}`,
  })
}
