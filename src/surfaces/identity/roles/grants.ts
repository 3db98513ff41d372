/**
 * What an account holds: read from the rows in the same request, so a role that was taken away counts no
 * more. Where administration needs a second factor, without one only what members may do is held.
 */
import { Type } from 'typebox'
import type { PermissionCatalog } from '../../../kernel/access/permissions.ts'
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { nullable } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'

const Held = Type.Object({ role_id: Type.String(), permission: nullable(Type.String()) })

/** What an account holds in the tenant of its token: as a member, and by its roles there. */
export async function accountGrants(
  reader: Reader,
  { permissions, kernel }: Pick<Deps, 'permissions' | 'kernel'>,
  { id, tenant_id, session_id, aal }: Pick<Principal, 'id' | 'tenant_id' | 'session_id' | 'aal'>,
): Promise<ReadonlySet<string>> {
  const rows = await reader.many(
    Held,
    sql`
      select 'member' as role_id, null as permission
      from identity.accounts a
      where a.id = ${id} and a.status = 'active'
        and (${session_id}::uuid is null or exists (select from identity.sessions s
          where s.id = ${session_id}::uuid and s.revoked_at is null))
      union all
      select r.role_id, p.permission
      from identity.role_assignments r
      join identity.accounts a on a.id = r.account_id and a.status = 'active'
      left join identity.role_permissions p
        on p.tenant_id = r.tenant_id and p.role_id = r.role_id
      where r.tenant_id = ${tenant_id} and r.account_id = ${id}
        and (${session_id}::uuid is null or exists (select from identity.sessions s
          where s.id = ${session_id}::uuid and s.revoked_at is null))`,
  )
  const roles = new Set(rows.map(row => row.role_id))
  const weak = kernel.settings['identity.admin_requires_mfa'] && aal !== 'aal2'
  const mine = new Set(rolePermissions(permissions, roles))
  for (const { permission } of rows) if (permission !== null) mine.add(permission)
  if (!weak) return mine
  return new Set([...mine].filter(one => isForMembers(permissions, one)))
}

/** What built-in roles hold, by the catalog. */
export function rolePermissions(
  permissions: PermissionCatalog,
  roles: ReadonlySet<string>,
): string[] {
  return [...permissions].flatMap(([name, permission]) => {
    if (!permission.roles.some(role => roles.has(role))) return []
    return [permission.typed ? `${name}:*` : name]
  })
}

function isForMembers(permissions: PermissionCatalog, grant: string): boolean {
  return permissions.get(grant.split(':')[0] ?? '')?.roles.includes('member') === true
}
