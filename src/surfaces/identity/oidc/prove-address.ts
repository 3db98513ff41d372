/**
 * Joins an identity of a tenant's provider with a mailed code, where the provider may not speak for
 * the address. The code proves the mailbox, and the ticket says who came back from the provider. The
 * identity is linked to the account that the code opens. A person who is not a member yet becomes a guest
 * of the tenant, where its connection lets new people in.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { Id, sql, type Reader, type Tx } from '#dodeca/kernel'
import { giveMappedRoles } from '../connections/give-mapped-roles.ts'
import { issuerOf, openConnection } from '../connections/connection.ts'
import { Said } from '../connections/said-by.ts'
import { serves } from '../connections/trust.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requestLoginCode } from '../login-codes/request-code.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { consume, peek } from '../one-time.ts'
import type { AcceptedRequest } from '../requests.ts'
import { assignRole, member_role } from '../roles/assign-role.ts'
import { isOperator } from '../roles/require-rank.ts'
import { emailScope, maySignUp } from '../tenants/resolve-tenant.ts'
import type { AccountRow } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { storeIdentity } from './store-identity.ts'

const ProofDetails = Type.Object({
  use: Type.Literal('proof'),
  provider: Id,
  issuer: Type.String(),
  subject: Type.String(),
  email: Type.String(),
  email_normalized: Type.String(),
  email_scope: Id,
  /** A changed connection may lead to another provider, with other people of the same names. */
  connection_version: Type.Integer(),
  ...Said.properties,
})
export type Proof = Static<typeof ProofDetails>

export function isProof(details: unknown): details is Proof {
  return Value.Check(ProofDetails, details)
}

export async function peekProof(reader: Reader, ticket: string): Promise<Proof | undefined> {
  const details = (await peek(reader, ['oidc_ticket'], ticket))?.details
  return isProof(details) ? details : undefined
}

const no_member =
  'The organization lets in only people who belong to it. Ask its administrator for an invitation.'
const an_operator =
  'An operator of the platform does not log in at the provider of an organization.'

type Joined = { readonly ticket: string; readonly proof: Proof; readonly account: AccountRow }

/** The caller has locked the identity and the account, and used the code up. */
export async function joinIdentity(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions'>,
  { ticket, proof, account }: Joined,
  seen: Seen,
): Promise<{ amr: readonly string[]; strong: boolean; connection_id: string }> {
  const { provider: connection_id, strong } = proof
  const connection = await openConnection(tx, deps.kernel.keys, connection_id)
  const stands = connection?.version === proof.connection_version
  if (!connection || !stands || !(await consume(tx, ['oidc_ticket'], ticket))) {
    throw problem('invalid_credentials')
  }
  if (await isOperator(tx, account.id)) {
    throw problem('permission_denied', { detail: an_operator })
  }
  const { tenant_id, preset, jit } = connection
  if (!(await serves(tx, connection, account))) {
    // Anybody may have an account at a known provider.
    const lets_in = jit && (preset === null || (await maySignUp(tx, tenant_id)))
    if (!lets_in) throw problem('permission_denied', { detail: no_member })
    const role = { account_id: account.id, tenant_id, role_id: member_role }
    await assignRole(tx, deps, role, { actor: issuerOf(connection_id), seen })
  }
  if (!(await storeIdentity(tx, account, proof, seen))) throw problem('external_identity_taken')
  await notifyOwner(tx, account, 'identity_linked')
  await giveMappedRoles(tx, deps, account, proof, seen)
  return { amr: strong ? ['oidc', 'mfa'] : ['oidc'], strong, connection_id }
}

const Named = Type.Object({ id: Id, slug: Type.String(), open: Type.Boolean() })

/** Mails the code for a ticket, for a page that knows no more than the ticket. */
export async function mailProof(
  deps: Pick<Deps, 'kernel'>,
  ticket: string,
  locale: string,
  seen: Seen,
): Promise<AcceptedRequest | undefined> {
  const { kernel } = deps
  const proof = await peekProof(kernel.db, ticket)
  if (!proof) return undefined
  const tenant = await kernel.db.one(
    Named,
    sql`
      select t.id, t.slug, t.signup = 'open' as open from identity.tenants t
      join identity.connections c on c.tenant_id = t.id
      where c.id = ${proof.provider}`,
  )
  // A new account is at home in the tenant only where that is open for registrations.
  const here = tenant.open || emailScope(kernel, tenant.id) === tenant.id
  const named = here ? { tenant: tenant.slug } : {}
  return await requestLoginCode(deps, { email: proof.email, locale, ...named }, seen)
}
