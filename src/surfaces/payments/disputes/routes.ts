/** Routes that show disputes, and how much time is left to respond. */
import { Type, type Static } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { list } from '../../../kernel/http/lists/list.ts'
import { equal } from '../../../kernel/http/lists/members.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { Amount, Id, nullable, oneOf, Time } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { dispute_states, disputeColumns, DisputeRow } from './apply-dispute.ts'

const path = '/v1/disputes'
const absent = 'dispute_not_found'

const Dispute = Type.Object(
  {
    id: Id,
    intent_id: Id,
    provider_dispute_id: Type.String({ maxLength: 255 }),
    amount_minor: Amount,
    fee_minor: Amount,
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    state: oneOf(...dispute_states),
    reason: Type.String({ maxLength: 255 }),
    respond_by: nullable(Time),
    created_at: Time,
    closed_at: nullable(Time),
  },
  { title: 'Dispute' },
)

export function disputeRoutes(deps: Deps): readonly Route[] {
  return [listDisputes('listDisputes', deps), getRoute()]
}

const listDisputes = list(path, 'List the disputes of your payments, newest first', {
  permission: 'payments.disputes.read',
  added: true,
  from: 'payments.disputes',
  row: DisputeRow,
  item: Dispute,
  view: viewOf,
  time: 'id',
  filters: { state: equal(oneOf(...dispute_states)), intent_id: equal(Id) },
})

function getRoute(): Route {
  return route({
    method: 'GET',
    path: `${path}/{id}`,
    name: 'getDispute',
    summary: 'A dispute',
    permission: 'payments.disputes.read',
    added: true,
    absent,
    replies: { 200: Dispute },
    fails: [absent],
    handle: async ({ tx, params: { id }, principal: { tenant_id } }) => {
      const row = await tx.maybe(
        DisputeRow,
        sql`
          select ${disputeColumns} from payments.disputes d
          where d.tenant_id = ${tenant_id} and d.id = ${id}`,
      )
      if (!row) throw problem(absent)
      return reply(200, viewOf(row))
    },
  })
}

function viewOf(row: DisputeRow): Static<typeof Dispute> {
  const { tenant_id: _tenant, money: _money, ...view } = row
  return view
}
