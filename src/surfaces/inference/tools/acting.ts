/**
 * The caller for whom a call performs operations of the platform, kept with the input of the call. Its
 * rights are those of now, within the scope of its session, and it acts no more once the session or
 * the key has ended.
 */
import { allowsSome, withinScope, type Principal } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Caller } from '../operations/contents.ts'

export function callerOf(principal: Principal, ip: string): Caller {
  const { kind, session_id, aal, client_id, away, scope } = principal
  return {
    kind,
    session_id,
    aal,
    ip,
    ...(client_id === undefined ? {} : { client_id }),
    ...(away === undefined ? {} : { away }),
    ...(scope === undefined ? {} : { scope: [...scope] }),
  }
}

type Of = { readonly tenant_id: string; readonly actor_id: string }

/** No log-in of the caller is recent. */
export function principalOf({ tenant_id, actor_id }: Of, caller: Caller): Principal {
  const { scope, ip: _ip, ...rest } = caller
  const whole = { ...rest, id: actor_id, tenant_id, auth_time: 0 }
  return scope === undefined ? whole : { ...whole, scope: new Set(scope) }
}

/** Whether the session or the key of the caller is still valid. */
export async function stillStands(
  { people, kernel: { db } }: Pick<Deps, 'people' | 'kernel'>,
  principal: Principal,
): Promise<boolean> {
  const { session_id } = principal
  if (session_id === null) return await people.access.stands(principal)
  return (await people.endedSessions(db, [session_id])).length === 0
}

/** The grants of now, within the scope of the session. */
export async function holds(
  { people, kernel: { db, declared } }: Pick<Deps, 'people' | 'kernel'>,
  principal: Principal,
  permission: string,
): Promise<boolean> {
  const held = await people.access.grants(db, principal)
  const { scope } = principal
  return allowsSome(scope ? withinScope(declared.permissions, scope, held) : held, permission)
}
