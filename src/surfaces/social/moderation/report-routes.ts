/** Routes for all people: reports, decisions about the caller, appeals. */
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { page, pageQuery } from '../../../kernel/http/shapes.ts'
import { personOf, type Deps } from '../deps.ts'
import { appeal, listDecisions } from './appeal.ts'
import { report } from './report.ts'
import { Appeal, Decision, NewAppeal, NewReport, Report } from './schemas.ts'

const absent = 'moderation_case_not_found'

export function reportRoutes(deps: Deps): readonly Route[] {
  return [reportRoute(deps), decisionsRoute(deps), appealRoute(deps)]
}

function reportRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/moderation/reports',
    name: 'createReport',
    summary: 'Report a post, a comment or a user to the moderators',
    description:
      'If you have already reported the same thing and the report is not decided yet, the reply is 200 with that report.',
    permission: 'social.content.write',
    rate_tenant: false,
    added: true,
    body: NewReport,
    replies: { 200: Report, 201: Report },
    fails: [
      'post_not_found',
      'comment_not_found',
      'user_not_found',
      'permission_denied',
      'account_suspended',
      'validation_failed',
      'rate_limited',
    ],
    handle: async ({ tx, principal, body }) => {
      const { report_id, made } = await report(tx, deps, personOf(principal), body)
      return made ? reply(201, { report_id }) : reply(200, { report_id })
    },
  })
}

function decisionsRoute({ kernel: { settings } }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/moderation/decisions/me',
    name: 'listMyDecisions',
    summary: 'List the moderation decisions about you, newest first',
    permission: 'social.content.read',
    rate_tenant: false,
    added: true,
    query: pageQuery({}),
    replies: { 200: page(Decision) },
    fails: ['permission_denied'],
    handle: async ({ tx, principal, list }) => {
      const days = settings['social.appeal_days']
      const { body, headers } = await listDecisions(tx, list, personOf(principal), days)
      return reply(200, body, headers)
    },
  })
}

function appealRoute({ kernel: { settings } }: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/moderation/cases/{case_id}/appeal',
    name: 'appealDecision',
    summary: 'Appeal a decision about you; another moderator decides the appeal',
    permission: 'social.content.write',
    rate_tenant: false,
    added: true,
    absent,
    body: NewAppeal,
    replies: { 201: Appeal },
    fails: [
      absent,
      'permission_denied',
      'validation_failed',
      'already_appealed',
      'appeal_window_closed',
      'invalid_transition',
    ],
    handle: async ({ tx, principal, params: { case_id }, body }) => {
      const days = settings['social.appeal_days']
      const statement = await appeal(tx, personOf(principal), case_id, body.statement, days)
      return reply(201, { case_id, state: 'appealed' as const, statement })
    },
  })
}
