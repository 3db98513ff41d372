/**
 * Looks for the record of a domain on request. DNS is read outside any transaction. Then one
 * conditional statement verifies the domain; of two tenants that prove one at once, the unique index
 * lets one have it.
 */
import { sql, violates, type Db, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { announceDomain, columns, proofs, requireDomain, Row } from './domain-row.ts'

type Verifying = Pick<Deps, 'kernel' | 'lookUpTxt'>

export async function verifyDomain(
  db: Db,
  deps: Verifying,
  { tenant_id }: Principal,
  id: string,
): Promise<Row> {
  const { settings } = deps.kernel
  const many = settings['identity.domain_verifications_per_minute']
  const claim = await db.tx(async tx => {
    const found = await requireDomain(tx, tenant_id, id)
    await deps.kernel.take(tx, [{ name: 'identity.verify_domain', of: id, many, per_seconds: 60 }])
    return found
  })
  const name = proofs.recordName(claim.domain)
  const records = await deps.lookUpTxt(name)
  if (records === 'unanswered') {
    throw failed(`DNS did not answer for ${name}. Try again in a moment.`)
  }
  if (!records.some(record => record.trim() === claim.record_value)) {
    throw failed(
      `${name} has no TXT record with the \`record_value\` of this domain. A new record may take a while.`,
    )
  }
  return await db
    .tx(tx => verify(tx, deps, { ...claim, tenant_id }))
    .catch((error: unknown) => {
      throw violates(error, 'organization_domains_verified')
        ? problem('domain_taken', {}, { cause: error })
        : error
    })
}

/** The error does not reveal the records that were found. */
function failed(detail: string) {
  return problem('domain_record_missing', { detail })
}

async function verify(
  tx: Tx,
  { kernel: { settings } }: Verifying,
  { tenant_id, id, record_value }: Row & { readonly tenant_id: string },
): Promise<Row> {
  const verified = await tx.maybe(
    Row,
    sql`
      update identity.organization_domains
      set state = 'verified', missed_checks = 0, checked_at = kernel.now(), version = version + 1,
        due_at = kernel.now()
          + make_interval(secs => ${settings['identity.domain_check_seconds']})
      where tenant_id = ${tenant_id} and id = ${id} and record_value = ${record_value}
        and state in ('pending', 'lost')
      returning ${columns}`,
  )
  if (!verified) return await requireDomain(tx, tenant_id, id)
  announceDomain(tx, 'changed', tenant_id, verified)
  tx.audit('identity.organization_domains.verify', id)
  return verified
}
