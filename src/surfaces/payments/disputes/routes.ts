/** Routes that show disputes, and how much time is left to respond. */
import { Type, type Static } from 'typebox'
import {
  Amount,
  equal,
  exact,
  Id,
  list,
  nullable,
  oneOf,
  routesOf,
  sql,
  Time,
} from '#dodeca/kernel'
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

const listDisputes = list(path, 'List the disputes of your payments, newest first', {
  tool: 'read',
  permission: 'payments.disputes.read',
  added: true,
  from: 'payments.disputes',
  row: DisputeRow,
  item: Dispute,
  view: viewOf,
  time: 'id',
  filters: { state: equal(oneOf(...dispute_states)), intent_id: equal(Id) },
  find: [exact('provider_dispute_id')],
  shows: ['provider_dispute_id', 'reason'],
})

const { open, get } = routesOf<Deps>({ absent, permission: 'payments.disputes.read', added: true })

export const disputeRoutes = open({
  listDisputes,

  getDispute: get(
    `${path}/{id}`,
    'A dispute',
    { reply: Dispute },
    async ({ tx, params: { id }, principal: { tenant_id } }) => {
      const row = await tx.maybe(
        DisputeRow,
        sql`
          select ${disputeColumns} from payments.disputes d
          where d.tenant_id = ${tenant_id} and d.id = ${id}`,
      )
      if (!row) throw problem(absent)
      return viewOf(row)
    },
  ),
})

function viewOf(row: DisputeRow): Static<typeof Dispute> {
  const { tenant_id: _tenant, money: _money, ...view } = row
  return view
}
