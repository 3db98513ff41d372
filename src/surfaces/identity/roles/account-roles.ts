/**
 * The roles of a caller in the tenant of its token, for access lists of other surfaces. Null if the
 * account or key is not active or the session has ended. An API key has no roles.
 */
import { Type } from 'typebox'
import { sql, type Principal, type Reader } from '#dodeca/kernel'

const Row = Type.Object({ roles: Type.Array(Type.String()) })

export async function accountRoles(
  reader: Reader,
  { id, tenant_id, kind, session_id }: Pick<Principal, 'id' | 'tenant_id' | 'kind' | 'session_id'>,
): Promise<readonly string[] | null> {
  const is_key = kind === 'service'
  const row = await reader.maybe(
    Row,
    sql`
      select case when ${is_key} then '{}' else array(select r.role_id
        from identity.role_assignments r
        where r.tenant_id = ${tenant_id} and r.account_id = a.id
        union select 'member') end as roles
      from identity.tenants t
      left join identity.api_keys k on ${is_key} and k.tenant_id = t.id and k.id = ${id}
        and k.state = 'active' and (k.expires_at is null or k.expires_at > kernel.now())
      left join identity.accounts a on a.status = 'active'
        and a.id = case when ${is_key} then k.account_id else ${id}::uuid end
      left join identity.tenants home on home.id = a.tenant_id
      where t.id = ${tenant_id} and t.state = 'active'
        and (k.id is not null and k.account_id is null
          or home.state = 'active' and (a.tenant_id = t.id or exists (
            select from identity.role_assignments r
            where r.tenant_id = t.id and r.account_id = a.id)))
        and (${session_id}::uuid is null or exists (select from identity.sessions s
          where s.id = ${session_id}::uuid and s.revoked_at is null and s.expires_at > kernel.now()))`,
  )
  return row?.roles ?? null
}
