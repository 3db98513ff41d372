/**
 * A route below `/v1/users/{user_id}` may be called by that user, who is also `me`, or by a caller
 * with a separate permission. Returns the id of the user.
 */
import type { Principal, Reader } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { problem } from './errors.ts'

type Needed = {
  readonly absent?: 'user_not_found' | 'destination_not_found'
  /** Changes where the notifications of a platform operator go only for another operator. */
  readonly changes?: boolean
}

export async function requireUser(
  reader: Reader,
  { people }: Pick<Deps, 'people'>,
  caller: { readonly principal: Principal; readonly grants: ReadonlySet<string> },
  named: string,
  permission: string,
  { absent = 'user_not_found', changes = false }: Needed = {},
): Promise<string> {
  const { principal, grants } = caller
  const id = userIn(principal, named)
  if (principal.id === id) return id
  // A caller who may not act for others learns nothing about which users exist.
  if (!grants.has(permission)) throw problem(absent)
  if (!(await people.accountExists(reader, principal.tenant_id, id))) throw problem(absent)
  if (changes) await people.requireRank(reader, { account_id: id, principal, grants })
  return id
}

export function userIn({ id }: Pick<Principal, 'id'>, named: string): string {
  return named === 'me' ? id : named.toLowerCase()
}
