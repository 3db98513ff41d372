/** Routes for all people: reports, decisions about the caller, appeals. */
import { reply, routesOf } from '#dodeca/kernel'
import { personOf, type Deps } from '../deps.ts'
import { appeal, listDecisions } from './appeal.ts'
import { report } from './report.ts'
import { Appeal, Decision, NewAppeal, NewReport, Report } from './schemas.ts'

const absent = 'moderation_case_not_found'

const { open, create, list } = routesOf<Deps>({
  read: 'social.content.read',
  write: 'social.content.write',
  rate_tenant: false,
  added: true,
})

export const reportRoutes = open({
  createReport: create(
    '/v1/moderation/reports',
    'Report a post, a comment or a user to the moderators',
    {
      tool: 'write',
      description:
        'If you have already reported the same thing and the report is not decided yet, the reply is 200 with that report.',
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
    },
    async ({ tx, principal, body }, deps) => {
      const { report_id, made } = await report(tx, deps, personOf(principal), body)
      return made ? reply(201, { report_id }) : reply(200, { report_id })
    },
  ),

  listMyDecisions: list(
    '/v1/moderation/decisions/me',
    'List the moderation decisions about you, newest first',
    { item: Decision, fails: ['permission_denied'] },
    async ({ tx, principal, list }, { kernel: { settings } }) => {
      const days = settings['social.appeal_days']
      return await listDecisions(tx, list, personOf(principal), days)
    },
  ),

  appealDecision: create(
    '/v1/moderation/cases/{case_id}/appeal',
    'Appeal a decision about you; another moderator decides the appeal',
    {
      absent,
      body: NewAppeal,
      reply: Appeal,
      fails: [
        'permission_denied',
        'validation_failed',
        'already_appealed',
        'appeal_window_closed',
        'invalid_transition',
      ],
    },
    async ({ tx, principal, params: { case_id }, body }, { kernel: { settings } }) => {
      const days = settings['social.appeal_days']
      const statement = await appeal(tx, personOf(principal), case_id, body.statement, days)
      return { case_id, state: 'appealed' as const, statement }
    },
  ),
})
