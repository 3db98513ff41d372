/**
 * The catalog of permissions and the one rule that matches them. A permission is
 * `<surface>.<resource>.<action>`. A grant may be limited to one type (`:report`) or cover all
 * types (`:*`). Permissions that every member has need no look-up in the database, so ordinary
 * requests do not pay for one.
 */

export type Permission = {
  /** One sentence that an administrator understands. */
  readonly says: string
  /** The built-in roles that hold this permission. Every account has the role `member`. */
  readonly roles: readonly string[]
  /** The duty of the permission. No role can have permissions of two duties. */
  readonly duty?: 'support' | 'refunds' | 'keys'
  /** False: it spends no money of the platform, although its surface may. */
  readonly spends?: false
  /** Whether a grant of this permission may be limited to a type. */
  readonly typed?: true
}

export type PermissionCatalog = ReadonlyMap<string, Permission>

const form = /^[a-z]+\.[a-z0-9_]+\.[a-z0-9_]+$/

export function permissionCatalog(parts: readonly Record<string, Permission>[]): PermissionCatalog {
  const catalog = new Map<string, Permission>()
  for (const [name, permission] of parts.flatMap(part => Object.entries(part))) {
    if (!form.test(name)) throw new Error(`not a permission name: ${name}`)
    if (catalog.has(name)) throw new Error(`the permission ${name} is declared twice`)
    catalog.set(name, permission)
  }
  return catalog
}

/** True if the grants allow the operation at all, for any type. */
export function allowsSome(grants: ReadonlySet<string>, permission: string): boolean {
  if (grants.has(permission) || grants.has(`${permission}:*`)) return true
  for (const grant of grants) if (grant.startsWith(`${permission}:`)) return true
  return false
}

/** True if the grants allow the operation on this type. */
export function allowsType(grants: ReadonlySet<string>, permission: string, type: string): boolean {
  return grants.has(`${permission}:*`) || grants.has(`${permission}:${type}`)
}
