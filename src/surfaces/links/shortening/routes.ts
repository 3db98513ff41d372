/**
 * Routes of the creators of links. A link of another owner is a 404. An account also manages the
 * links of its API keys.
 */
import { Type } from 'typebox'
import {
  equal,
  expectedVersions,
  Id,
  limit,
  looked,
  nullable,
  reply,
  routesOf,
  sql,
  text,
  type Sql,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { findDomain } from '../domains/find-domain.ts'
import { platform_domain_id } from '../domains/platform.ts'
import { ownerOfList, ownLink } from '../owners.ts'
import {
  Code,
  CreateLink,
  CreateLinks,
  Hostname,
  Link,
  LinkBatch,
  OnDomain,
  PatchLink,
  instead_of_links,
  State,
} from '../schemas.ts'
import { createLinks, patience_ms } from './create-links.ts'
import { deleteLink } from './delete-link.ts'
import { expressionsOf, findLink, LinkRow, linkView, tagOf } from './link-row.ts'
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

const expressions = expressionsOf('t')
const hostname = sql`(
  select d.hostname from links.domains d where d.tenant_id = t.tenant_id and d.id = t.domain_id)`
const Listed = Type.Object({ ...LinkRow.properties, hostname: nullable(Type.String()) })
// A link on a removed domain leads nowhere.
const is_reachable = sql`(
  select d.state from links.domains d where d.tenant_id = t.tenant_id and d.id = t.domain_id
  ) is distinct from 'removed'`

const { open, get, list, create, patch, del } = routesOf<Deps>({
  absent: 'link_not_found',
  read: 'links.links.read',
  params: { code: Code },
})

export const shorteningRoutes = open({
  createLink: create(
    '/v1/links',
    'Create a short link',
    {
      tool: 'write',
      sends: ['etag', 'location'],
      description: 'Without an `alias` the platform chooses the code.',
      permission: 'links.links.create',
      idempotency: 'optional',
      body: CreateLink,
      instead: instead_of_links,
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
      instead: instead_of_links,
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

  listLinks: list('/v1/links', 'List my links, newest first', {
    tool: 'read',
    description:
      'Links that an API key of yours created are listed with its id as `owner_id`. No index finds the links of a domain or with a text, so a page may be short or empty. `has_more` says whether more may follow.',
    added: true,
    from: 'links.links',
    row: Listed,
    columns: { ...expressions, hostname },
    item: Link,
    view: ({ hostname: own, ...row }, deps) =>
      linkView(deps, row, { hostname: own ?? deps.platform.hostname, own: own !== null }),
    where: sql`t.state <> 'deleted'`,
    within: async ({ tx, principal, query: { owner_id, domain } }, deps) => {
      const owner = await ownerOfList(tx, deps, principal, owner_id)
      const is = sql`t.owner_id = ${owner.id}`
      if (domain === undefined) return { is, looked: is_reachable }
      const { id } = await findDomain(tx, deps, owner, domain)
      return { is, looked: sql`t.domain_id = ${id}` }
    },
    time: 'id',
    filters: {
      state: looked(State, state => sql`${expressions.state} = ${state}`),
      domain: equal(Hostname, () => sql`true`),
      q: looked(text(200), hasText),
      owner_id: equal(Id),
    },
    find: [
      {
        column: 'code',
        // On the platform's own domain: no index has the tenant and the code.
        index: null,
        condition: code => sql`t.domain_id = ${platform_domain_id} and t.code = ${code}`,
      },
    ],
    shows: ['code', 'destination_url'],
    fails: ['domain_not_found'],
  }),

  getLink: get(
    '/v1/links/{code}',
    'Get a link of mine',
    { tool: 'read', query: OnDomain, reply: Link, fails: ['domain_not_found'] },
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
      instead: instead_of_links,
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

function hasText(q: string): Sql {
  const pattern = `%${q.replaceAll(/[%_\\]/g, sign => `\\${sign}`)}%`
  return sql`t.code ilike ${pattern} or coalesce(t.title, '') ilike ${pattern}
    or t.destination_url ilike ${pattern}`
}
