/**
 * An invited account has become active: its roles are checked again, and the change is emitted. The
 * caller has changed the status and holds the account's row lock.
 */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { confirmRoles } from '../roles/confirm-roles.ts'
import type { AccountRow } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { raiseAccountVersion } from './find-account.ts'

export async function acceptInvitation(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions' | 'denied'>,
  { id, tenant_id }: Pick<AccountRow, 'id' | 'tenant_id'>,
  seen: Seen,
): Promise<void> {
  await confirmRoles(tx, deps, id, seen)
  tx.emit({
    type: 'account.status_changed',
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: id,
    aggregate_version: await raiseAccountVersion(tx, id),
    data: { account_id: id, from: 'invited', to: 'active', reason: 'invitation_accepted' },
  })
}
