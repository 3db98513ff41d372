/** The accounts of a tenant as its administrators see them; who was erased is not among them. */
import { Type, type Static } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { ListScope } from '../../../kernel/http/cursor.ts'
import { page, pageQuery } from '../../../kernel/http/shapes.ts'
import type { Kernel } from '../settings.ts'
import { Account, Email } from '../schemas.ts'
import { parseEmail } from './email.ts'

export const AccountQuery = pageQuery({
  status: Type.Optional(
    Type.Union([Type.Literal('invited'), Type.Literal('active'), Type.Literal('disabled')]),
  ),
  email: Type.Optional(Email),
})
export const AccountPage = page(Account)

export async function listAccounts(
  reader: Reader,
  { cursors }: Pick<Kernel, 'cursors'>,
  list: ListScope,
  {
    status = null as string | null,
    email,
  }: Pick<Static<typeof AccountQuery>, 'email'> & {
    status?: string | null
  },
) {
  const { after, fetch } = cursors.start(list)
  // An address that cannot be one is nobody's.
  const normalized = email === undefined ? null : (parseEmail(email)?.normalized ?? '')
  const rows = await reader.many(
    Account,
    sql`
      select id, tenant_id, email, email_normalized, status, verified_at, display_name, locale,
        created_at
      from identity.accounts
      where tenant_id = ${list.tenant_id} and status <> 'deleted'
        and (${status}::text is null or status = ${status}::text)
        and (${normalized}::text is null or email_normalized = ${normalized}::text)
        and (${after?.[0] ?? null}::uuid is null or id < ${after?.[0] ?? null}::uuid)
      order by id desc
      limit ${fetch}`,
  )
  return cursors.page(list, rows, row => [row.id])
}
