/** The provider's settlements for the caller's payments, with fees and payouts. */
import { Type } from 'typebox'
import { Amount, Id, nullable, page, routesOf, sql, text, Time } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 255 })
const Signed = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
})
const Settlement = Type.Object(
  {
    id: Id,
    balance_transaction_id: Short,
    kind: Short,
    intent_id: nullable(Id),
    amount_minor: Signed,
    fee_minor: Amount,
    net_minor: Signed,
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    exchange_rate: nullable(Short),
    available_on: Time,
    payout_id: nullable(Short),
  },
  { title: 'Settlement' },
)

const { open, list } = routesOf({ permission: 'payments.settlements.read', added: true })

export const settlementRoutes = open({
  listSettlements: list(
    '/v1/settlements',
    'List the settled amounts of your payments, newest first',
    {
      item: Settlement,
      filters: {
        payout_id: Type.Optional(text(255)),
        intent_id: Type.Optional(Id),
      },
    },
    async ({ tx, principal, query: { payout_id = null, intent_id = null }, list }) =>
      page(tx, {
        scope: list,
        row: Settlement,
        place: ['id'],
        fetch: (after, n) => sql`
            select id, balance_transaction_id, kind, intent_id, amount_minor, fee_minor, net_minor,
              currency, exchange_rate, available_on, payout_id
            from payments.settlement_records
            where tenant_id = ${principal.tenant_id}
              and (${payout_id}::text is null or payout_id = ${payout_id})
              and (${intent_id}::uuid is null or intent_id = ${intent_id}::uuid)
              and (${after.id}::uuid is null or id < ${after.id}::uuid)
            order by id desc
            limit ${n}`,
      }),
  ),
})
