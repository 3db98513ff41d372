/**
 * Adds an identity at a provider to the account that began the linking: the ticket names that account, so
 * nobody can be made to link an identity that is somebody else's.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { closed } from '../../../kernel/http/shapes.ts'
import { accountById } from '../accounts/find.ts'
import { problem } from '../errors.ts'
import { tellOwner } from '../mails/tell-owner.ts'
import { consume } from '../one-time.ts'
import { OneTimeToken } from '../schemas.ts'
import type { Seen } from '../security/record.ts'
import { holdIdentity, storeIdentity, type ExternalIdentity } from './store-identity.ts'

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
  const found = await consume(tx, ['oidc_ticket'], oidc_ticket)
  const details = found?.details
  if (!found || found.account_id !== principal.id || !Value.Check(LinkDetails, details)) {
    throw problem('oidc_ticket_invalid')
  }
  await holdIdentity(tx, details)
  const account = { id: principal.id, tenant_id: found.tenant_id }
  const stored = await storeIdentity(tx, account, details, seen)
  if (!stored) throw problem('external_identity_taken')
  const owner = await accountById(tx, principal.id)
  if (owner) await tellOwner(tx, owner, 'identity_linked')
  return stored
}
