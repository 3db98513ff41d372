/**
 * Routes of custom domains. Only the owner may use them, and the account whose API key is the owner.
 * Any other caller gets a 404.
 */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { page } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { Id, pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { ownerOfDomain, ownerOfList } from '../owners.ts'
import { ClaimDomain, Domain, DomainPage, NewDomain } from '../schemas.ts'
import { claimDomain } from './claim-domain.ts'
import { columns, findOwnDomain } from './domain-row.ts'
import { removeDomain } from './remove-domain.ts'
import { renewProof } from './renew-proof.ts'
import { verifyDomain } from './verify-domain.ts'

const permission = 'links.domains.manage'
const absent = 'domain_not_found'

export function domainRoutes(deps: Deps): readonly Route[] {
  return [
    claimRoute(deps),
    listRoute(deps),
    readRoute(deps),
    verifyRoute(deps),
    renewRoute(deps),
    removeRoute(deps),
  ]
}

function claimRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/domains',
    name: 'claimDomain',
    summary: 'Claim a domain for your links; the DNS record that proves it is shown once',
    description:
      'Publish the returned DNS record, then call `POST /v1/domains/{domain_id}/verify`.',
    sends: ['location'],
    permission,
    body: ClaimDomain,
    replies: { 201: NewDomain },
    fails: [
      'destination_not_allowed',
      'domain_exists',
      'domain_in_use',
      'hostname_invalid',
      'quota_exceeded',
    ],
    handle: async ({ tx, principal, body }) => {
      const made = await claimDomain(tx, deps, principal, body)
      return reply(201, made, { location: `/v1/domains/${made.id}` })
    },
  })
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/domains',
    name: 'listDomains',
    summary: 'List my domains, newest first',
    description: 'Domains of an API key of yours are listed with its id as `owner_id`.',
    permission,
    added: true,
    query: pageQuery({ owner_id: Type.Optional(Id) }),
    replies: { 200: DomainPage },
    handle: async ({ tx, principal: caller, query, list }) => {
      const principal = await ownerOfList(tx, deps, caller, query.owner_id)
      const { body, headers } = await page(tx, {
        scope: list,
        row: Domain,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${columns} from links.domains
          where tenant_id = ${principal.tenant_id} and owner_id = ${principal.id}
            and state <> 'removed' and (${after.id}::uuid is null or id < ${after.id}::uuid)
          order by id desc limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function readRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/domains/{domain_id}',
    name: 'getDomain',
    summary: 'Get a domain of mine',
    permission,
    added: true,
    absent,
    replies: { 200: Domain },
    handle: async ({ tx, principal, params }) => {
      const owner = await ownerOfDomain(tx, deps, principal, params.domain_id)
      return reply(200, await findOwnDomain(tx, owner, params.domain_id))
    },
  })
}

function verifyRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/domains/{domain_id}/verify',
    name: 'verifyDomain',
    summary: 'Look for the DNS record that proves a claim',
    permission,
    added: true,
    absent,
    replies: { 200: Domain },
    fails: ['domain_in_use', 'domain_verification_failed'],
    transaction: 'own',
    handle: async ({ db, principal, params }) => {
      const owner = await ownerOfDomain(db, deps, principal, params.domain_id)
      return reply(200, await verifyDomain(db, deps, owner, params.domain_id))
    },
  })
}

function renewRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/domains/{domain_id}/verification-token',
    name: 'renewDomainToken',
    summary: 'Create a new DNS record for a domain claim; the old one becomes invalid',
    permission,
    added: true,
    absent,
    replies: { 200: NewDomain },
    handle: async ({ tx, principal, params }) => {
      const owner = await ownerOfDomain(tx, deps, principal, params.domain_id)
      return reply(200, await renewProof(tx, deps, owner, params.domain_id))
    },
  })
}

function removeRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/domains/{domain_id}',
    name: 'removeDomain',
    summary: 'Remove a domain; its links stop working immediately',
    permission,
    added: true,
    absent,
    replies: { 204: null },
    handle: async ({ tx, principal, params }) => {
      const owner = await ownerOfDomain(tx, deps, principal, params.domain_id)
      await removeDomain(tx, deps, owner, params.domain_id)
      return reply(204, null)
    },
  })
}
