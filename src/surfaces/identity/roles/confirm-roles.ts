/**
 * Checks the roles of an invited account again when it becomes active. The role counts only if the
 * account or API key that assigned it still may assign it. Roles that the command line or the
 * platform assigned stay.
 */
import { Type } from 'typebox'
import { isId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { revokeRole } from './assign-role.ts'
import { mayGive, operator_permission } from './built-in.ts'
import { holderGrants } from './holder-grants.ts'

const Assigned = Type.Object({
  tenant_id: Type.String(),
  role_id: Type.String(),
  assigned_by: Type.String(),
})

type Needs = Pick<Deps, 'kernel' | 'permissions' | 'denied'>

export async function confirmRoles(
  tx: Tx,
  deps: Needs,
  account_id: string,
  seen: Seen,
): Promise<void> {
  const assigned = await tx.many(
    Assigned,
    sql`
      select tenant_id, role_id, assigned_by from identity.role_assignments
      where account_id = ${account_id} order by tenant_id, role_id`,
  )
  for (const { tenant_id, role_id, assigned_by } of assigned) {
    if (!isId(assigned_by)) continue
    if (await mayStillGive(tx, deps, assigned_by, { tenant_id, role_id })) continue
    const act = { actor: 'system:invitation', seen }
    await revokeRole(tx, deps, { account_id, tenant_id, role_id }, act)
  }
}

/** Whether an account or API key may give the role now, without a session of its own. */
export async function mayStillGive(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions'>,
  principal_id: string,
  role: { readonly tenant_id: string; readonly role_id: string },
): Promise<boolean> {
  const { here, operates } = await grantsNow(tx, deps, principal_id, role.tenant_id)
  if (operates) return true
  return here.has('identity.roles.assign') && mayGive(tx, deps, here, role)
}

export async function mayStillInvite(
  tx: Tx,
  deps: Needs,
  principal_id: string,
  tenant_id: string,
): Promise<boolean> {
  const { here, operates } = await grantsNow(tx, deps, principal_id, tenant_id)
  return operates || here.has('identity.accounts.invite')
}

const none: ReadonlySet<string> = new Set()

async function grantsNow(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions'>,
  principal_id: string,
  tenant_id: string,
) {
  const home = await tx.maybe(
    Type.Object({ tenant_id: Type.String() }),
    sql`
      select tenant_id from identity.accounts where id = ${principal_id}
      union all select tenant_id from identity.api_keys
      where tenant_id = ${tenant_id} and id = ${principal_id}`,
  )
  if (!home) return { here: none, operates: false }
  const holders = [tenant_id, home.tenant_id].map(one => ({ tenant_id: one, principal_id }))
  const [here = none, at_home = none] = await holderGrants(tx, deps, holders)
  return { here, operates: at_home.has(operator_permission) }
}
