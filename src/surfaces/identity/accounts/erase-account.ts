/**
 * Erases an account: its sessions end, and its credentials, addresses and mails are deleted, all in
 * one transaction. The row stays as a tombstone with a keyed hash of the address. With the hash one
 * can check whether an address belonged to the account, but not read the address.
 */
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { forgetAddress } from '../registrations/forget-address.ts'
import { keepOperatorBeside } from '../roles/keep-operator.ts'
import type { AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Act } from '../security-events/record-security-event.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { principalsOf, raiseAccountVersion } from './find-account.ts'
import { forgetCredentials } from './forget-credentials.ts'

/** Returns false if the account was erased before. */
export async function eraseAccount(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'denied'>,
  account: Pick<AccountRow, 'id' | 'tenant_id' | 'email_normalized' | 'verified_at'>,
  act: Act,
): Promise<boolean> {
  const { id, tenant_id, email_normalized } = account
  const hash = deps.kernel.keys.fingerprint('identity.erased', email_normalized).toString('hex')
  const erased = await tx.run(sql`
    update identity.accounts
    set status = 'deleted', email = null, email_normalized = ${`erased:${hash}`},
      display_name = null, locale = null, profile = '{}', metadata = '{}'
    where id = ${id} and tenant_id = ${tenant_id} and status <> 'deleted'`)
  if (erased === 0) return false
  await keepOperatorBeside(tx, id)
  // Locks roles before sessions, in the same order as a refresh in another tenant.
  await tx.run(sql`delete from identity.role_assignments where account_id = ${id}`)
  await revokeSessions(tx, deps, { account_id: id }, 'account_deleted', act)
  await forgetCredentials(tx, account)
  await tx.run(sql`delete from identity.credentials where account_id = ${id}`)
  await tx.run(sql`delete from identity.one_time_challenges where account_id = ${id}`)
  await tx.run(sql`delete from identity.email_changes where account_id = ${id}`)
  await tx.run(sql`delete from identity.factor_resets where account_id = ${id}`)
  await tx.run(sql`delete from identity.mails where account_id = ${id}`)
  await forgetAddress(tx, account, 'all')
  await tx.run(sql`update identity.sessions set client_metadata = ${sql.json(nothing)}
    where account_id = ${id}`)
  // any tenant: also the keys where the account is a guest
  await tx.run(sql`update identity.api_keys set name = '' where account_id = ${id}`)
  await tx.run(sql`update identity.mfa_methods set label = '' where account_id = ${id}`)
  tx.emit({
    type: 'account.deleted',
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: id,
    aggregate_version: await raiseAccountVersion(tx, id),
    data: { account_id: id },
  })
  await deps.kernel.personal.erase(tx, await principalsOf(tx, account))
  const about = { tenant_id, account_id: id, action: 'account.deleted' }
  await recordSecurityEvent(tx, { ...about, ...act })
  return true
}

const nothing = { device_name: null, ua_family: null, ip_prefix: null }
