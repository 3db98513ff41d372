/** Whether a caller may go on: asked at the request, and again while a long reply is sent. */
import { lacks } from '../../access/permission-denied.ts'
import { allowsSome, type PermissionCatalog } from '../../access/permissions.ts'
import type { Access, Principal } from '../../access/principal.ts'
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
): Promise<void> {
  if (!principal || !(await deps.access.stands(principal))) throw problem('invalid_token')
  if (permission === null || isForMembers(deps, permission, principal.kind)) return
  const held = await deps.access.grants(deps.db, principal)
  if (!allowsSome(held, permission)) throw lacks(permission)
}

/** Every account has it, without a role. */
export function isForMembers(
  { permissions }: Pick<Asked, 'permissions'>,
  permission: string,
  kind: string | undefined,
): boolean {
  return kind === 'account' && permissions.get(permission)?.roles.includes('member') === true
}
