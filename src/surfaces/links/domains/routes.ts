/**
 * Routes of custom domains. Only the owner may use them, and the account whose API key is the owner.
 * Any other caller gets a 404.
 */
import { begins, equal, Id, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { ownerOfDomain, ownerOfList } from '../owners.ts'
import { ClaimDomain, Domain, NewDomain } from '../schemas.ts'
import { claimDomain } from './claim-domain.ts'
import { findOwnDomain } from './domain-row.ts'
import { removeDomain } from './remove-domain.ts'
import { renewProof } from './renew-proof.ts'
import { verifyDomain } from './verify-domain.ts'

const { open, get, list, create, post, del } = routesOf<Deps>({
  absent: 'domain_not_found',
  permission: 'links.domains.manage',
  added: true,
})

export const domainRoutes = open({
  claimDomain: create(
    '/v1/domains',
    'Claim a domain for your links; the DNS record that proves it is shown once',
    {
      sends: ['location'],
      description:
        'Publish the returned DNS record, then call `POST /v1/domains/{domain_id}/verify`.',
      record: 'sealed',
      body: ClaimDomain,
      reply: NewDomain,
      fails: [
        'destination_not_allowed',
        'domain_exists',
        'domain_in_use',
        'hostname_invalid',
        'quota_exceeded',
      ],
      added: false,
    },
    async ({ tx, principal, body }, deps) => await claimDomain(tx, deps, principal, body),
  ),

  listDomains: list('/v1/domains', 'List my domains, newest first', {
    description: 'Domains of an API key of yours are listed with its id as `owner_id`.',
    from: 'links.domains',
    row: Domain,
    where: sql`t.state <> 'removed'`,
    within: async ({ tx, principal, query }, deps) => {
      const owner = await ownerOfList(tx, deps, principal, query['owner_id'])
      return sql`t.owner_id = ${owner.id}`
    },
    time: 'id',
    filters: { owner_id: equal(Id) },
    find: [begins('hostname')],
    shows: ['hostname'],
  }),

  getDomain: get(
    '/v1/domains/{domain_id}',
    'Get a domain of mine',
    { sends: [], reply: Domain },
    async ({ tx, principal, params }, deps) => {
      const owner = await ownerOfDomain(tx, deps, principal, params.domain_id)
      return await findOwnDomain(tx, owner, params.domain_id)
    },
  ),

  verifyDomain: post(
    '/v1/domains/{domain_id}/verify',
    'Look for the DNS record that proves a claim',
    {
      sends: [],
      reply: Domain,
      fails: ['domain_in_use', 'domain_verification_failed'],
      transaction: 'own',
    },
    async ({ db, principal, params }, deps) => {
      const owner = await ownerOfDomain(db, deps, principal, params.domain_id)
      return await verifyDomain(db, deps, owner, params.domain_id)
    },
  ),

  renewDomainToken: post(
    '/v1/domains/{domain_id}/verification-token',
    'Create a new DNS record for a domain claim; the old one becomes invalid',
    { sends: [], record: 'sealed', reply: NewDomain },
    async ({ tx, principal, params }, deps) => {
      const owner = await ownerOfDomain(tx, deps, principal, params.domain_id)
      return await renewProof(tx, deps, owner, params.domain_id)
    },
  ),

  removeDomain: del(
    '/v1/domains/{domain_id}',
    'Remove a domain; its links stop working immediately',
    {},
    async ({ tx, principal, params }, deps) => {
      const owner = await ownerOfDomain(tx, deps, principal, params.domain_id)
      await removeDomain(tx, deps, owner, params.domain_id)
    },
  ),
})
