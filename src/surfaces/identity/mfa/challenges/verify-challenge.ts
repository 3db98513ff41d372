/**
 * Completes a challenge. The attempt is counted before it is checked. The factor, the challenge and
 * its purpose (the one session of the login, or the new level of the session) are claimed in one
 * transaction.
 */
import { Check } from 'typebox/value'
import { sql, type Tx } from '#dodeca/kernel'
import { accountColumns } from '../../accounts/find-account.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { consume } from '../../one-time.ts'
import { AccountRow } from '../../schemas.ts'
import type { Seen } from '../../security-events/record-security-event.ts'
import { beginFullSession } from '../../sessions/begin-full-session.ts'
import { isEnrolment } from '../../sessions/narrowed.ts'
import type { Delivered, Delivery } from '../../sessions/deliver-tokens.ts'
import { issueSession } from '../../sessions/issue-session.ts'
import { consumeChallenge, countAttempt, findChallenge, type Challenge } from './challenges.ts'
import type { Holder } from '../holder.ts'
import { endWaiting } from '../resets/end-reset.ts'
import { LoginDetails, passwordChangedAt } from './open-login-challenge.ts'
import { prove, type Proof, type Shown } from './prove-factor.ts'
import { stepUp, type Stronger } from './step-up-session.ts'
import { guessing } from '../limit-guesses.ts'

export type Answered = Shown & {
  readonly device_name?: string | undefined
  readonly delivery?: Delivery | undefined
}

export type Verified =
  | { readonly kind: 'session'; readonly delivered: Delivered }
  | { readonly kind: 'stepped_up'; readonly stronger: Stronger }

type Needs = Pick<Deps, 'kernel' | 'tokens' | 'denied'>

export async function verifyChallenge(
  deps: Needs,
  holder: Holder,
  id: string,
  answered: Answered,
  seen: Seen,
): Promise<Verified> {
  const { db } = deps.kernel
  const challenge = await findChallenge(db, holder, id)
  if (!challenge) throw problem('mfa_challenge_invalid')
  const { tenant_id, account_id } = challenge
  const actor = holder.kind === 'login' ? 'anonymous' : account_id
  const guess = { tenant_id, account_id, actor, method: methodShown(answered), seen }
  return await guessing(deps, guess, async () => {
    if (!(await countAttempt(db, holder, id))) throw problem('mfa_challenge_invalid')
    const proof = await prove(deps, challenge, answered, seen)
    if (!proof) throw problem('mfa_verification_failed')
    return await db.tx(tx =>
      holder.kind === 'login'
        ? completeLogin(tx, deps, { holder, challenge, proof, answered, seen })
        : completeStepUp(tx, deps, { holder, challenge, proof, answered, seen }),
    )
  })
}

type Step<K extends Holder['kind']> = {
  readonly holder: Extract<Holder, { kind: K }>
  readonly challenge: Challenge
  readonly proof: Proof
  readonly answered: Answered
  readonly seen: Seen
}

/**
 * Locks the account and then its password, in the same order as a reset. So one of the two waits
 * for the other.
 */
async function completeLogin(
  tx: Tx,
  deps: Needs,
  { holder, challenge, proof, answered, seen }: Step<'login'>,
): Promise<Verified> {
  const account = await tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts
      where tenant_id = ${challenge.tenant_id} and id = ${challenge.account_id} for share`,
  )
  if (!account) throw problem('mfa_challenge_invalid')
  const password_changed_at = await passwordChangedAt(tx, account.id)
  const login = await consume(tx, ['mfa_login'], holder.token)
  const began = login?.details
  if (!Check(LoginDetails, began) || began.password_changed_at !== password_changed_at) {
    throw problem('mfa_challenge_invalid')
  }
  await claim(tx, holder, challenge, proof, seen)
  const { device_name, delivery } = answered
  const amr = [...began.amr, proof.amr]
  const { connection_id } = began
  const shown = { device_name, delivery, request: seen }
  const proven = { account, aal: 'aal2', amr, connection_id, ...shown } as const
  const delivered = await issueSession(tx, deps, proven)
  if (!delivered) throw problem('mfa_challenge_invalid')
  return { kind: 'session', delivered }
}

async function completeStepUp(
  tx: Tx,
  deps: Needs,
  { holder, challenge, proof, answered, seen }: Step<'session'>,
): Promise<Verified> {
  await claim(tx, holder, challenge, proof, seen)
  const { principal } = holder
  const { delivery, device_name } = answered
  if (isEnrolment(principal)) {
    const how = { amr: proof.amr, delivery, device_name, seen }
    return { kind: 'session', delivered: await beginFullSession(tx, deps, principal, how) }
  }
  const stronger = await stepUp(tx, deps, principal, { amr: proof.amr, delivery, seen })
  return { kind: 'stepped_up', stronger }
}

async function claim(
  tx: Tx,
  holder: Holder,
  { ref, account_id }: Challenge,
  proof: Proof,
  seen: Seen,
): Promise<void> {
  if (!(await consumeChallenge(tx, holder, ref))) throw problem('mfa_challenge_invalid')
  // Who has a factor did not lose it. A reset is locked before the factors that it removes.
  await endWaiting(tx, account_id, 'stopped', { actor: account_id, seen })
  if (!(await proof.claim(tx))) throw problem('mfa_verification_failed')
}

function methodShown({ code, recovery_code }: Shown): string {
  if (recovery_code !== undefined) return 'recovery'
  return code === undefined ? 'webauthn' : 'totp'
}
