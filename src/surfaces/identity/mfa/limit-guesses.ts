/** Limits guesses at second factors: a number per hour for each account, over all purposes. */
import type { Deps } from '../deps.ts'
import { Problem } from '#dodeca/kernel'
import { guesses } from '../passwords/prove-password.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'

export type Guess = {
  readonly tenant_id: string
  readonly account_id: string
  readonly actor: string
  readonly method: string
  readonly seen: Seen
}

/** Runs an attempt. Only a failed attempt counts and is recorded. */
export async function guessing<T>(
  { kernel }: Pick<Deps, 'kernel'>,
  guess: Guess,
  attempt: () => Promise<T>,
): Promise<T> {
  const per_hour = kernel.settings['identity.mfa_attempts_per_hour']
  const bucket = guesses('identity.mfa', guess.account_id, per_hour, 3600 / per_hour)
  const failed = (reason?: string) =>
    recordSecurityEvent(kernel.db, {
      ...guess,
      action: 'mfa.failed',
      ...(reason ? { reason } : {}),
    })
  const taken = await kernel.take(kernel.db, [bucket]).catch(async (error: unknown) => {
    await failed('throttled')
    throw error
  })
  try {
    const result = await attempt()
    await taken.giveBack()
    return result
  } catch (error) {
    if (error instanceof Problem && error.code === 'mfa_verification_failed') {
      taken.keep()
      await failed()
    } else await taken.giveBack()
    throw error
  }
}
