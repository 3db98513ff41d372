/**
 * Completes a change of address: the authenticated owner of the account sends the token that was
 * mailed to the new address, which proves the mailbox. Until a mailbox is proven no account owns the
 * address, so another account that has it and never proved it loses it in the same transaction. If
 * the address has an owner by now, the change ends without an effect. The old address gets a notice.
 * An anonymous account becomes a person, whose full session begins.
 */
import { Type } from 'typebox'
import { Id, requireScope, sql, Time, violates, type Principal, type Tx } from '#dodeca/kernel'
import { convert } from '../anonymous/convert.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { consumeOfAccount, peek } from '../one-time.ts'
import {
  accountByAddress,
  accountById,
  isOwned,
  raiseAccountVersion,
} from '../accounts/find-account.ts'
import { forgetAddress } from '../registrations/forget-address.ts'
import { announceProven } from '../registrations/take-over.ts'
import type { AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import type { Delivered, Delivery } from '../sessions/deliver-tokens.ts'
import { emailScope } from '../tenants/resolve-tenant.ts'

type Needs = Pick<Deps, 'kernel' | 'tokens' | 'denied'>

const Change = Type.Object({ email: Type.String(), email_normalized: Type.String() })
type Moved = {
  readonly account_id: string
  readonly status: 'active'
  readonly verified_at: string
  /** Of an account that was anonymous. */
  readonly begun?: Delivered
}

type Proof = { readonly token: string; readonly delivery: Delivery }

export async function proveEmailChange(
  deps: Needs,
  principal: Principal,
  proof: Proof,
  seen: Seen,
): Promise<Moved> {
  const moved = await deps.kernel.db
    .tx(tx => move(tx, deps, principal, proof, seen))
    .catch((error: unknown) => {
      // The address was registered in this moment. The token stays valid.
      if (violates(error, 'accounts_email')) return undefined
      throw error
    })
  if (!moved) throw problem('email_taken')
  return moved
}

/** Returns undefined if the address has another owner. The end of the change is committed anyway. */
async function move(
  tx: Tx,
  deps: Needs,
  principal: Principal,
  { token, delivery }: Proof,
  seen: Seen,
): Promise<Moved | undefined> {
  const { id } = principal
  await lockAccounts(tx, deps, id, token)
  const challenge = await consumeOfAccount(tx, ['email_change'], token)
  const account = await accountById(tx, id)
  if (!challenge || !account || challenge.account_id !== id) throw problem('one_time_token_invalid')
  if (account.kind === 'person') requireScope(principal)
  const change = await tx.maybe(
    Change,
    sql`
      update identity.email_changes set status = 'completed'
      where id = ${challenge.ref} and account_id = ${id} and status = 'pending'
      returning email, email_normalized`,
  )
  if (!change) throw problem('one_time_token_invalid')
  const scope = emailScope(deps.kernel, account.tenant_id)
  const held = await accountByAddress(tx, scope, change.email_normalized)
  if (held && held.id !== id) {
    if (isOwned(held)) {
      await tx.run(sql`
        update identity.email_changes set status = 'superseded' where id = ${challenge.ref}`)
      return undefined
    }
    await releaseAddress(tx, held)
  }
  const { verified_at } = await tx.one(
    Type.Object({ id: Id, verified_at: Time }),
    sql`
      update identity.accounts
      set email = ${change.email}, email_normalized = ${change.email_normalized},
        verified_at = kernel.now()
      where id = ${id} returning id, verified_at`,
  )
  await forgetAddress(tx, account, 'ended')
  const moved = { account_id: id, status: 'active', verified_at } as const
  const was_anonymous = account.kind === 'anonymous'
  const begun = was_anonymous ? await convert(tx, deps, account, delivery, seen) : undefined
  await announceProven(tx, account, seen)
  if (begun) return { ...moved, begun }
  await notifyOwner(tx, account, 'address_changed')
  return moved
}

const Pending = Type.Object({ email_normalized: Type.String() })

/**
 * Locks the account and the one that has the new address, in the order of their ids: two accounts
 * that move to each other's address lock both rows, too.
 */
async function lockAccounts(
  tx: Tx,
  { kernel }: Needs,
  account_id: string,
  token: string,
): Promise<void> {
  const open = await peek(tx, ['email_change'], token)
  if (open?.account_id !== account_id) return
  const pending = await tx.maybe(
    Pending,
    sql`
      select email_normalized from identity.email_changes
      where id = ${open.ref} and account_id = ${account_id}`,
  )
  await tx.run(sql`
    select from identity.accounts
    where id = ${account_id} or (email_scope = ${emailScope(kernel, open.tenant_id)}
      and email_normalized = ${pending?.email_normalized ?? null} and status <> 'deleted')
    order by id for update`)
}

/**
 * The account and its data stay: another person may have used it in good faith, with a wrong
 * address. Its holder is logged in there still, and can prove another address.
 */
async function releaseAddress(tx: Tx, held: AccountRow): Promise<void> {
  const { id, tenant_id, email } = held
  await tx.run(sql`
    update identity.accounts set email = null, email_normalized = ${`released:${id}`}
    where tenant_id = ${tenant_id} and id = ${id}`)
  // What waits to be sent about this account is not for the owner of the mailbox.
  await tx.run(sql`
    delete from identity.mails
    where tenant_id = ${tenant_id} and account_id = ${id} and address = ${email}`)
  await forgetAddress(tx, held, 'all')
  await raiseAccountVersion(tx, id)
  const about = { tenant_id, account_id: id, actor: 'system' }
  await recordSecurityEvent(tx, { ...about, action: 'account.address_released' })
}
