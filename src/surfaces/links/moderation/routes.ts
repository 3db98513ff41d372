/** Routes that keep links safe: reports from the public, and moderation. */
import { equal, looked, reply, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { findAnyDomain } from '../domains/find-domain.ts'
import { Code, Link, OnDomain } from '../schemas.ts'
import { linkView, tagOf } from '../shortening/link-row.ts'
import { AddEntry, addEntry, Entry, Kind, NewEntry, removeEntry, shown } from './blocklist.ts'
import { Moderate, moderateLink } from './moderate-link.ts'
import { Received, Report, ReportLink, reportLink, ReportState } from './report-link.ts'

const { open, list, create, post, del } = routesOf<Deps>({
  absent: 'link_not_found',
  write: 'links.blocklist.manage',
  added: true,
  params: { code: Code },
})

export const moderationRoutes = open({
  reportLink: create(
    '/v1/link-reports',
    'Report a harmful short link',
    { sends: [], permission: 'public', body: ReportLink, reply: Received },
    async ({ tx, body, request }, deps) => await reportLink(tx, deps, body, request.ip),
  ),

  listLinkReports: list('/v1/link-reports', 'List the reports from the public, newest first', {
    permission: 'links.reports.read',
    from: 'links.link_reports',
    of_platform: true,
    row: Report,
    time: 'id',
    filters: { state: equal(ReportState) },
    find: [],
  }),

  moderateLink: post(
    '/v1/links/{code}/moderation',
    'Disable, enable or clear a link of any owner',
    {
      permission: 'links.links.moderate',
      query: OnDomain,
      body: Moderate,
      reply: Link,
      fails: ['domain_not_found', 'invalid_transition'],
    },
    async ({ tx, principal, params, query, body }, deps) => {
      const domain = await findAnyDomain(tx, deps, query.domain)
      const row = await moderateLink(tx, deps, principal, { domain, code: params.code }, body)
      const view = linkView(deps, row, domain)
      return reply(200, view, { etag: tagOf(view) })
    },
  ),

  listBlocklistEntries: list('/v1/link-blocklist', 'List the blocked destinations, newest first', {
    permission: 'links.blocklist.manage',
    from: 'links.blocklist',
    of_platform: true,
    row: Entry,
    view: shown,
    item: Entry,
    where: sql`t.removed_at is null`,
    time: 'id',
    filters: { kind: looked(Kind) },
    find: [],
  }),

  removeBlocklistEntry: del(
    '/v1/link-blocklist/{blocklist_id}',
    'Remove an entry of the blocklist; links that it disabled stay disabled',
    { absent: 'blocklist_entry_not_found' },
    async ({ tx, principal, params }) => {
      await removeEntry(tx, principal, params.blocklist_id)
    },
  ),

  addBlocklistEntry: create(
    '/v1/link-blocklist',
    'Block a destination, immediately for new links and by a job for existing ones',
    {
      sends: [],
      idempotency: 'optional',
      body: AddEntry,
      reply: NewEntry,
      fails: ['blocklist_entry_exists', 'pattern_invalid', 'quota_exceeded'],
    },
    async ({ tx, principal, body }, deps) => await addEntry(tx, deps, deps.jobs, principal, body),
  ),
})
