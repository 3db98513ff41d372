/** Finds accounts for the command line, by id or address. */
import type { Deps } from '../deps.ts'
import { isId, sql } from '#dodeca/kernel'
import { parseEmail } from '../accounts/email.ts'
import { problem } from '../errors.ts'
import { AccountLine } from '../schemas.ts'
import { tenantBySlug } from '../tenants/find-tenant.ts'
import type { Who } from '../face.ts'

const columns = sql`a.id, t.slug as tenant, a.email, a.display_name, a.status, a.created_at,
  array(select r.role_id from identity.role_assignments r
    where r.tenant_id = a.tenant_id and r.account_id = a.id order by r.role_id) as role_ids`

export async function findAccount(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  { tenant: slug, account }: Who,
): Promise<AccountLine> {
  const { id: tenant_id } = await tenantBySlug(db, slug)
  const id = isId(account) ? account : null
  const found = await db.maybe(
    AccountLine,
    sql`
      select ${columns} from identity.accounts a
      join identity.tenants t on t.id = a.tenant_id
      where a.tenant_id = ${tenant_id} and a.status <> 'deleted'
        and (a.id = ${id}::uuid or a.email_normalized = ${parseEmail(account)?.normalized ?? ''})`,
  )
  if (!found) throw problem('account_not_found')
  return found
}

export function listLines(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  {
    tenant,
    status,
  }: { readonly tenant?: string | undefined; readonly status?: string | undefined },
  limit: number,
): Promise<AccountLine[]> {
  return db.many(
    AccountLine,
    sql`
      select ${columns} from identity.accounts a
      join identity.tenants t on t.id = a.tenant_id
      where a.status <> 'deleted'
        and (${tenant ?? null}::text is null or t.slug = ${tenant ?? null}::text)
        and (${status ?? null}::text is null or a.status = ${status ?? null}::text)
      order by a.id desc
      limit ${limit}`,
  )
}
