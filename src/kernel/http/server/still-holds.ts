/** Whether a caller may go on: asked at the request, and again while a long reply is sent. */
import { lacks } from '../../access/permission-denied.ts'
import { allowsSome, type PermissionCatalog } from '../../access/permissions.ts'
import type { Access, Principal } from '../../access/principal.ts'
import { withinScope } from '../../access/scopes.ts'
import type { Reader } from '../../database/db.ts'
import { problem } from '../../errors/problem.ts'

type Asked = {
  readonly db: Reader
  readonly access: Access
  readonly permissions: PermissionCatalog
}

/** Reads the grants of now, and not those of the request. */
export async function stillHolds(
  deps: Asked,
  principal: Principal | null,
  permission: string | null,
  method: string,
): Promise<void> {
  if (!principal || !(await deps.access.stands(principal))) throw problem('invalid_token')
  if (permission === null || isForMembers(deps, permission, principal)) return
  const held = await grantsOf(deps, deps.db, principal, method)
  if (!allowsSome(held, permission)) throw lacks(permission)
}

/** Every account has it, without a role. In a narrow session, it depends on the scope. */
export function isForMembers(
  { permissions }: Pick<Asked, 'permissions'>,
  permission: string,
  principal: Principal | null,
): boolean {
  if (principal?.kind !== 'account' || principal.scope) return false
  return permissions.get(permission)?.roles.includes('member') === true
}

/** The grants of now, within the scope of the session. */
export async function grantsOf(
  { access, permissions }: Pick<Asked, 'access' | 'permissions'>,
  reader: Reader,
  principal: Principal,
  method: string,
): Promise<ReadonlySet<string>> {
  const held = await access.grants(reader, principal)
  return principal.scope ? withinScope(permissions, principal.scope, held, method) : held
}
