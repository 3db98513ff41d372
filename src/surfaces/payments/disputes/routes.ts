/** Routes that show disputes, and how much time is left to respond. */
import { Type, type Static } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { routesOf } from '../../../kernel/http/routes-of.ts'
import { Amount, Id, nullable, oneOf, Time } from '../../../kernel/http/shapes.ts'
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

const { open, get, list } = routesOf({ absent, permission: 'payments.disputes.read', added: true })

export const disputeRoutes = open({
  listDisputes: list(
    path,
    'List the disputes of your payments, newest first',
    {
      item: Dispute,
      filters: {
        state: Type.Optional(oneOf(...dispute_states)),
        intent_id: Type.Optional(Id),
      },
    },
    async ({ tx, principal, query: { state = null, intent_id = null }, list }) =>
      pageOf(tx, {
        scope: list,
        row: DisputeRow,
        place: ['id'],
        view: viewOf,
        fetch: (after, n) => sql`
          select ${disputeColumns} from payments.disputes d
          where d.tenant_id = ${principal.tenant_id}
            and (${state}::text is null or d.state = ${state})
            and (${intent_id}::uuid is null or d.intent_id = ${intent_id}::uuid)
            and (${after.id}::uuid is null or d.id < ${after.id}::uuid)
          order by d.id desc
          limit ${n}`,
      }),
  ),

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
