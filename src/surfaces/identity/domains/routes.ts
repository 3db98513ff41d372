/** Routes about the domains of the caller's organization. */
import { looked, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { claimDomain, ClaimDomain } from './claim-domain.ts'
import { DomainState, OrganizationDomain, Row, viewOf } from './domain-row.ts'
import { removeDomain } from './remove-domain.ts'
import { verifyDomain } from './verify-domain.ts'

const path = '/v1/organization/domains'

const { open, create, list, post, del } = routesOf<Deps>({
  absent: 'organization_domain_not_found',
  permission: 'identity.organization.write',
  added: true,
})

export const domainRoutes = open({
  listOrganizationDomains: list(path, 'List the domains of my organization, newest first', {
    from: 'identity.organization_domains',
    row: Row,
    item: OrganizationDomain,
    view: viewOf,
    where: sql`t.state <> 'removed'`,
    time: 'id',
    filters: { state: looked(DomainState) },
    find: [],
  }),

  claimOrganizationDomain: create(
    path,
    'Claim a domain for my organization',
    {
      sends: [],
      description:
        'Publish `record_value` as a TXT record of `record_name`, then call `POST /v1/organization/domains/{domain_id}/verify`.',
      idempotency: 'optional',
      body: ClaimDomain,
      reply: OrganizationDomain,
      fails: ['already_exists', 'domain_taken', 'quota_exceeded'],
    },
    async ({ tx, principal, body }, deps) => viewOf(await claimDomain(tx, deps, principal, body)),
  ),

  verifyOrganizationDomain: post(
    `${path}/{domain_id}/verify`,
    'Look for the DNS record of a domain',
    {
      sends: [],
      transaction: 'own',
      reply: OrganizationDomain,
      fails: ['domain_record_missing', 'domain_taken'],
    },
    async ({ db, principal, params }, deps) =>
      viewOf(await verifyDomain(db, deps, principal, params.domain_id)),
  ),

  removeOrganizationDomain: del(
    `${path}/{domain_id}`,
    'Remove a domain of my organization',
    {},
    async ({ tx, principal, params }) => await removeDomain(tx, principal, params.domain_id),
  ),
})
