/**
 * Logs in with a passkey alone. The authenticator names the account, and has verified the person, so
 * the session has two factors. The challenge is used up and the key is claimed in the transaction of
 * the session. A key that is only a second factor, another account's handle, an answer to a used or
 * late challenge and an account that may not log in get the same reply.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, sql, type Sql, type Tx } from '#dodeca/kernel'
import { accountColumns } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { endWaiting } from '../mfa/resets/end-reset.ts'
import { claimSignCount, readAssertion, userHandleOf } from '../mfa/methods/webauthn.ts'
import type { Assertion } from '../mfa/schemas.ts'
import { endOfChallenge, useChallenge } from '../passkeys/challenge.ts'
import { relyingParty } from '../passkeys/relying-party.ts'
import { AccountRow, Bytes } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { attempting, isMemberOfNamed } from './attempt.ts'
import { begin, type LoggedIn, type Wanted } from './begin-session.ts'

const Passkey = Type.Object({
  id: Id,
  tenant_id: Id,
  account_id: Id,
  credential_id: nullable(Type.String()),
  encrypted_secret_or_public_key: nullable(Bytes),
})
type Passkey = Static<typeof Passkey>

type Answered = { readonly challenge: string; readonly end: number; readonly sign_count: number }

export async function logInWithPasskey(
  deps: Deps,
  assertion: Assertion,
  wanted: Wanted,
  seen: Seen,
): Promise<LoggedIn> {
  const { db } = deps.kernel
  const passkey = await db.maybe(
    Passkey,
    sql`
      select id, tenant_id, account_id, credential_id, encrypted_secret_or_public_key
      from identity.mfa_methods
      where credential_id = ${assertion.id} and status = 'active' and type = 'passkey'`,
  )
  const candidate = passkey && { id: passkey.account_id, tenant_id: passkey.tenant_id }
  return await attempting(deps, { candidate, method: 'passkey', seen }, async () => {
    const answered = passkey && (await answerOf(deps, passkey, assertion))
    if (!answered) throw problem('invalid_credentials')
    const is_here = await isMemberOfNamed(db, deps, wanted.tenant, seen)
    return await db.tx(async tx => {
      const account = await holdAccount(tx, deps, passkey, is_here)
      if (!account || !(await claim(tx, account, passkey, answered, seen))) {
        throw problem('invalid_credentials')
      }
      return begin(tx, deps, { account, amr: ['hwk', 'mfa'], strong: true }, wanted, seen)
    })
  })
}

async function answerOf(
  { kernel }: Deps,
  passkey: Passkey,
  assertion: Assertion,
): Promise<Answered | undefined> {
  if (assertion.response.userHandle !== userHandleOf(passkey.account_id)) return undefined
  let [challenge, end]: [string, number | undefined] = ['', undefined]
  const isOpen = (given: string) => {
    challenge = given
    end = endOfChallenge(kernel, given)
    return end !== undefined
  }
  const sign_count = await readAssertion(
    relyingParty(kernel),
    isOpen,
    passkey,
    assertion,
    'required',
  )
  return sign_count === undefined || end === undefined ? undefined : { challenge, end, sign_count }
}

/** Locked like at every log-in: the account first, so that what disables or changes it waits. */
function holdAccount(
  tx: Tx,
  { kernel: { settings } }: Deps,
  { tenant_id, account_id }: Passkey,
  is_here: Sql,
): Promise<AccountRow | undefined> {
  return tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts a
      where a.tenant_id = ${tenant_id} and a.id = ${account_id} and a.status = 'active'
        and (a.verified_at is not null or not ${settings['identity.require_verified_email']}::bool)
        and ${is_here}
      for share of a`,
  )
}

async function claim(
  tx: Tx,
  account: AccountRow,
  passkey: Passkey,
  { challenge, end, sign_count }: Answered,
  seen: Seen,
): Promise<boolean> {
  if (!(await useChallenge(tx, account, challenge, end))) return false
  // Who has a passkey did not lose every factor.
  await endWaiting(tx, account.id, 'stopped', { actor: account.id, seen })
  const claimed = await claimSignCount(tx, passkey, sign_count)
  if (claimed?.regressed) {
    await recordSecurityEvent(tx, {
      tenant_id: account.tenant_id,
      account_id: account.id,
      action: 'mfa.sign_count_regressed',
      actor: account.id,
      seen,
      method: 'passkey',
    })
  }
  return claimed !== undefined
}
