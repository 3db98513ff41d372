/**
 * Sets a password with a mailed token: a reset, or the first password of an invited account. If the
 * password is refused, the token stays valid. Success verifies the mailbox, ends every session, and
 * uses up other tokens of this kind. Second factors stay, unless the mailbox is verified for the
 * first time: then all earlier credentials of the account are removed. An invited person who has an
 * account elsewhere keeps that account and its password.
 */
import { Type } from 'typebox'
import { nullable, sql, Time, type Tx } from '#dodeca/kernel'
import { announceProven, removeEarlierHolder } from '../registrations/take-over.ts'
import { acceptInvitation } from '../accounts/accept-invitation.ts'
import { accountById } from '../accounts/find-account.ts'
import { joinAsGuest } from '../accounts/join-as-guest.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import {
  consumeAll,
  consumeOfAccount,
  peek,
  sentTo,
  type Challenge,
  type Purpose,
} from '../one-time.ts'
import { completeRequest } from '../requests.ts'
import type { AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { requirePassword } from './check-password.ts'
import { forgetCodes } from '../registrations/forget-address.ts'
import { storePassword } from './store-password.ts'

type Needs = Pick<Deps, 'kernel' | 'hasher' | 'denied' | 'permissions'>

const purposes: readonly Purpose[] = ['password_reset', 'invite']
const Before = Type.Object({ verified_at: nullable(Time), email_normalized: Type.String() })

export async function resetPassword(
  deps: Needs,
  body: { readonly token: string; readonly new_password: string },
  seen: Seen,
): Promise<void> {
  const { kernel, hasher } = deps
  const open = await peek(kernel.db, purposes, body.token)
  const account = open?.account_id ? await accountById(kernel.db, open.account_id) : undefined
  if (!open || !account) throw problem('one_time_token_invalid')
  await requirePassword(deps, body.new_password, account.email_normalized, '/new_password')
  const encoded = await hasher.hash(body.new_password)
  await kernel.db.tx(async tx => {
    const challenge = await consumeOfAccount(tx, purposes, body.token)
    if (!challenge) throw problem('one_time_token_invalid')
    await completeRequest(tx, challenge.ref)
    await apply(tx, deps, { account, challenge, encoded, seen })
  })
}

type Reset = {
  readonly account: AccountRow
  readonly challenge: Challenge
  readonly encoded: string
  readonly seen: Seen
}

async function apply(
  tx: Tx,
  deps: Needs,
  { account, challenge, encoded, seen }: Reset,
): Promise<void> {
  const { id, tenant_id } = account
  const invited = account.status === 'invited'
  const before = await tx.maybe(
    Before,
    sql`
      select verified_at, email_normalized from identity.accounts
      where id = ${id} and status in ('active', 'invited') for update`,
  )
  if (!before || !isFor(challenge, before)) throw problem('one_time_token_invalid')
  if (invited && (await joinAsGuest(tx, deps, account, seen))) return
  await storePassword(tx, deps, account, encoded, invited ? 'invite' : 'reset', seen)
  await tx.run(sql`
    update identity.accounts
    set status = 'active', verified_at = coalesce(verified_at, kernel.now()) where id = ${id}`)
  if (before.verified_at === null) await removeEarlierHolder(tx, deps, account, seen)
  await revokeSessions(tx, deps, { account_id: id }, 'password_reset', { actor: id, seen })
  await consumeAll(tx, id, ['password_reset', 'invite', 'mfa_login'])
  await forgetCodes(tx, { tenant_id, email_normalized: before.email_normalized })
  if (invited) await acceptInvitation(tx, deps, account, seen)
  if (before.verified_at === null) await announceProven(tx, account, seen)
  const event = { tenant_id, account_id: id, actor: id, seen }
  await recordSecurityEvent(tx, { ...event, action: 'password_reset.completed' })
  await notifyOwner(tx, account, 'password_changed')
}

/** A mailed token is valid only while the account has the address to which the mail went. */
function isFor(
  { details }: Challenge,
  { email_normalized }: { readonly email_normalized: string },
): boolean {
  const { sent_to } = details as { sent_to?: string }
  return sent_to === undefined || sent_to === sentTo(email_normalized).sent_to
}
