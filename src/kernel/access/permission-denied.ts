/**
 * The refusal of an operation. It contains the required permission and the way to get it. A handler
 * throws `lacks`, and the pipeline completes the refusal. Only the pipeline knows whether the
 * caller's role has the permission and only the second factor is missing.
 */
import type { Reader } from '../database/db.ts'
import { Problem, problem } from '../errors/problem.ts'
import type { Permission, PermissionCatalog } from './permissions.ts'
import type { Access, Principal } from './principal.ts'
import { covers, insufficientScope } from './scopes.ts'

/** The caller lacks this permission, `surface.resource.action` or `surface.resource.action:type`. */
export function lacks(permission: string, detail?: string): Problem {
  return problem('permission_denied', {
    ...(detail === undefined ? {} : { detail }),
    more: { permission },
  })
}

type Asked = {
  readonly db: Reader
  readonly access: Access
  readonly permissions: PermissionCatalog
}

/** The whole refusal. Null if the error is a different one. */
export function completeDenial(
  asked: Asked,
  principal: Principal | null | undefined,
  error: unknown,
  method: string,
): Problem | Promise<Problem> | null {
  if (!principal || !(error instanceof Problem) || error.code !== 'permission_denied') return null
  const { permission } = error.details.more ?? {}
  if (typeof permission !== 'string') return null
  const { scope } = principal
  if (scope && !covers(asked.permissions, scope, permission, method))
    return insufficientScope(permission, scope)
  return complete(asked, principal, error, permission)
}

async function complete(
  { db, access, permissions }: Asked,
  principal: Principal,
  error: Problem,
  lacked: string,
): Promise<Problem> {
  const why = await access.whyDenied?.(db, principal, lacked)
  if (why) return why
  if (error.details.detail) return error
  const [name = '', type] = lacked.split(':')
  return denied(principal.kind, { name, type, permission: permissions.get(name) })
}

type Needed = {
  readonly name: string
  readonly permission: Permission | undefined
  /** The type for which the permission would have to be granted. */
  readonly type?: string | undefined
}

function denied(kind: Principal['kind'] | undefined, needed: Needed): Problem {
  const { name, type, permission } = needed
  const what = `This requires the permission \`${name}\`${type ? ` for the type \`${type}\`` : ''}.`
  const roles = (permission?.roles ?? []).map(role => `\`${role}\``).join(', ')
  const held = roles ? ` The built-in roles with it: ${roles}.` : ''
  const next =
    kind === 'service'
      ? 'Use an API key that was created with it, by an account that holds it.'
      : 'Ask an administrator of the tenant for a role that holds it.'
  return problem('permission_denied', {
    detail: `${what}${held} ${next}`,
    more: { permission: type ? `${name}:${type}` : name },
  })
}
