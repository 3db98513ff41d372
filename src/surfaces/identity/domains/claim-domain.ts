/**
 * Claims a domain. A claim alone gives no right, so tenants may claim the same one; the first that
 * proves it has it. While another tenant has it, a claim is refused.
 */
import { Type, type Static } from 'typebox'
import {
  closed,
  newId,
  publicSuffixes,
  sql,
  text,
  violates,
  type Principal,
  type Tx,
} from '#dodeca/kernel'
import { parseEmail } from '../accounts/email.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { announceDomain, columns, proofs, Row } from './domain-row.ts'

export const ClaimDomain = closed({ domain: text(253) }, { title: 'ClaimOrganizationDomain' })

export async function claimDomain(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { tenant_id }: Principal,
  body: Static<typeof ClaimDomain>,
): Promise<Row> {
  const domain = domainOf(body.domain)
  refuseSuffix(domain)
  await refuseTaken(tx, tenant_id, domain)
  await kernel.counted(
    tx,
    `identity.organization_domains:${tenant_id}`,
    kernel.settings['identity.domains_most'],
    sql`
      select from identity.organization_domains
      where tenant_id = ${tenant_id} and state <> 'removed'`,
  )
  const { record_value } = proofs.make()
  const id = newId()
  const made = await tx
    .one(
      Row,
      sql`
        insert into identity.organization_domains (tenant_id, id, domain, record_value)
        values (${tenant_id}, ${id}, ${domain}, ${record_value})
        returning ${columns}`,
    )
    .catch((error: unknown) => {
      throw violates(error, 'organization_domains_claimed') ? problem('already_exists') : error
    })
  announceDomain(tx, 'created', tenant_id, made)
  tx.audit('identity.organization_domains.create', id)
  return made
}

/** As it stands in normalized addresses. */
function domainOf(given: string): string {
  // A port or a path would be lost without a word.
  const is_bare = !/[:/?#@\\]/.test(given)
  const domain = parseEmail(`a@${given.trim()}`)?.normalized.slice(2)
  if (is_bare && domain?.includes('.')) return domain
  throw problem('validation_failed', {
    detail: 'This is not a domain. Send the part of your addresses after the @, such as acme.com.',
    errors: [{ location: 'body', pointer: '/domain', constraint: 'hostname' }],
  })
}

/** Under a public suffix, such as `co.uk` or `github.io`, the names belong to many. */
function refuseSuffix(domain: string): void {
  const parts = { extractHostname: false, allowPrivateDomains: true }
  if (publicSuffixes().parse(domain, parts).domain !== null) return
  throw problem('validation_failed', {
    detail: `The domains under ${domain} belong to many. Send your own one, such as acme.${domain}.`,
    errors: [{ location: 'body', pointer: '/domain', constraint: 'public_suffix' }],
  })
}

async function refuseTaken(tx: Tx, tenant_id: string, domain: string): Promise<void> {
  const taken = await tx.maybe(
    Type.Object({ state: Type.String() }),
    sql`
      -- any tenant: a verified domain belongs to one tenant of the platform
      select state from identity.organization_domains
      where domain = ${domain} and state = 'verified' and tenant_id <> ${tenant_id}`,
  )
  if (taken) throw problem('domain_taken')
}
