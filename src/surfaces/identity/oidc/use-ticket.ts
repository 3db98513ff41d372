/**
 * The two uses of a ticket: to log in, or to add an identity at a provider to the account that
 * began the linking. The ticket names that account, so an attacker cannot make a person link
 * another identity.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { closed, Id, sql, type Principal, type Tx } from '#dodeca/kernel'
import { accountById, accountColumns } from '../accounts/find-account.ts'
import { giveMappedRoles } from '../connections/give-mapped-roles.ts'
import { Said } from '../connections/said-by.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { consumeOfAccount, peek } from '../one-time.ts'
import { AccountRow, OneTimeToken } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { requireOwnSession } from '../sessions/require-own-session.ts'
import { isProof } from './prove-address.ts'
import { holdActive, holdIdentity, storeIdentity, type ExternalIdentity } from './store-identity.ts'

export const LinkIdentity = closed({ oidc_ticket: OneTimeToken })
type LinkIdentity = Static<typeof LinkIdentity>

const LinkDetails = Type.Object({
  use: Type.Literal('link'),
  provider: Type.String(),
  issuer: Type.String(),
  subject: Type.String(),
})

export async function linkIdentity(
  tx: Tx,
  principal: Principal,
  { oidc_ticket }: LinkIdentity,
  seen: Seen,
): Promise<ExternalIdentity> {
  await requireOwnSession(tx, principal)
  const found = await peek(tx, ['oidc_ticket'], oidc_ticket)
  const details = found?.details
  if (!found || found.account_id !== principal.id || !Value.Check(LinkDetails, details)) {
    throw problem('oidc_ticket_invalid')
  }
  // In the same order as a log-in at a provider: the identity, then the account.
  await holdIdentity(tx, details)
  if (!(await consumeOfAccount(tx, ['oidc_ticket'], oidc_ticket))) {
    throw problem('oidc_ticket_invalid')
  }
  const owner = await accountById(tx, principal.id)
  if (!owner || !(await holdActive(tx, owner))) throw problem('oidc_ticket_invalid')
  const stored = await storeIdentity(tx, owner, details, seen)
  if (!stored) throw problem('external_identity_taken')
  await notifyOwner(tx, owner, 'identity_linked')
  return stored
}

const LoginDetails = Type.Object({
  use: Type.Literal('login'),
  external_identity_id: Id,
  ...Said.properties,
})

type Redeemed = {
  readonly account: AccountRow
  readonly amr: readonly string[]
  /** Whether the provider has checked a second factor. */
  readonly strong: boolean
  readonly connection_id: string | null
}

/**
 * Uses up the ticket and returns its account, with the roles that the claims map to. Refuses a ticket
 * whose identity was unlinked since.
 */
export async function redeemTicket(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions'>,
  ticket: string,
  seen: Seen,
): Promise<Redeemed> {
  const found = await consumeOfAccount(tx, ['oidc_ticket'], ticket)
  const details = found?.details
  if (isProof(details)) throw problem('address_proof_required')
  if (!found || !Value.Check(LoginDetails, details)) throw problem('invalid_credentials')
  // Locks the account's row and then its credential, in the same order as a reset.
  const account = await tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts a
      where a.id = ${found.account_id} and a.status = 'active'
        and exists (select from identity.external_identities e
          where e.id = ${details.external_identity_id} and e.account_id = a.id
            and e.unlinked_at is null)
      for share`,
  )
  if (!account) throw problem('invalid_credentials')
  const { connection_id, strong } = details
  if (connection_id) await giveMappedRoles(tx, deps, account, details, seen)
  return { account, amr: strong ? ['oidc', 'mfa'] : ['oidc'], strong, connection_id }
}
