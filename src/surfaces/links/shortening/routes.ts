/**
 * Routes of the creators of links. A link of another owner is a 404. An account also manages the
 * links of its API keys.
 */
import { Type } from 'typebox'
import { expectedVersions } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'
import { findDomain } from '../domains/find-domain.ts'
import { ownerOfLink, ownerOfList } from '../owners.ts'
import {
  Code,
  CreateLink,
  CreateLinks,
  Link,
  LinkBatch,
  LinkPage,
  OnDomain,
  PatchLink,
  refused_of_links,
} from '../schemas.ts'
import { createLinks, patience_ms } from './create-links.ts'
import { deleteLink } from './delete-link.ts'
import { findLink, linkView, tagOf } from './link-row.ts'
import { filled, LinkQuery, listLinks, placeOf } from './list-links.ts'
import { acceptedFormat, qrCode, QrQuery } from './qr-code.ts'
import { updateLink } from './update-link.ts'
import { limit } from '../../../kernel/limits.ts'

const absent = 'link_not_found'
const params = { code: Code }
const batch_bytes_max = limit(
  'links.batch_bytes',
  1024 * 1024,
  'bytes',
  'Largest body of a batch of links',
)

const creation_fails = [
  'alias_invalid',
  'alias_reserved',
  'alias_taken',
  'destination_not_allowed',
  'domain_not_active',
  'domain_not_found',
  'expires_at_invalid',
  'quota_exceeded',
  'redirect_status_unsafe',
]

export function shorteningRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(deps),
    batchRoute(deps),
    listRoute(deps),
    readRoute(deps),
    updateRoute(deps),
    deleteRoute(deps),
    qrRoute(deps),
  ]
}

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/links',
    name: 'createLink',
    summary: 'Create a short link',
    description: 'Without an `alias` the platform chooses the code.',
    sends: ['etag', 'location'],
    permission: 'links.links.create',
    idempotency: 'optional',
    body: CreateLink,
    refuses: refused_of_links,
    replies: { 201: Link },
    fails: creation_fails,
    replayed: () => deps.changes.settled(patience_ms),
    handle: async ({ tx, principal, body }) => {
      const [made] = await createLinks(tx, deps, principal, [body], () => '')
      if (!made) throw new Error('one order makes one link')
      return reply(201, made.view, { location: made.path, etag: tagOf(made.view) })
    },
  })
}

function batchRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/links/batches',
    name: 'createLinks',
    summary: 'Create up to 100 short links, all or none',
    permission: 'links.links.create',
    added: true,
    idempotency: 'optional',
    body_limit_bytes: batch_bytes_max,
    body: CreateLinks,
    refuses: refused_of_links,
    replies: { 201: LinkBatch },
    fails: creation_fails,
    replayed: () => deps.changes.settled(patience_ms),
    handle: async ({ tx, principal, body }) => {
      const made = await createLinks(tx, deps, principal, body.links, at => `/links/${at}`)
      return reply(201, { data: made.map(({ view }) => view) })
    },
  })
}

function listRoute(deps: Deps): Route {
  const { cursors, settings } = deps.kernel
  return route({
    method: 'GET',
    path: '/v1/links',
    name: 'listLinks',
    summary: 'List my links, newest first',
    description:
      'Links that an API key of yours created are listed with its id as `owner_id`. A request reads at most `links.list_rows` links. With a filter, a page may therefore have fewer items than its limit, or none. `has_more` says whether more may follow.',
    permission: 'links.links.read',
    added: true,
    query: LinkQuery,
    replies: { 200: LinkPage },
    fails: ['domain_not_found'],
    handle: async ({ tx, principal: caller, query, list }) => {
      const principal = await ownerOfList(tx, deps, caller, query.owner_id)
      const domain =
        query.domain === undefined ? null : await findDomain(tx, deps, principal, query.domain)
      const place = cursors.start(list)
      const rows_max = settings['links.list_rows']
      const looked = await listLinks(tx, principal, query, domain, { ...place, rows_max })
      const { body, headers } = cursors.page(list, filled(looked, place.fetch), placeOf)
      const found = body.data.filter(row => row.wanted)
      const data = found.map(
        ({ hostname, created_us: _us, wanted: _wanted, last: _last, ...row }) =>
          linkView(deps, row, {
            hostname: hostname ?? deps.platform.hostname,
            own: hostname !== null,
          }),
      )
      return reply(200, { ...body, data }, headers)
    },
  })
}

function readRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/links/{code}',
    name: 'getLink',
    summary: 'Get a link of mine',
    sends: ['etag'],
    permission: 'links.links.read',
    absent,
    params,
    query: OnDomain,
    replies: { 200: Link },
    fails: ['domain_not_found'],
    handle: async ({ tx, principal: caller, params, query }) => {
      const principal = await ownerOfLink(tx, deps, caller, {
        code: params.code,
        domain: query.domain,
      })
      const domain = await findDomain(tx, deps, principal, query.domain)
      const row = await findLink(tx, principal, domain, params.code)
      const view = linkView(deps, row, domain)
      return reply(200, view, { etag: tagOf(view) })
    },
  })
}

function updateRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path: '/v1/links/{code}',
    name: 'updateLink',
    summary: 'Change the destination, expiry or redirect status of my link',
    description: 'Caches forget the old destination within a second.',
    sends: ['etag'],
    permission: 'links.links.update',
    absent,
    params,
    query: OnDomain,
    body: PatchLink,
    refuses: refused_of_links,
    replies: { 200: Link },
    fails: [
      'destination_not_allowed',
      'domain_not_found',
      'expires_at_invalid',
      'invalid_transition',
      'link_disabled_by_safety',
      'precondition_failed',
      'redirect_status_unsafe',
    ],
    handle: async ({ tx, principal: caller, params, query, body, request }) => {
      const versions = expectedVersions(request.headers['if-match'])
      const principal = await ownerOfLink(tx, deps, caller, {
        code: params.code,
        domain: query.domain,
      })
      const domain = await findDomain(tx, deps, principal, query.domain)
      const target = { domain, code: params.code }
      const row = await updateLink(tx, deps, principal, target, body, versions)
      const view = linkView(deps, row, domain)
      return reply(200, view, { etag: tagOf(view) })
    },
  })
}

function deleteRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/links/{code}',
    name: 'deleteLink',
    summary: 'Delete my link; its code is never used again',
    permission: 'links.links.delete',
    absent,
    params,
    query: OnDomain,
    replies: { 204: null },
    fails: ['domain_not_found', 'precondition_failed'],
    handle: async ({ tx, principal: caller, params, query, request }) => {
      const versions = expectedVersions(request.headers['if-match'])
      const principal = await ownerOfLink(tx, deps, caller, {
        code: params.code,
        domain: query.domain,
      })
      const domain = await findDomain(tx, deps, principal, query.domain)
      await deleteLink(tx, deps, principal, { domain, code: params.code }, versions)
      return reply(204, null)
    },
  })
}

function qrRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/links/{code}/qr',
    name: 'getLinkQrCode',
    summary: 'Get the QR code of my link, as SVG or PNG',
    sends: ['etag'],
    permission: 'links.links.read',
    added: true,
    absent,
    params,
    query: QrQuery,
    produces: ['image/svg+xml', 'image/png'],
    headers: { 'cache-control': 'private, max-age=3600' },
    replies: { 200: Type.Unsafe<string | Uint8Array>(Type.String()) },
    fails: ['domain_not_found'],
    handle: async ({ tx, principal: caller, params, query, request }) => {
      const principal = await ownerOfLink(tx, deps, caller, {
        code: params.code,
        domain: query.domain,
      })
      const domain = await findDomain(tx, deps, principal, query.domain)
      const row = await findLink(tx, principal, domain, params.code)
      const format = query.format ?? acceptedFormat(request.headers['accept'])
      const { short_url } = linkView(deps, row, domain)
      const { body, headers } = await qrCode(short_url, { ...query, format })
      return reply(200, body, { ...headers, vary: 'accept, origin' })
    },
  })
}
