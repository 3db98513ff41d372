/**
 * An invitation whose address belongs to an account of another tenant. The inviter cannot see that:
 * the invited account is made like any other, with an address that is unique in its tenant only.
 * Once the mailed token proves the mailbox, its roles go to the account that has the address, and
 * the invited account is erased.
 */
import { Type } from 'typebox'
import { isId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { assignRole, holdAccount } from '../roles/assign-role.ts'
import { confirmRoles } from '../roles/confirm-roles.ts'
import { withDutiesApart } from '../roles/separate-duties.ts'
import type { AccountRow } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { emailScope } from '../tenants/resolve-tenant.ts'
import { eraseAccount } from './erase-account.ts'
import { accountByAddress } from './find-account.ts'

const Role = Type.Object({ role_id: Type.String(), assigned_by: Type.String() })

/** Returns false if no other account has the address: the invited account then keeps it. */
export async function joinAsGuest(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions' | 'denied'>,
  invited: AccountRow,
  seen: Seen,
): Promise<boolean> {
  const { id, tenant_id, email_normalized } = invited
  const scope = emailScope(deps.kernel, tenant_id)
  const holder = await accountByAddress(tx, scope, email_normalized)
  if (!holder) {
    await tx.run(sql`
      update identity.accounts set email_scope = ${scope}
      where tenant_id = ${tenant_id} and id = ${id}`)
  }
  if (!holder || holder.id === id) return false
  if (holder.status !== 'active' || holder.verified_at === null) {
    throw problem('one_time_token_invalid', {
      detail:
        'An account has this address, and it is disabled or its address was not verified. Log in and verify the address, then use the invitation again.',
    })
  }
  await holdAccount(tx, holder.id, null)
  await confirmRoles(tx, deps, id, seen)
  const roles = await tx.many(
    Role,
    sql`
      select role_id, assigned_by from identity.role_assignments
      where tenant_id = ${tenant_id} and account_id = ${id} order by role_id`,
  )
  for (const { role_id, assigned_by: actor } of roles) {
    const assignment = { account_id: holder.id, tenant_id, role_id }
    const assign = () => assignRole(tx, deps, assignment, { actor, seen })
    if (isId(actor)) await withDutiesApart(tx, deps, { ...assignment, actor }, assign)
    else await assign()
  }
  await eraseAccount(tx, deps, invited, { actor: holder.id, seen })
  await notifyOwner(tx, holder, 'address_known')
  return true
}
