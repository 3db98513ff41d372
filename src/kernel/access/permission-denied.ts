/** The refusal of an operation: which permission it requires, and how the caller gets it. */
import { problem, type Problem } from '../errors/problem.ts'
import type { Permission } from './permissions.ts'
import type { Principal } from './principal.ts'

type Needed = {
  readonly name: string
  readonly permission: Permission | undefined
  /** The type to which the permission would have to be granted. */
  readonly type?: string | undefined
}

export function denied(kind: Principal['kind'] | undefined, needed: Needed): Problem {
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
