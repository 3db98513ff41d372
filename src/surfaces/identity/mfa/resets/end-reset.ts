/**
 * Ends a reset that waits. Its owner stops it with the mailed link or by using a second factor, which
 * was then not lost; an administrator withdraws it. The conditional update decides against the queue.
 */
import { Type } from 'typebox'
import { Id, sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { consumeOfAccount } from '../../one-time.ts'
import { recordSecurityEvent, type Act } from '../../security-events/record-security-event.ts'
import { resetOf } from './factor-reset.ts'

const Ended = Type.Object({ id: Id, tenant_id: Id })

export async function endWaiting(
  tx: Tx,
  account_id: string,
  state: 'stopped' | 'withdrawn' | 'lapsed' | 'done',
  act: Act,
): Promise<boolean> {
  const ended = await tx.maybe(
    Ended,
    sql`
      update identity.factor_resets
      set state = ${state}, ended_at = kernel.now(), due_at = null
      where account_id = ${account_id} and state = 'waiting' returning id, tenant_id`,
  )
  if (!ended) return false
  await tx.run(sql`
    update identity.one_time_challenges set consumed_at = kernel.now()
    where purpose = 'factor_reset_stop' and ref = ${ended.id} and consumed_at is null`)
  const { tenant_id } = ended
  await recordSecurityEvent(tx, { tenant_id, account_id, action: `mfa.reset_${state}`, ...act })
  return true
}

/** By the link of the mail. */
export async function stopReset(
  { kernel }: Pick<Deps, 'kernel'>,
  token: string,
  seen: NonNullable<Act['seen']>,
): Promise<void> {
  await kernel.db.tx(async tx => {
    const challenge = await consumeOfAccount(tx, ['factor_reset_stop'], token)
    if (!challenge?.account_id) throw problem('one_time_token_invalid')
    await endWaiting(tx, challenge.account_id, 'stopped', { actor: 'anonymous', seen })
  })
}

export async function withdrawReset(
  tx: Tx,
  id: string,
  { tenant_id, id: actor }: Principal,
  seen: NonNullable<Act['seen']>,
): Promise<void> {
  const { account_id } = await resetOf(tx, tenant_id, id)
  // The account before its reset, in the order of all that changes an account.
  await tx.run(sql`
    select from identity.accounts
    where tenant_id = ${tenant_id} and id = ${account_id} for no key update`)
  const { state } = await resetOf(tx, tenant_id, id)
  if (state === 'withdrawn') return
  if (state !== 'waiting') throw problem('invalid_transition', { current_state: state })
  if (!(await endWaiting(tx, account_id, 'withdrawn', { actor, seen }))) {
    throw problem('invalid_transition', { detail: 'Its owner has just stopped it.' })
  }
  tx.audit('identity.factors.withdraw_reset', account_id, { by: { tenant_id, id: actor } })
}
