/** A saved payment method: its row, and how its customer and merchant see it. */
import { Type, type Static } from 'typebox'
import { columnsOf, Id, nullable, oneOf, Time, Version, type Tx } from '#dodeca/kernel'
import { accountIdOf, vendorOf } from '../provider/account-key.ts'

const Short = Type.String({ maxLength: 64 })

export const MethodRow = Type.Object({
  id: Id,
  customer_id: Id,
  account_id: nullable(Id),
  provider: Type.String(),
  method: Short,
  brand: nullable(Short),
  last4: nullable(Type.String({ maxLength: 4 })),
  exp: nullable(Type.String({ maxLength: 7 })),
  state: oneOf('active', 'detached'),
  version: Type.Integer(),
  created_at: Type.String(),
})
export type MethodRow = Static<typeof MethodRow>

export const methodColumns = columnsOf(MethodRow, 'm')

export const MethodView = Type.Object(
  {
    ...MethodRow.properties,
    provider: Short,
    payment_account_id: nullable(Id),
    version: Version,
    created_at: Time,
  },
  { title: 'PaymentMethod' },
)

export function viewOf(row: MethodRow): Static<typeof MethodView> {
  const { provider, ...shown } = row
  return { ...shown, provider: vendorOf(provider), payment_account_id: accountIdOf(provider) }
}

export function announceMethod(
  tx: Tx,
  tenant_id: string,
  row: MethodRow,
  type: 'saved' | 'detached',
): void {
  const { id, customer_id, account_id, method, state, version, provider } = row
  tx.emit({
    type: `payment_method.${type}`,
    tenant_id,
    aggregate_type: 'payment_method',
    aggregate_id: id,
    aggregate_version: version,
    data: {
      payment_method_id: id,
      customer_id,
      account_id,
      payment_account_id: accountIdOf(provider),
      method,
      state,
    },
  })
}
