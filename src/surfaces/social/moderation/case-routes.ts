/** Routes of moderators. */
import { Type } from 'typebox'
import { etag } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { oneOf, page, pageQuery } from '../../../kernel/http/shapes.ts'
import { personOf, type Deps } from '../deps.ts'
import { act } from './act.ts'
import { Action, Case, case_states, CaseSummary, NewAction } from './schemas.ts'
import { listCases, showCase } from './show-case.ts'

const path = '/v1/moderation/cases'
const one = `${path}/{case_id}` as const
const absent = 'moderation_case_not_found'

export function caseRoutes(deps: Deps): readonly Route[] {
  return [listRoute(), getRoute(deps), actRoute()]
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path,
    name: 'listModerationCases',
    summary: 'List moderation cases, the most urgent and then the oldest first',
    permission: 'social.moderation_cases.read',
    added: true,
    query: pageQuery({ state: Type.Optional(oneOf(...case_states)) }),
    replies: { 200: page(CaseSummary) },
    handle: async ({ tx, principal, query, list }) => {
      const { body, headers } = await listCases(tx, list, principal.tenant_id, query.state)
      return reply(200, body, headers)
    },
  })
}

function getRoute({ kernel }: Deps): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getModerationCase',
    summary: 'Get a moderation case with its subject, reports and actions',
    description:
      'The subject is shown even if it is hidden, and the latest 100 reports with their notes. Your access is recorded in the audit log.',
    sends: ['etag'],
    permission: 'social.moderation_cases.read',
    added: true,
    absent,
    transaction: 'own',
    replies: { 200: Case },
    fails: [absent],
    handle: async ({ principal: { tenant_id, id }, params: { case_id } }) => {
      const found = await kernel.db.tx(async tx => {
        const shown = await showCase(tx, tenant_id, case_id)
        const action = 'social.moderation.read'
        tx.audit({ tenant_id, actor: id, action, target: case_id, outcome: 'done' })
        return shown
      })
      return reply(200, found, { etag: etag(found.version) })
    },
  })
}

function actRoute(): Route {
  return route({
    method: 'POST',
    path: `${one}/actions`,
    name: 'actOnModerationCase',
    summary: 'Decide on a case',
    description:
      'The statement is shown to the affected person. `version` is the version of the case that you read. `resolve_appeal` also requires the permission `social.moderation_appeals.decide`, all other actions `social.moderation_cases.act`.',
    permission: 'social.moderation_cases.read',
    added: true,
    idempotency: 'required',
    absent,
    asks_grants: true,
    body: NewAction,
    replies: { 201: Action },
    fails: [
      absent,
      'permission_denied',
      'validation_failed',
      'invalid_transition',
      'same_reviewer',
      'precondition_failed',
    ],
    handle: async ({ tx, principal, params: { case_id }, body, grants, request }) => {
      const given = { ...body, if_match: request.headers['if-match'] }
      return reply(201, await act(tx, personOf(principal), case_id, given, await grants()))
    },
  })
}
