/** Tenants with accounts of their own at the sandbox's Stripe, which tells them apart by their keys. */
import { expect } from 'vitest'
import type { Member } from '../../../../../test/product-world.ts'
import type { Answer } from '../../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import type { Effect, Fault, Merchant, PaymentWorld } from '../../test/payment-world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

/** An account at the provider, as its owner has it there. */
export type AtProvider = {
  readonly account: string
  readonly key: string
  readonly publishable_key: string
  readonly webhook_secret: string
  control(path: string, body?: object, method?: string): Promise<Json>
  fault(fault: Fault): Promise<void>
  effects(): Promise<Effect[]>
  /** A request with the key of the account. */
  ask(path: string, form?: Record<string, string>): Promise<Json>
}

export type Owner = Merchant & {
  readonly at: AtProvider
  readonly account: { readonly id: string; readonly name: string; readonly version: number }
  put(body?: object, name?: string): Promise<Answer>
  shown(name?: string): Promise<Json>
}

export async function accountAt(world: PaymentWorld): Promise<AtProvider> {
  const { account, key, publishable_key, webhook_secret, control } = await world.control('accounts')
  const ask: AtProvider['control'] = async (path, body = {}, method = 'POST') => {
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
  return {
    account,
    key,
    publishable_key,
    webhook_secret,
    control: ask,
    fault: async fault => void (await ask('faults', fault)),
    effects: async () => (await ask('effects', {}, 'GET')).data,
    ask: async (path, form) => {
      const answer = await fetch(`${world.vendors['stripe']?.['api']}/v1/${path}`, {
        headers: { authorization: `Bearer ${key}` },
        ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
      })
      return await answer.json()
    },
  }
}

/** An account of the tenant of somebody else, such as the manager of a shop. */
export async function ownerAccountOf(
  world: PaymentWorld,
  member: Member & Pick<Merchant, 'ask'>,
  name: string,
): Promise<{ readonly id: string }> {
  await world.allow(member, 'payments.accounts.write')
  const { key: secret_key, publishable_key, webhook_secret } = await accountAt(world)
  const auth = { secret_key, publishable_key }
  const given = { provider: 'stripe', auth, webhook_secret }
  const made = await member.ask('PUT', `/v1/payment-accounts/${name}`, given)
  expect(made.status, made.text).toBe(200)
  return made.body
}

/** A merchant who has connected an own account, with its webhooks. */
export async function ownerIn(world: PaymentWorld, name = 'shop'): Promise<Owner> {
  const merchant = await world.merchant()
  await world.allow(merchant, 'payments.accounts.write')
  const at = await accountAt(world)
  const { key: secret_key, publishable_key, webhook_secret } = at
  const put: Owner['put'] = (body, other = name) =>
    merchant.ask('PUT', `/v1/payment-accounts/${other}`, {
      provider: 'stripe',
      ...(body ?? { auth: { secret_key, publishable_key }, webhook_secret }),
    })
  const made = await put()
  expect(made.status, made.text).toBe(200)
  await at.control('config', { webhook_url: `${world.url}/v1/providers/${made.body.id}/webhooks` })
  return {
    ...merchant,
    at,
    account: made.body,
    put,
    shown: async (other = name) =>
      (await merchant.ask('GET', `/v1/payment-accounts/${other}`)).body,
  }
}

/** The body of an event about an object, as the provider would send it. */
export function eventAbout(object: object, id = `evt_${newId()}`): string {
  const created = Math.floor(Date.now() / 1000)
  return JSON.stringify({ id, object: 'event', type: 'any.type', created, data: { object } })
}
