/** A platform with a payment provider beside it: the sandbox's Stripe, with its control plane. */
import { Type } from 'typebox'
import { expect } from 'vitest'
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { eventually, newKey, type Answer } from '../../../../test/world.ts'
import { sql, type Db } from '#dodeca/kernel'
import type { Inside } from '../face.ts'

export type Fault = {
  readonly action: string
  readonly match?: object
  readonly times?: number
  readonly ms?: number
  readonly n?: number
  readonly status?: number
  readonly after_effect?: boolean
}
export type Effect = { kind: string; object: string; amount: number; idempotency_key: string }

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

export type PaymentWorld = ProductWorld & {
  readonly face: Inside
  /** A member who may do everything with payments, in a tenant of their own. */
  merchant(): Promise<Merchant>
  control(path: string, body?: object, method?: string): Promise<Json>
  fault(fault: Fault): Promise<void>
  /** A request to the provider that the platform does not make, as from the provider's dashboard. */
  atProvider(path: string, form?: Record<string, string>): Promise<Json>
  effects(handle: string): Promise<Effect[]>
  /** Types of the events of a payment, in order. */
  events(intent_id: string): Promise<string[]>
  /** Balances of a tenant's accounts, by type. */
  balances(who: Merchant): Promise<Record<string, number>>
  /** No violated invariant, by all checks of payments. */
  sound(): Promise<void>
}

export type Merchant = Member & {
  ask(method: string, path: string, body?: object, key?: string): Promise<Answer>
  /** A payment in a state. */
  intent(more?: object): Promise<Json>
  authorized(amount_minor?: number, payment_method?: string): Promise<Json>
  captured(amount_minor?: number, payment_method?: string): Promise<Json>
  read(id: string): Promise<Json>
  /** Waits until a payment is in a state. */
  reaches(id: string, state: string): Promise<Json>
}

const every_permission = [
  'payments.intents.create',
  'payments.intents.read',
  'payments.intents.authorize',
  'payments.intents.capture',
  'payments.intents.cancel',
  'payments.refunds.read',
  'payments.disputes.read',
  'payments.ledger.read',
  'payments.settlements.read',
  'payments.reconciliations.run',
  'payments.reconciliations.read',
  'payments.reconciliations.resolve',
]

export async function openPaymentWorld(settings?: Record<string, string>): Promise<PaymentWorld> {
  const world = await openProductWorld(settings)
  const { api, key, control } = world.vendors['stripe'] ?? {}
  const ask = controlAt(control ?? '')
  await ask('config', { webhook_url: `${world.url}/v1/providers/stripe/webhooks` })
  const { db } = world.platform.kernel
  const payments = world.platform.opened['payments']
  return {
    ...world,
    face: payments?.face as Inside,
    control: ask,
    fault: async fault => void (await ask('faults', fault)),
    atProvider: async (path, form = {}) => {
      const answer = await fetch(`${api}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: new URLSearchParams(form),
      })
      return JSON.parse(await answer.text())
    },
    effects: async handle => {
      const { data } = await ask('effects', {}, 'GET')
      return (data as Effect[]).filter(one => one.object === handle)
    },
    events: intent_id => eventsOf(db, intent_id),
    balances: async who => {
      const { body } = await who.ask('GET', '/v1/ledger/accounts?limit=100')
      const accounts = body.data as { type: string; balance_minor: number }[]
      return Object.fromEntries(accounts.map(one => [one.type, one.balance_minor]))
    },
    sound: async () => {
      for (const check of payments?.checks ?? []) {
        expect(await check.run(), check.name).toEqual([])
      }
    },
    merchant: async () => merchantIn(world),
  }
}

/** As they are in the log, or on their way to it. */
async function eventsOf(db: Db, intent_id: string): Promise<string[]> {
  const rows = await db.many(
    Type.Object({ type: Type.String() }),
    sql`
      select type from (
        select type, aggregate_version from kernel.events where aggregate_id = ${intent_id}
        union
        select type, aggregate_version from kernel.outbox_events
        where aggregate_id = ${intent_id}) announced
      order by aggregate_version`,
  )
  return rows.map(one => one.type)
}

function controlAt(control: string) {
  return async (path: string, body: object = {}, method = 'POST'): Promise<Json> => {
    const answer = await fetch(new URL(path, control), {
      method,
      ...(method === 'POST'
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : {}),
    })
    const text = await answer.text()
    expect(answer.status, text).toBeLessThan(300)
    return text ? JSON.parse(text) : null
  }
}

async function merchantIn(world: ProductWorld): Promise<Merchant> {
  const member = await world.member()
  await world.allow(member, ...every_permission)
  await world.give(member, 'refund_operator')
  const ask: Merchant['ask'] = (method, path, body, key) =>
    world.call(method, path, {
      token: member.token,
      ...(method === 'POST' ? { key: key ?? newKey() } : {}),
      ...(body === undefined ? {} : { body }),
    })
  const expectOk = (answer: Answer) => {
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  const read: Merchant['read'] = async id => expectOk(await ask('GET', `/v1/payment-intents/${id}`))
  const intent: Merchant['intent'] = async (more = {}) =>
    expectOk(
      await ask('POST', '/v1/payment-intents', { amount_minor: 5000, currency: 'EUR', ...more }),
    )
  const authorized: Merchant['authorized'] = async (
    amount_minor = 5000,
    payment_method = 'pm_card_visa',
  ) => {
    const { id } = await intent({ amount_minor })
    return expectOk(await ask('POST', `/v1/payment-intents/${id}/authorize`, { payment_method }))
  }
  return {
    ...member,
    ask,
    read,
    intent,
    authorized,
    captured: async (amount_minor, payment_method) => {
      const { id } = await authorized(amount_minor, payment_method)
      return expectOk(await ask('POST', `/v1/payment-intents/${id}/capture`, {}))
    },
    reaches: (id, state) =>
      eventually(`${id} is ${state}`, async () => {
        const found = await read(id)
        return found.state === state && found
      }),
  }
}

/** What a killed process holds ends at some time. The test need not wait. */
export async function endLeases({ platform }: PaymentWorld, { tenant }: Merchant): Promise<void> {
  const { kernel } = platform
  await kernel.db.run(sql`
    update payments.provider_customers set calling_until = null where tenant_id = ${tenant.id}`)
  await kernel.db.run(sql`
    update payments.payment_operations set due_at = kernel.now(), leased_until = null
    where tenant_id = ${tenant.id} and state in ('created', 'pending_provider')`)
  kernel.wake(['payments.resolver'])
}

/** Waits for a run over everything. */
export async function reconcile(shop: Merchant) {
  const wide = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' }
  const asked = await shop.ask('POST', '/v1/reconciliation-runs', wide)
  return await eventually('the run has ended', async () => {
    const { body } = await shop.ask('GET', asked.headers.get('location') ?? '')
    return body.status === 'succeeded' && body
  })
}

export async function items(shop: Merchant, discrepancy: string) {
  const { body } = await shop.ask('GET', `/v1/reconciliation-items?discrepancy=${discrepancy}`)
  return body.data as {
    id: string
    external_ref: string
    local_ref: string
    state: string
  }[]
}
