/**
 * The built-in roles, and the grants that roles may have. Both are made from the catalog of
 * permissions. Some built-in roles apply to the whole platform: only platform operators assign and
 * remove those, in any tenant.
 */
import { Type } from 'typebox'
import { lacks, sql, type PermissionCatalog, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { rolePermissions } from './account-grants.ts'
import { problem } from '../errors.ts'

const platform_roles: ReadonlySet<string> = new Set(['platform_operator', 'key_administrator'])
export const operator_permission = 'identity.tenants.manage'

/** All roles except `member`, which cannot be assigned. */
export function builtInRoles(permissions: PermissionCatalog): string[] {
  const roles = new Set([...permissions.values()].flatMap(one => one.roles))
  roles.delete('member')
  return [...roles].sort()
}

/** The built-in roles that hold this permission. */
export function rolesWith(permissions: PermissionCatalog, permission: string): readonly string[] {
  return permissions.get(permission)?.roles ?? []
}

export function builtInPermissions({ permissions }: Pick<Deps, 'permissions'>, role_id: string) {
  return [...rolePermissions(permissions, new Set([role_id]))]
}

/** A grant that a role of a tenant cannot have. */
export function isOfPlatform(permissions: PermissionCatalog, grant: string): boolean {
  const permission = permissions.get(baseOf(grant))
  return permission?.roles.every(role => platform_roles.has(role)) === true
}

function isPlatformRole(role_id: string): boolean {
  return platform_roles.has(role_id)
}

/** A typed permission is granted for one type or for all types. Other permissions have no type. */
export function requireKnown(permissions: PermissionCatalog, grants: readonly string[]): void {
  const errors = grants.flatMap((grant, at) => {
    const permission = permissions.get(baseOf(grant))
    if (permission && grant.includes(':') === (permission.typed === true)) return []
    return [{ location: 'body', pointer: `/permissions/${at}`, constraint: 'permission' } as const]
  })
  if (errors.length > 0) throw problem('unknown_permission', { errors: errors.slice(0, 20) })
}

/** Whether these grants contain the given grant, for its type or for all types. */
export function covers(held: ReadonlySet<string>, grant: string): boolean {
  return held.has(grant) || (grant.includes(':') && held.has(`${baseOf(grant)}:*`))
}

export function baseOf(grant: string): string {
  return grant.split(':')[0] ?? ''
}

const Held = Type.Object({ permissions: Type.Array(Type.String()), trusted: Type.Boolean() })

/**
 * Decides who may assign or remove a role. The administrators of a tenant may do so in their
 * tenant, except for roles of the whole platform, and for roles that spend the money of the platform
 * in an organization that no operator trusts. Those, and roles in other tenants, need a platform
 * operator.
 */
export async function requireMayGive(
  reader: Reader,
  deps: Pick<Deps, 'permissions'>,
  grants: ReadonlySet<string>,
  role: { readonly tenant_id: string; readonly role_id: string },
): Promise<void> {
  if (!(await mayGive(reader, deps, grants, role))) throw lacks(operator_permission)
}

/** The same as an answer, for holders of `identity.roles.assign`. */
export async function mayGive(
  reader: Reader,
  { permissions }: Pick<Deps, 'permissions'>,
  grants: ReadonlySet<string>,
  { tenant_id, role_id }: { readonly tenant_id: string; readonly role_id: string },
): Promise<boolean> {
  if (grants.has(operator_permission)) return true
  if (isPlatformRole(role_id)) return false
  const role = await reader.one(
    Held,
    sql`
      select array(select permission from identity.role_permissions
          where tenant_id = ${tenant_id} and role_id = ${role_id}) as permissions,
        coalesce((select trusted from identity.tenants where id = ${tenant_id}), false) as trusted`,
  )
  const all = [...role.permissions, ...builtInPermissions({ permissions }, role_id)]
  return all.every(one => isForTenant(permissions, one, role))
}

/** Whether a role or key of the tenant may have the grant without a platform operator. */
export function isForTenant(
  permissions: PermissionCatalog,
  grant: string,
  { trusted }: { readonly trusted: boolean },
): boolean {
  return !isOfPlatform(permissions, grant) && (trusted || !spends(permissions, grant))
}

/** Roles in a tenant that only an operator may give there, and none of the platform. */
export async function isBeyond(
  reader: Reader,
  deps: Pick<Deps, 'permissions'>,
  role: { readonly tenant_id: string; readonly role_id: string },
): Promise<boolean> {
  return !isPlatformRole(role.role_id) && !(await mayGive(reader, deps, new Set(), role))
}

/** These surfaces work with one account of the whole platform at a provider. */
const spending = new Set(['payments', 'commerce', 'inference'])

function spends(permissions: PermissionCatalog, grant: string): boolean {
  const name = baseOf(grant)
  const permission = permissions.get(name)
  const is_free = permission?.spends === false || permission?.roles.includes('member') === true
  return spending.has(name.split('.')[0] ?? '') && !is_free
}
