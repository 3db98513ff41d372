/**
 * Makes a new secret for a claim. The old record is no longer accepted, not even at the next daily
 * check.
 */
import { Type } from 'typebox'
import { sql, Time, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Domain, type NewDomain } from '../schemas.ts'
import { withProof } from './claim-domain.ts'
import { columns, proofs } from './domain-row.ts'

const Renewed = Type.Object({ ...Domain.properties, verification_expires_at: Time })

export async function renewProof(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'platform'>,
  { tenant_id, id: owner_id }: Principal,
  id: string,
): Promise<NewDomain> {
  const proof = proofs.make()
  const ttl_seconds = deps.kernel.settings['links.verification_ttl_seconds']
  const renewed = await tx.maybe(
    Renewed,
    sql`
      update links.domains
      set verification_token_hash = ${proof.hash}, updated_at = kernel.now(),
        verification_expires_at = kernel.now() + make_interval(secs => ${ttl_seconds})
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}
        and state <> 'removed'
      returning ${columns}, verification_expires_at`,
  )
  if (!renewed) throw problem('domain_not_found')
  return withProof(deps, renewed, proof)
}
