/** The provider's settlements for the caller's payments, with fees and payouts. */
import { Type } from 'typebox'
import { Amount, equal, exact, Id, nullable, routesOf, text, Time } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

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
    created_at: Time,
  },
  { title: 'Settlement' },
)

const { open, list } = routesOf<Deps>({ permission: 'payments.settlements.read', added: true })

export const settlementRoutes = open({
  listSettlements: list(
    '/v1/settlements',
    'List the settled amounts of your payments, newest first',
    {
      from: 'payments.settlement_records',
      row: Settlement,
      time: 'id',
      filters: { payout_id: equal(text(255)), intent_id: equal(Id) },
      find: [exact('balance_transaction_id')],
    },
  ),
})
