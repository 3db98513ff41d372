/** The operations that a caller can have now, by the grants of now and by the scope of the session. */
import type { Principal, Reader } from '#dodeca/kernel'
import { allowsSome, isNarrow } from '#dodeca/kernel'
import { missingScope } from '../../kernel/access/scopes.ts'
import type { Operation, Operations } from '../../kernel/http/tools/operations.ts'
import { grantsOf, isForMembers } from '../../kernel/http/server/still-holds.ts'
import type { PlatformParts } from '../platform-parts.ts'

type Asked = {
  readonly principal: Principal
  readonly surfaces: ReadonlySet<string> | null
}

/**
 * An application that a person let in may ask the person for more scope, once it is refused. So it
 * sees what the account may do. Any other narrow session sees what is within its scope.
 */
export async function reachOf(
  { access, gathered: { permissions } }: Pick<PlatformParts, 'access' | 'gathered'>,
  reader: Reader,
  operations: Operations,
  asked: Asked,
): Promise<readonly Operation[]> {
  const { client_id, scope: _scope, ...rest } = asked.principal
  const caller: Principal = client_id === undefined ? asked.principal : rest
  const asking = { access, permissions }
  const writes = await grantsOf(asking, reader, caller, 'POST')
  const reads = caller.scope ? await grantsOf(asking, reader, caller, 'GET') : writes
  return [...operations.values()].filter(one => {
    const { route, permission, surface } = one.compiled
    const reached = { method: route.method, permission, surface, narrow: route.narrow }
    if (!isAsked(one, asked)) return false
    if (isNarrow(caller) && missingScope(permissions, reached, caller) !== null) return false
    if (permission === null || isForMembers({ permissions }, permission, caller)) return true
    return allowsSome(route.method === 'GET' ? reads : writes, permission)
  })
}

export function isAsked({ surface }: Operation, { surfaces }: Pick<Asked, 'surfaces'>): boolean {
  return surfaces === null || (surface !== null && surfaces.has(surface))
}
