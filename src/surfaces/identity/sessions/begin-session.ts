/**
 * The end of every way to log in, in the transaction that used up its proof: the second factor that
 * the account may have, and the session.
 */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { openLoginChallenge } from '../mfa/challenges/open-login-challenge.ts'
import type { AccountRow, MfaRequired } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import type { Delivered, Delivery } from './deliver-tokens.ts'
import { issueSession } from './issue-session.ts'

export type LoggedIn =
  | { readonly kind: 'session'; readonly delivered: Delivered }
  | { readonly kind: 'mfa'; readonly required: MfaRequired }

/** The parts of a log-in that do not depend on its way. */
export type Wanted = {
  readonly tenant?: string | undefined
  readonly device_name?: string | undefined
  readonly delivery?: Delivery | undefined
  /** The answer to a captcha. */
  readonly captcha?: string | undefined
}

type Shown = {
  readonly account: AccountRow
  readonly amr: readonly string[]
  /** True if the proof is a second factor too, so that none is asked for. */
  readonly strong?: boolean
  /** The connection at which the proof was given. */
  readonly connection_id?: string | null
  /** Checks in this transaction whether the verified values are still valid. */
  readonly stands?: Promise<boolean>
}

export async function begin(
  tx: Tx,
  deps: Deps,
  { account, amr, strong, connection_id = null, stands = Promise.resolve(true) }: Shown,
  { device_name, delivery }: Wanted,
  request: Seen,
): Promise<LoggedIn> {
  // The statements are sent together. If a value is no longer valid, everything is rolled back.
  const [stood, required] = await Promise.all([
    stands,
    strong ? undefined : openLoginChallenge(tx, deps, account, { amr, connection_id }),
  ])
  if (!stood) throw problem('invalid_credentials')
  if (required) return { kind: 'mfa', required }
  const aal = strong ? 'aal2' : 'aal1'
  const wanted = { device_name, delivery, request }
  const proven = { account, aal, amr, connection_id, ...wanted } as const
  const delivered = await issueSession(tx, deps, proven)
  if (!delivered) throw problem('invalid_credentials')
  return { kind: 'session', delivered }
}
