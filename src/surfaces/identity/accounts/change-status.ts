/**
 * Disables and enables accounts. Logins hold the account's row until their session is committed,
 * and this use case locks the same row. So every session that began before is ended in this commit,
 * and no session begins after it.
 */
import { expectVersion, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { keepOperatorBeside } from '../roles/keep-operator.ts'
import { AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Act } from '../security-events/record-security-event.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { accountColumns, raiseAccountVersion } from './find-account.ts'

export type StatusChange = {
  readonly tenant_id: string
  readonly id: string
  readonly status: 'active' | 'disabled'
  readonly if_match?: string | string[] | undefined
}

export async function changeStatus(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'denied'>,
  { tenant_id, id, status, if_match }: StatusChange,
  act: Act,
): Promise<AccountRow> {
  const account = await tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts
      where tenant_id = ${tenant_id} and id = ${id} and status <> 'deleted' for update`,
  )
  if (!account) throw problem('account_not_found')
  expectVersion(if_match, account.version)
  if (account.status === status) return account
  if (account.status === 'invited') {
    throw problem('invalid_transition', {
      current_state: account.status,
      detail: 'Nobody has accepted this invitation yet. To withdraw it, delete the account.',
    })
  }
  await tx.run(sql`update identity.accounts set status = ${status} where id = ${id}`)
  const version = await raiseAccountVersion(tx, id)
  if (status === 'disabled') {
    await keepOperatorBeside(tx, id)
    await revokeSessions(tx, deps, { account_id: id }, 'account_disabled', act)
  }
  await announce(tx, account, status, version, act)
  return { ...account, status, version }
}

async function announce(
  tx: Tx,
  { id, tenant_id, status: from }: AccountRow,
  to: string,
  version: number,
  { actor, seen }: Act,
): Promise<void> {
  const action = 'account.status_changed'
  tx.emit({
    type: action,
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: id,
    aggregate_version: version,
    data: { account_id: id, from, to, reason: 'administration' },
  })
  const about = { tenant_id, account_id: id, action, actor, reason: to }
  await recordSecurityEvent(tx, { ...about, ...(seen ? { seen } : {}) })
  const done = to === 'disabled' ? 'identity.accounts.disable' : 'identity.accounts.enable'
  tx.audit(done, id, { by: { tenant_id, id: actor } })
}
