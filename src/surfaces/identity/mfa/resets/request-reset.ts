/**
 * Requests that the second factors of an account be removed, because its owner lost them. Nothing is
 * removed now: the owner is warned by mail, and has the whole delay to stop it, by the mailed link or
 * by using a factor. So neither an administrator nor a person who deceives one takes over an account
 * unseen.
 */
import { Type } from 'typebox'
import { newId, sql, type Principal, type Tx } from '#dodeca/kernel'
import { accountColumns } from '../../accounts/find-account.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { requestMail } from '../../mails/request.ts'
import { issueDerived } from '../../one-time.ts'
import { requireRank } from '../../roles/require-rank.ts'
import { AccountRow } from '../../schemas.ts'
import { recordSecurityEvent, type Seen } from '../../security-events/record-security-event.ts'
import { requireStepUp } from '../../step-up.ts'
import { FactorReset, queue_name } from './factor-reset.ts'

export type ResetRequest = {
  readonly account_id: string
  readonly reason: string
  readonly principal: Principal
  /** Of the caller. */
  readonly grants: ReadonlySet<string>
  readonly seen: Seen
}

export async function requestReset(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { account_id, reason, principal, grants, seen }: ResetRequest,
): Promise<FactorReset> {
  const { tenant_id, id: requested_by } = principal
  const account = await tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts
      where tenant_id = ${tenant_id} and id = ${account_id} and status = 'active' for update`,
  )
  if (!account) throw problem('account_not_found')
  await requireRank(tx, { account_id, principal, grants })
  await requireStepUp(tx, kernel, principal)
  if (account.email === null) {
    const detail = 'The account has no address at which its owner could be warned.'
    throw problem('invalid_transition', { detail })
  }
  await requireFactor(tx, account_id)
  const id = newId()
  const ttl_seconds = kernel.settings['identity.factor_reset_delay_seconds']
  const reset = await tx.maybe(
    FactorReset,
    sql`
      insert into identity.factor_resets
        (tenant_id, id, account_id, requested_by, reason, effective_at, due_at)
      select ${tenant_id}, ${id}, ${account_id}, ${requested_by}, ${reason}, at, at
      from (select kernel.now() + make_interval(secs => ${ttl_seconds}) as at) d
      on conflict (account_id) where state = 'waiting' do nothing
      returning id, account_id, requested_by, reason, state, effective_at, created_at, ended_at`,
  )
  if (!reset) {
    const detail = 'A reset of the second factors of this account is waiting already.'
    throw problem('already_exists', { detail })
  }
  const issue = { purpose: 'factor_reset_stop', ref: id, tenant_id, account_id } as const
  const { key_id } = await issueDerived(tx, kernel.keys, { ...issue, ttl_seconds })
  await requestMail(tx, {
    template: 'factor_reset_requested',
    tenant_id,
    account_id,
    address: account.email,
    locale: account.locale,
    token: { purpose: 'factor_reset_stop', ref: id, key_id },
  })
  const about = { tenant_id, account_id, actor: requested_by, seen }
  await recordSecurityEvent(tx, { ...about, action: 'mfa.reset_requested' })
  tx.audit('identity.factors.reset', account_id, { by: principal, reason })
  tx.wake(queue_name)
  return reset
}

async function requireFactor(tx: Tx, account_id: string): Promise<void> {
  const { has } = await tx.one(
    Type.Object({ has: Type.Boolean() }),
    sql`
      select exists (select from identity.mfa_methods
        where account_id = ${account_id} and status = 'active') as has`,
  )
  if (has) return
  throw problem('invalid_transition', { detail: 'The account has no second factor to reset.' })
}
