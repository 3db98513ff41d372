/**
 * Routes of the creators of links. A link of another owner is a 404. An account also manages the
 * links of its API keys.
 */
import { Type } from 'typebox'
import { expectedVersions, limit, reply, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { findDomain } from '../domains/find-domain.ts'
import { ownerOfList, ownLink } from '../owners.ts'
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

const { open, get, create, patch, del } = routesOf<Deps>({
  absent: 'link_not_found',
  read: 'links.links.read',
  params: { code: Code },
})

export const shorteningRoutes = open({
  createLink: create(
    '/v1/links',
    'Create a short link',
    {
      sends: ['etag', 'location'],
      description: 'Without an `alias` the platform chooses the code.',
      permission: 'links.links.create',
      idempotency: 'optional',
      body: CreateLink,
      refuses: refused_of_links,
      reply: Link,
      fails: creation_fails,
    },
    {
      handle: async ({ tx, principal, body }, deps) => {
        const [made] = await createLinks(tx, deps, principal, [body], () => '')
        if (!made) throw new Error('one order makes one link')
        return reply(201, made.view, { location: made.path, etag: tagOf(made.view) })
      },
      replayed: deps => deps.changes.settled(patience_ms),
    },
  ),

  createLinks: create(
    '/v1/links/batches',
    'Create up to 100 short links, all or none',
    {
      permission: 'links.links.create',
      added: true,
      idempotency: 'optional',
      body_limit_bytes: batch_bytes_max,
      body: CreateLinks,
      refuses: refused_of_links,
      reply: LinkBatch,
      fails: creation_fails,
    },
    {
      handle: async ({ tx, principal, body }, deps) => {
        const made = await createLinks(tx, deps, principal, body.links, at => `/links/${at}`)
        return { data: made.map(({ view }) => view) }
      },
      replayed: deps => deps.changes.settled(patience_ms),
    },
  ),

  listLinks: get(
    '/v1/links',
    'List my links, newest first',
    {
      description:
        'Links that an API key of yours created are listed with its id as `owner_id`. A request reads at most `links.list_rows` links. With a filter, a page may therefore have fewer items than its limit, or none. `has_more` says whether more may follow.',
      added: true,
      query: LinkQuery,
      reply: LinkPage,
      fails: ['domain_not_found'],
    },
    async ({ tx, principal: caller, query, list }, deps) => {
      const { cursors, settings } = deps.kernel
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
  ),

  getLink: get(
    '/v1/links/{code}',
    'Get a link of mine',
    { query: OnDomain, reply: Link, fails: ['domain_not_found'] },
    async ({ tx, principal: caller, params, query }, deps) => {
      const { code } = params
      const { principal, domain } = await ownLink(tx, deps, caller, code, query.domain)
      const row = await findLink(tx, principal, domain, code)
      const view = linkView(deps, row, domain)
      return reply(200, view, { etag: tagOf(view) })
    },
  ),

  updateLink: patch(
    '/v1/links/{code}',
    'Change the destination, expiry or redirect status of my link',
    {
      description: 'Caches forget the old destination within a second.',
      permission: 'links.links.update',
      query: OnDomain,
      body: PatchLink,
      refuses: refused_of_links,
      reply: Link,
      fails: [
        'destination_not_allowed',
        'domain_not_found',
        'expires_at_invalid',
        'invalid_transition',
        'link_disabled_by_safety',
        'precondition_failed',
        'redirect_status_unsafe',
      ],
    },
    async ({ tx, principal: caller, params, query, body, if_match }, deps) => {
      const versions = expectedVersions(if_match)
      const { code } = params
      const { principal, domain } = await ownLink(tx, deps, caller, code, query.domain)
      const row = await updateLink(tx, deps, principal, { domain, code }, body, versions)
      const view = linkView(deps, row, domain)
      return reply(200, view, { etag: tagOf(view) })
    },
  ),

  deleteLink: del(
    '/v1/links/{code}',
    'Delete my link; its code is never used again',
    {
      permission: 'links.links.delete',
      query: OnDomain,
      fails: ['domain_not_found', 'precondition_failed'],
    },
    async ({ tx, principal: caller, params, query, if_match }, deps) => {
      const versions = expectedVersions(if_match)
      const { code } = params
      const { principal, domain } = await ownLink(tx, deps, caller, code, query.domain)
      await deleteLink(tx, deps, principal, { domain, code }, versions)
    },
  ),

  getLinkQrCode: get(
    '/v1/links/{code}/qr',
    'Get the QR code of my link, as SVG or PNG',
    {
      sends: ['etag'],
      added: true,
      query: QrQuery,
      produces: ['image/svg+xml', 'image/png'],
      headers: { 'cache-control': 'private, max-age=3600' },
      reply: Type.Unsafe<string | Uint8Array>(Type.String()),
      fails: ['domain_not_found'],
    },
    async ({ tx, principal: caller, params, query, request }, deps) => {
      const { code } = params
      const { principal, domain } = await ownLink(tx, deps, caller, code, query.domain)
      const row = await findLink(tx, principal, domain, code)
      const format = query.format ?? acceptedFormat(request.headers['accept'])
      const { short_url } = linkView(deps, row, domain)
      const { body, headers } = await qrCode(short_url, { ...query, format })
      return reply(200, body, { ...headers, vary: 'accept, origin' })
    },
  ),
})
