/** Who pays on a page, without a browser: what the page's script sends. */
import { newId } from '#dodeca/kernel'
import { newKey } from '../../../../../test/world.ts'
import type { Merchant, PaymentWorld } from '../../test/payment-world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any
export type Paid = { status: number; body: Json }

export const requests_permissions = [
  'payments.requests.create',
  'payments.requests.read',
  'payments.requests.cancel',
]

export function payerOf(world: PaymentWorld) {
  const at = (url: string, more = '') => {
    const { pathname, search } = new URL(url)
    return world.url + pathname + more + search
  }
  const token = async (payment_method = 'pm_card_visa') =>
    (await world.atProvider('test_helpers/confirmation_tokens', { payment_method })).id as string
  const send = async (url: string, body: object): Promise<Paid> => {
    const answer = await fetch(at(url, '/attempts'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const pay = async (url: string, payment_method = 'pm_card_visa', more: object = {}) =>
    await send(url, {
      provider: 'stripe',
      payment_method: await token(payment_method),
      attempt_id: crypto.randomUUID(),
      ...more,
    })
  return {
    at,
    token,
    send,
    pay,
    state: async (url: string): Promise<Json> => (await fetch(at(url, '/state'))).json(),
    /** A merchant with a request. */
    asks: async (more: object = {}, given?: Merchant) => {
      const shop = given ?? (await world.merchant())
      if (!given) await world.allow(shop, ...requests_permissions)
      const asked = { amount_minor: 4990, currency: 'EUR', description: 'Invoice 17', ...more }
      const { status, text, body } = await shop.ask('POST', '/v1/payment-requests', asked, newKey())
      if (status !== 201) throw new Error(text)
      const read = async (): Promise<Json> =>
        (await shop.ask('GET', `/v1/payment-requests/${body.id}`)).body
      return { shop, request: body, url: body.url as string, read }
    },
    /** What happened to the money of a tenant at the provider, in order. */
    effects: async (shop: Merchant): Promise<string[]> => {
      const { data } = await world.control('effects', {}, 'GET')
      const all = data as { kind: string; metadata: { tenant_id?: string } }[]
      return all.filter(one => one.metadata.tenant_id === shop.tenant.id).map(one => one.kind)
    },
    newAttempt: () => newId(),
  }
}
