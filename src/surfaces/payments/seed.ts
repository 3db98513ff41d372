/** Demo payments of the demo tenants: authorized, captured, refunded and declined ones. */
import { Type } from 'typebox'
import { newId, sql, type DemoTenant } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import type { Inside } from './face.ts'

type Sale = {
  readonly order_ref: string
  readonly amount_minor: number
  readonly currency: string
  readonly payment_method: string
  /** The captured part of the payment, and the refunded part of the captured amount. */
  readonly captured?: number
  readonly refunded?: number
}

const sales: readonly Sale[] = [
  {
    order_ref: 'demo-1001',
    amount_minor: 4990,
    currency: 'EUR',
    payment_method: 'pm_card_visa',
    captured: 4990,
  },
  {
    order_ref: 'demo-1002',
    amount_minor: 12_900,
    currency: 'EUR',
    payment_method: 'pm_card_mastercard',
    captured: 12_900,
    refunded: 3900,
  },
  { order_ref: 'demo-1003', amount_minor: 2500, currency: 'USD', payment_method: 'pm_card_visa' },
  {
    order_ref: 'demo-1004',
    amount_minor: 7900,
    currency: 'EUR',
    payment_method: 'pm_card_visa_chargeDeclinedInsufficientFunds',
  },
  {
    order_ref: 'demo-1005',
    amount_minor: 15_000,
    currency: 'EUR',
    payment_method: 'pm_card_createDispute',
    captured: 15_000,
  },
]

const Held = Type.Object({ payments: Type.Integer() })

export async function seed(
  deps: Deps,
  face: Inside,
  tenants: readonly DemoTenant[],
): Promise<string[]> {
  if (!(await answers(deps))) return []
  const made: string[] = []
  for (const { id, slug } of tenants) {
    const { payments } = await deps.kernel.db.one(
      Held,
      sql`select count(*)::int as payments from payments.payment_intents where tenant_id = ${id}`,
    )
    if (payments > 0) continue
    for (const sale of sales) await sell(face, id, sale)
    made.push(`${sales.length} payments of ${slug}`)
  }
  return made
}

/**
 * Demo payments are made at the provider. If no provider is configured, they would stay incomplete.
 */
async function answers({ provider }: Deps): Promise<boolean> {
  const { books } = provider
  if (!books || !provider.accepting()) return false
  return await books.balance().then(
    () => true,
    () => false,
  )
}

async function sell(face: Inside, tenant_id: string, sale: Sale): Promise<void> {
  const { order_ref, amount_minor, currency, payment_method, captured, refunded } = sale
  const held = await face.authorize({
    operation_id: newId(),
    tenant_id,
    order_ref,
    amount_minor,
    currency,
    payment_method,
    buyer_id: null,
  })
  const { intent_id } = held
  if (held.status !== 'authorized' || intent_id === null || !captured) return
  const order = { tenant_id, intent_id }
  await face.capture({ ...order, operation_id: newId(), amount_minor: captured })
  if (!refunded) return
  const reason = 'requested_by_customer'
  await face.refund({ ...order, operation_id: newId(), amount_minor: refunded, reason })
}
