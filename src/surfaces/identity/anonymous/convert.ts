/**
 * Makes a person of an anonymous account that has just proven an address. The id stays, and with it
 * the carts and orders. The narrow session ends, because a session never becomes wider; the visitor
 * proved the mailbox, as with a mailed login code, so a full session begins in the same transaction.
 */
import { sql, type Tx } from '#dodeca/kernel'
import { raiseAccountVersion } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import type { Delivered, Delivery } from '../sessions/deliver-tokens.ts'
import { issueSession } from '../sessions/issue-session.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { maySignUp } from '../tenants/resolve-tenant.ts'

type Needs = Pick<Deps, 'kernel' | 'tokens' | 'denied'>

/** The caller holds the lock on the account's row, and has stored the address as verified. */
export async function convert(
  tx: Tx,
  deps: Needs,
  { id, tenant_id }: Pick<AccountRow, 'id' | 'tenant_id'>,
  delivery: Delivery,
  seen: Seen,
): Promise<Delivered> {
  if (!(await maySignUp(tx, tenant_id))) throw problem('signup_closed')
  await tx.run(sql`
    update identity.accounts set kind = 'person' where tenant_id = ${tenant_id} and id = ${id}`)
  const about = { tenant_id, aggregate_type: 'account', aggregate_id: id }
  const registered = { account_id: id, tenant_id }
  const version = await raiseAccountVersion(tx, id)
  tx.emit({ ...about, type: 'account.registered', aggregate_version: version, data: registered })
  tx.emit({
    ...about,
    type: 'account.converted',
    aggregate_version: await raiseAccountVersion(tx, id),
    data: { account_id: id },
  })
  await recordSecurityEvent(tx, {
    tenant_id,
    account_id: id,
    action: 'account.converted',
    actor: id,
    seen,
  })
  await revokeSessions(tx, deps, { account_id: id }, 'address_proven', { actor: id, seen })
  const proven = { account: { id, tenant_id }, aal: 'aal1', amr: ['mail'] } as const
  const begun = await issueSession(tx, deps, { ...proven, delivery, request: seen })
  if (!begun) throw problem('account_not_found')
  return begun
}
