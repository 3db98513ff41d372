/** Whether a login needs a second factor, and the challenge that asks for it. */
import type { Tx } from '../../../kernel/database/db.ts'
import type { Deps } from '../deps.ts'
import type { AccountRow, MfaRequired } from '../schemas.ts'

/** Undefined where the account has no active factor: then the session may begin at once. */
export async function openLoginChallenge(
  _tx: Tx,
  _deps: Deps,
  _account: AccountRow,
  _amr: readonly string[],
): Promise<MfaRequired | undefined> {
  return undefined
}
