/**
 * Changes a tenant. Disabling a tenant ends every session that belongs to it or works in it, in the
 * same transaction. The row of the tenant is locked, so that a concurrent login is either ended
 * here or refused there. The tenant from which the platform is administered cannot be disabled.
 */
import { isDeepStrictEqual } from 'node:util'
import { Type, type Static } from 'typebox'
import { closed, expectVersion, sql, text, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { loseDomains } from '../domains/domain-row.ts'
import { problem } from '../errors.ts'
import { default_tenant_id } from '../schemas.ts'
import { revokeRoles } from '../roles/assign-role.ts'
import { isBeyond } from '../roles/built-in.ts'
import { keepOperatorOutside } from '../roles/keep-operator.ts'
import { revokeTenantSessions } from '../sessions/revoke-sessions.ts'
import { Signup, Tenant, tenantColumns, TenantState } from './find-tenant.ts'

export const ChangeTenant = closed({
  name: Type.Optional(text(100)),
  signup: Type.Optional(Signup),
  state: Type.Optional(TenantState),
  trusted: Type.Optional(Type.Boolean()),
})
export type ChangeTenant = Static<typeof ChangeTenant>

export async function changeTenant(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'denied' | 'permissions'>,
  id: string,
  change: ChangeTenant,
  { actor, if_match }: { actor: string; if_match?: string | string[] | undefined },
): Promise<Tenant> {
  const before = await tx.maybe(
    Tenant,
    sql`select ${tenantColumns} from identity.tenants where id = ${id} for update`,
  )
  if (!before) throw problem('tenant_not_found')
  expectVersion(if_match, before.version)
  const next = { ...before, ...change }
  if (id === default_tenant_id && next.state === 'disabled') {
    throw problem('invalid_transition', {
      detail: 'The platform is administered from this tenant.',
    })
  }
  const { name, signup, state, trusted } = next
  if (isDeepStrictEqual(next, before)) return before
  const tenant = await tx.one(
    Tenant,
    sql`
      update identity.tenants
      set name = ${name}, signup = ${signup}, state = ${state}, trusted = ${trusted},
        version = version + 1
      where id = ${id} returning ${tenantColumns}`,
  )
  if (before.trusted && !trusted) await revokeBeyond(tx, deps, id, actor)
  if (state === 'disabled' && before.state === 'active') {
    await keepOperatorOutside(tx, id)
    await loseDomains(tx, id)
    await revokeTenantSessions(tx, deps, id, 'admin', { actor })
  }
  tx.audit('identity.tenants.change', id, {
    by: { tenant_id: id, id: actor },
    reason: state === before.state ? null : state,
  })
  tx.emit({
    type: 'tenant.changed',
    tenant_id: id,
    aggregate_type: 'tenant',
    aggregate_id: id,
    aggregate_version: tenant.version,
    data: { tenant_id: id, state },
  })
  return tenant
}

const Roles = Type.Object({ role_ids: Type.Array(Type.String()) })

/** A tenant that is no longer trusted loses the roles that only an operator may give there. */
async function revokeBeyond(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'denied' | 'permissions'>,
  tenant_id: string,
  actor: string,
): Promise<void> {
  const { role_ids } = await tx.one(
    Roles,
    sql`
      select array(select distinct role_id from identity.role_assignments
        where tenant_id = ${tenant_id}) as role_ids`,
  )
  const beyond: string[] = []
  for (const role_id of role_ids) {
    if (await isBeyond(tx, deps, { tenant_id, role_id })) beyond.push(role_id)
  }
  if (beyond.length > 0) await revokeRoles(tx, deps, tenant_id, beyond, { actor })
}
