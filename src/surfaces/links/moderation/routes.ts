/** Routes that keep links safe: reports from the public, and moderation. */
import { sql } from '../../../kernel/database/sql.ts'
import { page } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'
import { findAnyDomain } from '../domains/find-domain.ts'
import { Code, Link, OnDomain } from '../schemas.ts'
import { linkView, tagOf } from '../shortening/link-row.ts'
import {
  AddEntry,
  addEntry,
  columns as entry_columns,
  Entry,
  EntryPage,
  EntryQuery,
  NewEntry,
  removeEntry,
  shown,
} from './blocklist.ts'
import { Moderate, moderateLink } from './moderate-link.ts'
import {
  columns as report_columns,
  Received,
  Report,
  ReportLink,
  reportLink,
  ReportPage,
  ReportQuery,
} from './report-link.ts'

export function moderationRoutes(deps: Deps): readonly Route[] {
  return [
    reportRoute(deps),
    listReportsRoute(),
    moderateRoute(deps),
    listEntriesRoute(),
    removeEntryRoute(),
    addEntryRoute(deps),
  ]
}

function reportRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/link-reports',
    name: 'reportLink',
    summary: 'Report a harmful short link',
    permission: 'public',
    added: true,
    body: ReportLink,
    replies: { 201: Received },
    handle: async ({ tx, body, request }) =>
      reply(201, await reportLink(tx, deps, body, request.ip)),
  })
}

function listReportsRoute(): Route {
  return route({
    method: 'GET',
    path: '/v1/link-reports',
    name: 'listLinkReports',
    summary: 'List the reports from the public, newest first',
    permission: 'links.reports.read',
    added: true,
    query: ReportQuery,
    replies: { 200: ReportPage },
    handle: async ({ tx, query: { state = null }, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Report,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${report_columns} from links.link_reports
          where (${state}::text is null or state = ${state}::text)
            and (${after.id}::uuid is null or id < ${after.id}::uuid)
          order by id desc limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function moderateRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/links/{code}/moderation',
    name: 'moderateLink',
    summary: 'Disable, enable or clear a link of any owner',
    sends: ['etag'],
    permission: 'links.links.moderate',
    added: true,
    absent: 'link_not_found',
    params: { code: Code },
    query: OnDomain,
    body: Moderate,
    replies: { 200: Link },
    fails: ['domain_not_found', 'invalid_transition'],
    handle: async ({ tx, principal, params, query, body }) => {
      const domain = await findAnyDomain(tx, deps, query.domain)
      const row = await moderateLink(tx, deps, principal, { domain, code: params.code }, body)
      const view = linkView(deps, row, domain)
      return reply(200, view, { etag: tagOf(view) })
    },
  })
}

function listEntriesRoute(): Route {
  return route({
    method: 'GET',
    path: '/v1/link-blocklist',
    name: 'listBlocklistEntries',
    summary: 'List the blocked destinations, newest first',
    permission: 'links.blocklist.manage',
    added: true,
    query: EntryQuery,
    replies: { 200: EntryPage },
    handle: async ({ tx, query: { kind = null }, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Entry,
        place: ['id'],
        view: shown,
        fetch: (after, n) => sql`
          select ${entry_columns} from links.blocklist
          where removed_at is null and (${kind}::text is null or kind = ${kind}::text)
            and (${after.id}::uuid is null or id < ${after.id}::uuid)
          order by id desc limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function addEntryRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/link-blocklist',
    name: 'addBlocklistEntry',
    summary: 'Block a destination, immediately for new links and by a job for existing ones',
    permission: 'links.blocklist.manage',
    added: true,
    idempotency: 'optional',
    body: AddEntry,
    replies: { 201: NewEntry },
    fails: ['blocklist_entry_exists', 'pattern_invalid', 'quota_exceeded'],
    handle: async ({ tx, principal, body }) =>
      reply(201, await addEntry(tx, deps, deps.jobs, principal, body)),
  })
}

function removeEntryRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/v1/link-blocklist/{blocklist_id}',
    name: 'removeBlocklistEntry',
    summary: 'Remove an entry of the blocklist; links that it disabled stay disabled',
    permission: 'links.blocklist.manage',
    added: true,
    absent: 'blocklist_entry_not_found',
    replies: { 204: null },
    handle: async ({ tx, principal, params }) => {
      await removeEntry(tx, principal, params.blocklist_id)
      return reply(204, null)
    },
  })
}
