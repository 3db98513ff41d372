/** A payment with which nothing is saved costs what it always has. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, type Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { beginAuthorize } from '../../intents/begin-authorize.ts'
import { settings } from '../../settings.ts'
import { openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { cardsOf } from './card-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld()
})
afterAll(() => world.close())

/** The same transaction, whose statements are counted. */
function counting(tx: Tx) {
  let statements = 0
  const counted = new Proxy(tx, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name)
      if (typeof found !== 'function') return found
      if (['one', 'maybe', 'many', 'run'].includes(String(name))) {
        return (...given: unknown[]) => {
          statements++
          return Reflect.apply(found, target, given) as unknown
        }
      }
      return found.bind(target) as unknown
    },
  })
  return { tx: counted, many: () => statements }
}

test('it begins with five statements: two places, two locks, one row', async () => {
  const shop = await world.merchant()
  const { id: intent_id } = await shop.intent()
  const kernel = world.platform.kernelFor({ settings })
  // What a beginning uses of the accounts with providers.
  const deps = { kernel, providers: { known: () => undefined } } as unknown as Deps
  const begin = (more: object, intent: string) =>
    kernel.db.tx(async tx => {
      const counted = counting(tx)
      await beginAuthorize(counted.tx, deps, {
        operation_id: newId(),
        tenant_id: shop.tenant.id,
        intent_id: intent,
        payment_method: 'pm_card_visa',
        return_url: null,
        principal_id: shop.id,
        key: null,
        managed: false,
        by_resolver: true,
        ...more,
      })
      return counted.many()
    })
  expect(await begin({}, intent_id)).toBe(5)
  await shop.reaches(intent_id, 'authorized')
  // With a saved method it asks more, so the count is no accident.
  const cards = cardsOf(world)
  await cards.shop(shop)
  const { method } = await cards.saved(shop)
  const later = await shop.intent()
  const absent = { payment_method: method.id, off_session: true, may_charge: true }
  expect(await begin(absent, later.id)).toBeGreaterThan(5)
  await shop.reaches(later.id, 'authorized')
})
