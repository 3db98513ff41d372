/** Routes of moderators. */
import { Type } from 'typebox'
import { oneOf, routesOf } from '#dodeca/kernel'
import { personOf, type Deps } from '../deps.ts'
import { act } from './act.ts'
import { Action, Case, case_states, CaseSummary, NewAction } from './schemas.ts'
import { listCases, showCase } from './show-case.ts'

const path = '/v1/moderation/cases'
const one = `${path}/{case_id}` as const
const absent = 'moderation_case_not_found'

const { open, create, list, get } = routesOf<Deps>({
  permission: 'social.moderation_cases.read',
  added: true,
  absent,
})

export const caseRoutes = open({
  listModerationCases: list(
    path,
    'List moderation cases, the most urgent and then the oldest first',
    { filters: { state: Type.Optional(oneOf(...case_states)) }, item: CaseSummary },
    async ({ tx, principal, query, list }) => {
      return await listCases(tx, list, principal.tenant_id, query.state)
    },
  ),

  getModerationCase: get(
    one,
    'Get a moderation case with its subject, reports and actions',
    {
      description:
        'The subject is shown even if it is hidden, and the latest 100 reports with their notes. Your access is recorded in the audit log.',
      transaction: 'own',
      reply: Case,
    },
    async ({ principal: { tenant_id }, params: { case_id } }, { kernel }) => {
      const found = await kernel.db.tx(async tx => {
        const shown = await showCase(tx, tenant_id, case_id)
        tx.audit('social.moderation.read', case_id)
        return shown
      })
      return found
    },
  ),

  actOnModerationCase: create(
    `${one}/actions`,
    'Decide on a case',
    {
      sends: [],
      description:
        'The statement is shown to the affected person. `version` is the version of the case that you read. `resolve_appeal` also requires the permission `social.moderation_appeals.decide`, all other actions `social.moderation_cases.act`.',
      idempotency: 'required',
      asks_grants: true,
      body: NewAction,
      reply: Action,
      fails: [
        'permission_denied',
        'validation_failed',
        'invalid_transition',
        'same_reviewer',
        'precondition_failed',
      ],
    },
    async ({ tx, principal, params: { case_id }, body, grants, if_match }) => {
      const given = { ...body, if_match }
      return await act(tx, personOf(principal), case_id, given, await grants())
    },
  ),
})
