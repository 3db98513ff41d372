/**
 * Reads the accounts that belong to a tenant now: its own active accounts, and active guests with a
 * role in it.
 */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'

const Row = Type.Object({ id: Type.String() })

export async function readMembers(
  reader: Reader,
  tenant_id: string,
  account_ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (account_ids.length === 0) return new Set()
  const rows = await reader.many(
    Row,
    sql`
      select c.id from identity.accounts c
      join identity.tenants home on home.id = c.tenant_id and home.state = 'active'
      join identity.tenants t on t.id = ${tenant_id} and t.state = 'active'
      where c.id = any(${[...account_ids]}::uuid[]) and c.status = 'active'
        and (c.tenant_id = ${tenant_id} or exists (
          select from identity.role_assignments r
          where r.tenant_id = ${tenant_id} and r.account_id = c.id))`,
  )
  return new Set(rows.map(row => row.id))
}
