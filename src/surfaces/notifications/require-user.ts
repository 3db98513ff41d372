/**
 * A route below `/v1/users/{user_id}` may be called by that user, or by a caller with a separate
 * permission.
 */
import type { Principal } from '../../kernel/access/principal.ts'
import type { Reader } from '../../kernel/database/db.ts'
import type { Deps } from './deps.ts'
import { problem } from './errors.ts'

export async function requireUser(
  reader: Reader,
  { people }: Pick<Deps, 'people'>,
  caller: { readonly principal: Principal; readonly grants: ReadonlySet<string> },
  user_id: string,
  permission: string,
  absent: 'user_not_found' | 'destination_not_found' = 'user_not_found',
): Promise<void> {
  const { principal, grants } = caller
  if (principal.id === user_id.toLowerCase()) return
  // A caller who may not act for others learns nothing about which users exist.
  if (!grants.has(permission)) throw problem(absent)
  if (!(await people.accountExists(reader, principal.tenant_id, user_id))) throw problem(absent)
}
