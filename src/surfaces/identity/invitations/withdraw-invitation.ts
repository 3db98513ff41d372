/** Withdraws a pending invitation. The person no longer sees it, and a mail that waits is not sent. */
import { sql, type Principal, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { announceInvitation, Ended, requireInvitation } from './invitation-row.ts'

export async function withdrawInvitation(
  tx: Tx,
  { tenant_id }: Principal,
  id: string,
): Promise<void> {
  const withdrawn = await tx.maybe(
    Ended,
    sql`
      update identity.invitations t set state = 'withdrawn', version = version + 1
      where tenant_id = ${tenant_id} and id = ${id} and state = 'pending'
      returning tenant_id, id, role_ids, state, invited_by, version`,
  )
  if (withdrawn) {
    announceInvitation(tx, 'changed', withdrawn)
    tx.audit('identity.invitations.withdraw', id)
    return
  }
  const ended = await requireInvitation(tx, tenant_id, id)
  if (ended.state === 'withdrawn') return
  throw problem('invalid_transition', { current_state: ended.state })
}
