/**
 * Finds the names of the caller in access lists. Identity returns the names at each call, and the
 * request cannot set them. So a removed role gives no access any more.
 */
import type { Principal, Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

/** The caller of a request, with the current names of the caller in access lists. */
export type Caller = {
  readonly tenant_id: string
  readonly id: string
  readonly names: readonly string[]
}

export type Asker = Pick<Principal, 'id' | 'tenant_id' | 'kind' | 'session_id'>

export async function callerOf(
  reader: Reader,
  { people }: Pick<Deps, 'people'>,
  asker: Asker,
): Promise<Caller> {
  const { tenant_id, id, kind } = asker
  const roles = await people.rolesOf(reader, asker)
  // The account is not active, or its session has ended.
  if (roles === null) return { tenant_id, id, names: [] }
  const own = kind === 'account' ? `user:${id}` : `service:${id}`
  return { tenant_id, id, names: [own, 'tenant:*', ...roles.map(role => `role:${role}`)] }
}
