/**
 * Lists the roles that can be assigned in a tenant: the built-in roles and the tenant's own roles,
 * in one list ordered by id.
 */
import { page, sql, type List, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { builtInPermissions, builtInRoles } from './built-in.ts'
import { OwnRole, Role } from './schemas.ts'

export function listRoles(reader: Reader, deps: Pick<Deps, 'permissions'>, list: List) {
  return page(reader, {
    scope: list,
    row: Role,
    place: ['role_id'],
    fetch: async ({ role_id: last }, n) => {
      const own = await ownRoles(reader, list.tenant_id, last ?? '', n)
      const built_in = builtInRoles(deps.permissions)
      const ready = built_in.filter(one => one > (last ?? '')).map(one => shown(deps, one))
      // If a built-in role later got the name of a tenant's role, the tenant's role is shown as the
      // built-in one.
      const others = own
        .filter(({ role_id }) => !built_in.includes(role_id))
        .map(role => ({ ...role, built_in: false }))
      const roles = [...ready, ...others].sort((a, b) => (a.role_id < b.role_id ? -1 : 1))
      return roles.slice(0, n)
    },
  })
}

function ownRoles(reader: Reader, tenant_id: string | null, last: string, n: number) {
  return reader.many(
    OwnRole,
    sql`
      select r.role_id, r.name, r.created_at,
        array(select p.permission from identity.role_permissions p
          where p.tenant_id = r.tenant_id and p.role_id = r.role_id
          order by p.permission) as permissions
      from identity.roles r
      where r.tenant_id = ${tenant_id} and r.role_id > ${last}
      order by r.role_id
      limit ${n}`,
  )
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
