/**
 * Checks the answer to a second factor. A match alone is not enough. The transaction that uses the
 * match must claim it with a conditional statement. This statement succeeds for only one caller.
 */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { relyingParty } from '../../passkeys/relying-party.ts'
import { recordSecurityEvent, type Seen } from '../../security-events/record-security-event.ts'
import type { Challenge } from './challenges.ts'
import { methodOf } from '../methods/find-methods.ts'
import { claimRecoveryCode } from '../methods/recovery-codes.ts'
import type { Assertion, MethodRow } from '../schemas.ts'
import { claimStep, newestStep, openTotpSecret } from '../methods/totp.ts'
import { claimSignCount, readAssertion } from '../methods/webauthn.ts'

/** Exactly one of these is present. */
export type Shown = {
  readonly code?: string | undefined
  readonly recovery_code?: string | undefined
  readonly assertion?: Assertion | undefined
}

export type Proof = {
  readonly amr: 'otp' | 'hwk' | 'recovery'
  /** Returns false if another caller used it first, or the factor was removed. */
  claim(tx: Tx): Promise<boolean>
}

type Needs = Pick<Deps, 'kernel'>

export async function prove(
  { kernel }: Needs,
  challenge: Challenge,
  { code, recovery_code, assertion }: Shown,
  seen: Seen,
): Promise<Proof | undefined> {
  const { keys, db } = kernel
  const { account_id, tenant_id, method_id } = challenge
  const owner = { id: account_id, tenant_id }
  if (recovery_code !== undefined) {
    return { amr: 'recovery', claim: tx => claimRecoveryCode(tx, keys, owner, recovery_code) }
  }
  const method = await methodOf(db, account_id, method_id)
  if (method?.status !== 'active') return undefined
  if (code !== undefined) return byCode(kernel, method, code)
  if (assertion !== undefined) return await byKey(kernel, challenge, method, assertion, seen)
  return undefined
}

function byCode({ keys, clock }: Needs['kernel'], method: MethodRow, code: string) {
  const { type, encrypted_secret_or_public_key: sealed } = method
  if (type !== 'totp' || sealed === null) return undefined
  const secret = openTotpSecret(keys, method.id, sealed)
  const step = newestStep(secret, code, clock.nowSeconds())
  if (step === undefined) return undefined
  const claim = (tx: Tx) => claimStep(tx, keys, method, secret, step)
  return { amr: 'otp', claim } as const
}

async function byKey(
  kernel: Needs['kernel'],
  { details, account_id, tenant_id }: Challenge,
  method: MethodRow,
  assertion: Assertion,
  seen: Seen,
): Promise<Proof | undefined> {
  const { webauthn_challenge } = details
  if (webauthn_challenge === undefined) return undefined
  const rp = relyingParty(kernel)
  const sign_count = await readAssertion(rp, webauthn_challenge, method, assertion)
  if (sign_count === undefined) return undefined
  return {
    amr: 'hwk',
    claim: async tx => {
      const claimed = await claimSignCount(tx, method, sign_count)
      if (claimed?.regressed) {
        await recordSecurityEvent(tx, {
          tenant_id,
          account_id,
          action: 'mfa.sign_count_regressed',
          actor: account_id,
          seen,
          method: 'webauthn',
        })
      }
      return claimed !== undefined
    },
  }
}
