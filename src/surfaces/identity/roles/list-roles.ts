/** The roles that can be given in a tenant: the built-in ones and its own, as one list by their ids. */
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { ListScope } from '../../../kernel/http/cursor.ts'
import type { Deps } from '../deps.ts'
import { builtInPermissions, builtInRoles } from './built-in.ts'
import { OwnRole, type Role } from './schemas.ts'

export async function listRoles(
  reader: Reader,
  deps: Pick<Deps, 'kernel' | 'permissions'>,
  list: ListScope,
) {
  const { cursors } = deps.kernel
  const { after, fetch } = cursors.start(list)
  const last = String(after?.[0] ?? '')
  const own = await reader.many(
    OwnRole,
    sql`
      select r.role_id, r.name, r.created_at,
        array(select p.permission from identity.role_permissions p
          where p.tenant_id = r.tenant_id and p.role_id = r.role_id
          order by p.permission) as permissions
      from identity.roles r
      where r.tenant_id = ${list.tenant_id} and r.role_id > ${last}
      order by r.role_id
      limit ${fetch}`,
  )
  const built_in = builtInRoles(deps.permissions)
  const ready = built_in.filter(role_id => role_id > last).map(role_id => shown(deps, role_id))
  // A role of the tenant's own that got a built-in name later is shown as what it now is.
  const others = own
    .filter(({ role_id }) => !built_in.includes(role_id))
    .map(role => ({ ...role, built_in: false }))
  const roles = [...ready, ...others].sort((a, b) => (a.role_id < b.role_id ? -1 : 1))
  return cursors.page(list, roles.slice(0, fetch), role => [role.role_id])
}

function shown(deps: Pick<Deps, 'permissions'>, role_id: string): Role {
  const words = role_id.replaceAll('_', ' ')
  return {
    role_id,
    name: words.charAt(0).toUpperCase() + words.slice(1),
    permissions: builtInPermissions(deps, role_id),
    built_in: true,
    created_at: null,
  }
}
