/** A platform whose second provider is the sandbox's PayPal, with its control plane. */
import { expect } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { Type } from 'typebox'
import { openPaymentWorld, type Merchant, type PaymentWorld } from './payment-world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

type PayPalFault = { to: string; mode: string; times?: number; delay_ms?: number }
type PayPalEffect = {
  account: string
  kind: string
  object: string
  order: string
  amount: { currency_code: string; value: string }
  key: string | null
}

export type AtPayPal = {
  control(path: string, body?: object, method?: string): Promise<Json>
  fault(fault: PayPalFault): Promise<void>
  /** The payer agrees, on the page. */
  approve(order: string): Promise<void>
  /** What happened to the money of one order, in order. */
  effects(order: string): Promise<PayPalEffect[]>
}

export type PayPalWorld = PaymentWorld & {
  readonly at: AtPayPal
  handleOf(shop: Merchant, intent_id: string): Promise<string>
  /** Sent away to approve. */
  asked(shop: Merchant, more?: object): Promise<Json>
  authorized(shop: Merchant, more?: object): Promise<Json>
  captured(shop: Merchant, more?: object): Promise<Json>
}

export const return_url = 'https://shop.example/back'

/** The sandbox's PayPal of a world, with the webhooks of the platform's account. */
export async function payPalOf(world: PaymentWorld): Promise<AtPayPal> {
  const control: AtPayPal['control'] = async (path, body = {}, method = 'POST') => {
    const answer = await fetch(new URL(path, world.vendors['paypal']?.control), {
      method,
      ...(method === 'POST' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    const text = await answer.text()
    expect(answer.status, text).toBeLessThan(300)
    return text ? JSON.parse(text) : null
  }
  await control('config', { webhook_url: `${world.url}/v1/providers/paypal/webhooks` })
  return {
    control,
    fault: async fault => void (await control('faults', fault)),
    approve: async order => void (await control('approve', { order })),
    effects: async order => {
      const { data } = await control('effects', {}, 'GET')
      return (data as PayPalEffect[]).filter(one => one.order === order)
    },
  }
}

/** The order at PayPal of an order of commerce, if PayPal was asked. */
export async function handleOfOrder(
  { platform: { kernel } }: Pick<PaymentWorld, 'platform'>,
  tenant_id: string,
  order_id: string,
): Promise<string | undefined> {
  const found = await kernel.db.maybe(
    Type.Object({ handle: Type.String() }),
    sql`
      select provider_handle as handle from payments.payment_intents
      where tenant_id = ${tenant_id} and order_ref = ${order_id}
        and provider_handle is not null and provider like 'paypal%'`,
  )
  return found?.handle
}

export async function openPayPalWorld(settings: Record<string, string> = {}): Promise<PayPalWorld> {
  const world = await openPaymentWorld({ PAYMENTS_PROVIDERS: 'stripe,paypal', ...settings })
  const at = await payPalOf(world)
  const handleOf: PayPalWorld['handleOf'] = async (shop, intent_id) => {
    const { handle } = await world.platform.kernel.db.one(
      Type.Object({ handle: Type.String() }),
      sql`
        select provider_handle as handle from payments.payment_intents
        where tenant_id = ${shop.tenant.id} and id = ${intent_id}`,
    )
    return handle
  }
  const asked: PayPalWorld['asked'] = async (shop, more = {}) => {
    const { id } = await shop.intent({ provider: 'paypal', ...more })
    const { status, text, body } = await shop.ask(
      'POST',
      `/v1/payment-intents/${id}/authorize`,
      { payment_method: 'paypal', return_url },
      newKey(),
    )
    expect(status, text).toBe(200)
    return body
  }
  const authorized: PayPalWorld['authorized'] = async (shop, more) => {
    const { id } = await asked(shop, more)
    await at.approve(await handleOf(shop, id))
    return await shop.reaches(id, 'authorized')
  }
  return {
    ...world,
    at,
    handleOf,
    asked,
    authorized,
    captured: async (shop, more) => {
      const { id } = await authorized(shop, more)
      await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
      return await eventually('captured', async () => {
        const found = await shop.read(id)
        return found.state === 'captured' && found
      })
    },
  }
}
