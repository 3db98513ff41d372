/** The face that orders are paid through: once for each operation, and released in every order of events. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdAt } from '../../../../test/hold.ts'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import type { AuthorizeOrder } from '../face.ts'
import { settleOperation } from '../operations/settle-operation.ts'
import { openPaymentWorld, type Merchant, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
let shop: Merchant
beforeAll(async () => {
  world = await openPaymentWorld()
  await world.control('config', { webhook_url: null })
  shop = await world.merchant()
})
afterAll(() => world.close())

const order = (more: Partial<AuthorizeOrder> = {}): AuthorizeOrder => ({
  operation_id: newId(),
  tenant_id: shop.tenant.id,
  order_ref: `order-${newId()}`,
  amount_minor: 5000,
  currency: 'EUR',
  payment_method: 'pm_card_visa',
  buyer_id: null,
  ...more,
})
const voided = (given: AuthorizeOrder, operation_id = newId()) =>
  world.face.void({
    operation_id,
    tenant_id: given.tenant_id,
    authorize_operation_id: given.operation_id,
    reason: 'order_expired',
  })
const kinds = async (order_ref: string) => {
  const { body } = await shop.ask('GET', `/v1/payment-intents?order_ref=${order_ref}`)
  const { data } = await world.control('effects', {}, 'GET')
  const ids = body.data.map((one: { id: string }) => one.id)
  const effects = data as { kind: string; object: string; metadata: { intent_id?: string } }[]
  const handles = new Set(
    effects.filter(one => ids.includes(one.metadata.intent_id)).map(one => one.object),
  )
  return effects.filter(one => handles.has(one.object)).map(one => one.kind)
}

describe('an order', () => {
  test('is authorized once, however often it is requested, and captured once', async () => {
    const given = order()
    const results = await Promise.all(
      Array.from({ length: 5 }, () => world.face.authorize(given).catch(() => null)),
    )
    const held = await eventually('it is held', async () => {
      const found = await world.face.get(given.tenant_id, given.operation_id)
      return found?.status === 'authorized' && found
    })
    expect(results.filter(one => one !== null).length).toBeGreaterThan(0)
    const intent_id = held.intent_id ?? ''
    const take = {
      operation_id: newId(),
      tenant_id: given.tenant_id,
      intent_id,
      amount_minor: 5000,
    }
    expect((await world.face.capture(take)).status).toBe('captured')
    expect((await world.face.capture(take)).status).toBe('captured')
    expect(await kinds(given.order_ref)).toEqual(['authorize', 'capture'])
    await expect(world.face.capture({ ...take, amount_minor: 4000 })).rejects.toThrow(/arguments/)
  })

  test('is not moved by the API, but may be refunded there', async () => {
    const given = order()
    const { intent_id } = await world.face.authorize(given)
    for (const action of ['capture', 'cancel']) {
      const refused = await shop.ask('POST', `/v1/payment-intents/${intent_id}/${action}`, {})
      expect([refused.status, refused.body.code]).toEqual([409, 'intent_managed'])
    }
    await world.face.capture({
      operation_id: newId(),
      tenant_id: given.tenant_id,
      intent_id: intent_id ?? '',
      amount_minor: 5000,
    })
    expect((await shop.ask('POST', '/v1/refunds', { intent_id })).status).toBe(201)
  })

  test('that is declined or needs the buyer says so', async () => {
    const declined = await world.face.authorize(
      order({ payment_method: 'pm_card_visa_chargeDeclined' }),
    )
    expect([declined.status, declined.decline_code]).toEqual(['declined', 'generic_decline'])
    const given = order({ payment_method: 'pm_card_authenticationRequired' })
    const asked = await world.face.authorize(given)
    expect([asked.status, asked.next_action?.type]).toEqual(['requires_action', 'redirect_to_url'])
    expect((await voided(given)).status).toBe('released')
  })

  test('of another tenant is unknown', async () => {
    const given = order()
    await world.face.authorize(given)
    expect(await world.face.get(newId(), given.operation_id)).toBeUndefined()
    await expect(world.face.authorize({ ...given, tenant_id: newId() })).rejects.toThrow(
      /arguments/,
    )
  })
})

describe('a release', () => {
  test('before the authorization came refuses it without asking the provider', async () => {
    const given = order()
    expect((await voided(given)).status).toBe('declined')
    const late = await world.face.authorize(given)
    expect([late.status, late.decline_code]).toEqual(['declined', 'released'])
    expect(await kinds(given.order_ref)).toEqual([])
  })

  test('while it is in doubt closes it for certain', async () => {
    const given = order()
    await world.fault({
      action: 'http',
      status: 500,
      after_effect: true,
      match: { path: '/confirm' },
    })
    expect((await world.face.authorize(given)).status).toBe('pending')
    await voided(given)
    await eventually('it is released', async () => {
      const found = await world.face.get(given.tenant_id, given.operation_id)
      return found?.status === 'released'
    })
    expect(await kinds(given.order_ref)).toEqual(['authorize', 'cancel'])
  })

  test.each([
    ['authorized', 'pm_card_visa', ['authorize', 'cancel']],
    ['waiting for its buyer', 'pm_card_authenticationRequired', ['cancel']],
  ])(
    'that is requested just before the answer of the provider cancels what is %s',
    async (_as, card, effects) => {
      const given = order({ payment_method: card })
      const { db } = world.platform.kernel
      await world.fault({ action: 'delay_after', ms: 1500, match: { path: '/confirm' } })
      const answer = world.face.authorize(given)
      // Written as a release writes it, but without waking the resolver.
      const wanted = sql`
      update payments.payment_operations set release_wanted = 'order_expired'
      where tenant_id = ${given.tenant_id} and id = ${given.operation_id} and state = 'created'`
      await eventually('the operation is begun', async () => (await db.run(wanted)) === 1)
      await answer
      await eventually('it is released', async () => {
        const found = await world.face.get(given.tenant_id, given.operation_id)
        return found?.status === 'released'
      })
      expect(await kinds(given.order_ref)).toEqual(effects)
    },
  )

  test('does not end an authorization locally whose object was made in between', async () => {
    const given = order()
    const { kernel, faults } = world.platform
    const held = holdAt(faults, 'payments.after_handle')
    const answer = world.face.authorize(given)
    await held.reached()
    // An attempt that read the payment before that found nothing that could hold money.
    const deps = { kernel } as Parameters<typeof settleOperation>[1]
    await kernel.db.tx(tx => settleOperation(tx, deps, given.operation_id, { kind: 'closed' }))
    held.release()
    expect((await answer).status).toBe('authorized')
    expect((await voided(given)).status).toBe('released')
    expect(await kinds(given.order_ref)).toEqual(['authorize', 'cancel'])
  })

  test('of what is held gives it back, and of what was captured refunds it', async () => {
    const held = order()
    await world.face.authorize(held)
    expect((await voided(held)).status).toBe('released')
    const taken = order()
    const { intent_id } = await world.face.authorize(taken)
    const { tenant_id } = taken
    await world.face.capture({
      operation_id: newId(),
      tenant_id,
      intent_id: intent_id ?? '',
      amount_minor: 5000,
    })
    const operation_id = newId()
    expect(await voided(taken, operation_id)).toMatchObject({ status: 'succeeded', intent_id })
    expect(await voided(taken, operation_id)).toMatchObject({ status: 'succeeded', intent_id })
    expect(await kinds(taken.order_ref)).toEqual(['authorize', 'capture', 'refund'])
  })

  test('does not wait for an attempt that runs, nor for the next one', async () => {
    const given = order()
    const broken = { action: 'http', status: 500, match: { path: '/confirm' } }
    await world.fault({ ...broken, after_effect: true })
    await world.fault({ action: 'http', status: 500, match: { method: 'GET' }, times: 1000 })
    expect((await world.face.authorize(given)).status).toBe('pending')
    // An attempt of a process that stands still, after many that failed.
    await world.platform.kernel.db.run(sql`
      update payments.payment_operations
      set attempts = 20, lease_token = ${newId()}, leased_until = now() + interval '1 hour'
      where tenant_id = ${given.tenant_id} and id = ${given.operation_id}`)
    await world.control('faults', {}, 'DELETE')
    await voided(given)
    await eventually('it is released', async () => {
      const found = await world.face.get(given.tenant_id, given.operation_id)
      return found?.status === 'released'
    })
  })

  test('and an authorization in any order end without a hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async scheduler => {
        const given = order()
        const authorize = scheduler.schedule(Promise.resolve(), 'authorize')
        const release = scheduler.schedule(Promise.resolve(), 'void')
        const both = [
          authorize.then(() => world.face.authorize(given)),
          release.then(() => voided(given)),
        ]
        await scheduler.waitIdle()
        await Promise.all(both)
        await eventually('nothing is pending', async () => {
          const found = await world.face.get(given.tenant_id, given.operation_id)
          return found && found.status !== 'pending'
        })
        // The authorization has ended; its release may still be on its way.
        await eventually('no hold is left', async () => {
          const seen = await kinds(given.order_ref)
          const held = seen.filter(one => one === 'authorize').length
          return seen.filter(one => one === 'cancel').length >= held
        })
      }),
      { numRuns: 12 },
    )
    await expect(world.sound()).resolves.toBeUndefined()
  })
})
