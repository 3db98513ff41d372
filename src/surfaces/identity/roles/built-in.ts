/**
 * What roles may hold: grants by the catalog, the built-in roles made of it, and which of both act on the
 * whole platform. Those are given and taken by platform operators only, whichever tenant they count in.
 */
import type { PermissionCatalog } from '../../../kernel/access/permissions.ts'
import type { Deps } from '../deps.ts'
import { rolePermissions } from './grants.ts'
import { problem } from '../errors.ts'

const platform_roles: ReadonlySet<string> = new Set(['platform_operator', 'key_administrator'])
export const operator_permission = 'identity.tenants.manage'

/** Without `member`, which nobody is given. */
export function builtInRoles(permissions: PermissionCatalog): string[] {
  const roles = new Set([...permissions.values()].flatMap(one => one.roles))
  roles.delete('member')
  return [...roles].sort()
}

export function builtInPermissions({ permissions }: Pick<Deps, 'permissions'>, role_id: string) {
  return rolePermissions(permissions, new Set([role_id])).sort()
}

/** A grant that no role of a tenant holds by itself. */
export function isOfPlatform(permissions: PermissionCatalog, grant: string): boolean {
  const permission = permissions.get(baseOf(grant))
  return permission?.roles.every(role => platform_roles.has(role)) === true
}

export function isPlatformRole(role_id: string): boolean {
  return platform_roles.has(role_id)
}

/** A typed permission is granted for one type or for all, any other as it is. */
export function demandKnown(permissions: PermissionCatalog, grants: readonly string[]): void {
  const errors = grants.flatMap((grant, at) => {
    const permission = permissions.get(baseOf(grant))
    if (permission && grant.includes(':') === (permission.typed === true)) return []
    return [{ location: 'body', pointer: `/permissions/${at}`, constraint: 'permission' } as const]
  })
  if (errors.length > 0) throw problem('unknown_permission', { errors: errors.slice(0, 20) })
}

/** Whether these grants hold that one, by itself or for all types. */
export function covers(held: ReadonlySet<string>, grant: string): boolean {
  return held.has(grant) || (grant.includes(':') && held.has(`${baseOf(grant)}:*`))
}

export function baseOf(grant: string): string {
  return grant.split(':')[0] ?? ''
}
