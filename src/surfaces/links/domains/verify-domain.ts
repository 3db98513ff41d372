/**
 * Verifies a claim. DNS is read first, outside any transaction. Then one conditional statement
 * verifies the claim for exactly the secret that was found. A suspended host of another owner
 * passes to the account that verifies it, but the links of the old owner do not.
 */
import { Type } from 'typebox'
import { Id, sql, violates, type Db, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Domain } from '../schemas.ts'
import {
  announceDomain,
  Changed,
  changed_columns,
  columns,
  proofs,
  wholeDomain,
} from './domain-row.ts'

const Claim = Type.Object({
  id: Id,
  hostname: Type.String(),
  state: Type.String(),
  verification_token_hash: Type.Unknown(),
})

type Verifying = Pick<Deps, 'kernel' | 'lookUpTxt' | 'changes'>

export async function verifyDomain(
  db: Db,
  deps: Verifying,
  principal: Principal,
  id: string,
): Promise<Domain> {
  const { tenant_id, id: owner_id } = principal
  const many = deps.kernel.settings['links.verifications_per_minute']
  const claim = await db.tx(async tx => {
    const found = await tx.maybe(
      Claim,
      sql`
        select id, hostname, state, verification_token_hash from links.domains
        where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}
          and state <> 'removed'`,
    )
    if (!found) throw problem('domain_not_found')
    await deps.kernel.take(tx, [{ name: 'links.verify', of: id, many, per_seconds: 60 }])
    return found
  })
  const name = proofs.recordName(claim.hostname)
  const records = await deps.lookUpTxt(name)
  const hash = claim.verification_token_hash as Buffer // bytea
  if (records === 'unanswered') {
    throw failed(`DNS did not answer for ${name}; try again in a moment.`)
  }
  if (!proofs.isProof(records, hash)) {
    throw failed(
      `${name} has no TXT record with the value of this claim; a new one may take a while.`,
    )
  }
  try {
    return await db.tx(tx => activate(tx, deps, principal, { ...claim, hash }))
  } catch (error) {
    // Another account verified the same host between our two statements.
    if (violates(error, 'domains_proven')) throw problem('domain_in_use', {}, { cause: error })
    throw error
  }
}

/** The error does not reveal the records that were found. */
function failed(detail: string) {
  return problem('domain_verification_failed', { detail })
}

async function activate(
  tx: Tx,
  { kernel, changes }: Verifying,
  { tenant_id, id: owner_id }: Principal,
  { id, hostname, hash }: { readonly id: string; readonly hostname: string; readonly hash: Buffer },
): Promise<Domain> {
  const held = await tx.maybe(
    Type.Object({ state: Type.String() }),
    sql`
      select state from links.domains
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}
        and state <> 'removed' and verification_token_hash = ${hash}
        and (state <> 'pending_verification' or verification_expires_at > kernel.now())
      for update`,
  )
  if (!held) throw failed('The claim was changed, or its time is over: ask for a new record.')
  const lost = await tx.maybe(
    Changed,
    sql`
      -- any tenant: the former owner of the host could not prove it any more and loses it
      update links.domains
      set state = 'removed', next_check_at = null, version = version + 1, updated_at = kernel.now()
      where hostname = ${hostname} and state = 'suspended' and id <> ${id}
      returning ${changed_columns}`,
  )
  if (lost) announceDomain(tx, 'domain.removed', lost, { reason: 'transferred' })
  const check_seconds = kernel.settings['links.domain_check_seconds']
  const proven = await tx.one(
    Domain,
    sql`
      update links.domains
      set state = 'active', missed_checks = 0, missing_since = null, checked_at = kernel.now(),
        next_check_at = kernel.now() + make_interval(secs => ${check_seconds}),
        version = version + (state <> 'active')::int, updated_at = kernel.now()
      where tenant_id = ${tenant_id} and id = ${id}
      returning ${columns}`,
  )
  if (held.state !== 'active') {
    const transferred_from = lost?.id ?? null
    announceDomain(tx, 'domain.verified', { tenant_id, ...proven }, { transferred_from })
  }
  // A repeated request publishes the change too, because the first one may have failed between its
  // commit and its wait.
  await changes.changed(tx, lost ? [wholeDomain(proven), wholeDomain(lost)] : [wholeDomain(proven)])
  return proven
}
