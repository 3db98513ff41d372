/**
 * Who may write a connection. It says who people are, administrators too: its editor could be any of
 * them, so the editor must be one who may give every role, with a recent authentication. Connections
 * of `default` may be trusted with any address, so they need an operator.
 */
import { lacks, type Principal, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { requireRole } from '../roles/assign-role.ts'
import { operator_permission, requireMayGive } from '../roles/built-in.ts'
import { requireStepUp } from '../step-up.ts'
import { isOperators, type Connection } from './connection.ts'

const assigns = 'identity.roles.assign'

export type Editor = {
  readonly principal: Principal
  readonly grants: () => Promise<ReadonlySet<string>>
}

export async function requireEditor(
  reader: Reader,
  { kernel }: Pick<Deps, 'kernel'>,
  { principal, grants }: Editor,
): Promise<void> {
  await requireStepUp(reader, kernel, principal)
  const held = await grants()
  const needed = isOperators(principal) ? operator_permission : assigns
  if (!held.has(needed)) throw lacks(needed)
}

/** A map gives only roles that its editor could give by hand, and none of the platform. */
export async function requireGivable(
  reader: Reader,
  deps: Pick<Deps, 'permissions'>,
  { principal, grants }: Editor,
  role_map: Connection['role_map'],
): Promise<void> {
  if (role_map.length === 0) return
  const held = await grants()
  if (!held.has(assigns)) throw lacks(assigns)
  const here = held.difference(new Set([operator_permission]))
  for (const role_id of new Set(role_map.map(one => one.role_id))) {
    const role = { tenant_id: principal.tenant_id, role_id }
    await requireMayGive(reader, deps, here, role)
    await requireRole(reader, deps, role)
  }
}
