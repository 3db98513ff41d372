/**
 * Logs in with a mailed code, or with the token of the mailed link. The caller must have the id of
 * the request. The code proves the mailbox at this moment: it opens the account that has the address
 * now, takes over one whose mailbox was never verified, accepts an invitation, or makes an account
 * where the tenant is open for registrations.
 */
import { newId, sql, type Reader, type Tx } from '#dodeca/kernel'
import { accountByAddress, accountColumns } from '../accounts/find-account.ts'
import { insertAccount } from '../accounts/insert-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { countGuess, findCode, isRight, useCode, type OpenCode } from '../login-codes/codes.ts'
import { joinIdentity, peekProof, type Proof } from '../oidc/prove-address.ts'
import { holdIdentity } from '../oidc/store-identity.ts'
import { announceProven, takeOver } from '../registrations/take-over.ts'
import { completeRequest } from '../requests.ts'
import { AccountRow } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { findTenant, maySignUp } from '../tenants/resolve-tenant.ts'
import { attempting, isMember } from './attempt.ts'
import { begin, type LoggedIn, type Wanted } from './begin-session.ts'

type Given = {
  readonly id: string
  readonly code?: string | undefined
  readonly token?: string | undefined
}

export async function logInWithCode(
  deps: Deps,
  given: Given,
  wanted: Wanted & { readonly oidc_ticket?: string | undefined },
  seen: Seen,
): Promise<LoggedIn> {
  const { oidc_ticket: ticket } = wanted
  const { db, keys, settings } = deps.kernel
  const { id } = given
  const open = settings['identity.login_codes'] ? await findCode(db, id) : undefined
  const candidate = open && (await accountOf(db, open))
  return await attempting(deps, { candidate, method: 'code', guess: wanted, seen }, async () => {
    const counted = open !== undefined && (await countGuess(db, id))
    if (!counted || !isRight(keys, open, given) || !(await isOf(deps, open, wanted, seen))) {
      throw problem('invalid_credentials')
    }
    const proof = ticket === undefined ? null : await proofFor(db, ticket, open)
    return await db.tx(async tx => {
      if (proof) await holdIdentity(tx, proof)
      const account = await ownerOf(tx, deps, open, seen)
      if (!account || !(await useCode(tx, id))) throw problem('invalid_credentials')
      await completeRequest(tx, id)
      const shown =
        proof && ticket !== undefined
          ? await joinIdentity(tx, deps, { ticket, proof, account }, seen)
          : { amr: ['mail'] }
      return begin(tx, deps, { account, ...shown }, wanted, seen)
    })
  })
}

/** A ticket of a provider that may not speak for the address, which this code proves. */
async function proofFor(reader: Reader, ticket: string, { details }: OpenCode): Promise<Proof> {
  const proof = await peekProof(reader, ticket)
  const same =
    proof?.email_normalized === details.email_normalized &&
    proof.email_scope === details.email_scope
  if (!proof || !same) throw problem('invalid_credentials')
  return proof
}

function accountOf(reader: Reader, { details }: Pick<OpenCode, 'details'>) {
  return accountByAddress(reader, details.email_scope, details.email_normalized)
}

/** The tenant was named by the request of the code. A log-in that names another one is refused. */
async function isOf(
  { kernel }: Deps,
  { tenant_id }: OpenCode,
  { tenant }: Wanted,
  { headers }: Seen,
): Promise<boolean> {
  if (tenant === undefined) return true
  return (await findTenant(kernel.db, kernel, tenant, headers['host']))?.id === tenant_id
}

/** Locks the account before its code, in the same order as what erases or changes an account. */
async function ownerOf(
  tx: Tx,
  deps: Deps,
  open: OpenCode,
  seen: Seen,
): Promise<AccountRow | undefined> {
  const found = await accountOf(tx, open)
  if (!found) return await makeAccount(tx, deps, open, seen)
  const { named, email_normalized, locale } = open.details
  const held = await tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts a
      where a.tenant_id = ${found.tenant_id} and a.id = ${found.id}
        and a.email_normalized = ${email_normalized} and a.status in ('active', 'invited')
        and (${named === null} or ${isMember(open.tenant_id)})
      for update of a`,
  )
  if (!held || held.verified_at !== null) return held
  const claim = { registration_id: null, encoded: null, display_name: null, locale }
  return (await takeOver(tx, deps, held, claim, seen)) ? held : undefined
}

/** Returns undefined if the tenant is closed, or another log-in has just made the account. */
async function makeAccount(
  tx: Tx,
  deps: Deps,
  { tenant_id, details }: OpenCode,
  seen: Seen,
): Promise<AccountRow | undefined> {
  if (!(await maySignUp(tx, tenant_id))) return undefined
  const { email, email_normalized: normalized, email_scope: scope, locale } = details
  const id = newId()
  const draft = { id, tenant_id, scope, address: { email, normalized }, encoded: null, locale }
  if (!(await insertAccount(tx, deps, { ...draft, display_name: null, proven: true }))) {
    return undefined
  }
  await announceProven(tx, { id, tenant_id }, seen)
  return await accountOf(tx, { details })
}
