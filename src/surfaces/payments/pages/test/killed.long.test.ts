/** SIGKILL at each point of an attempt on a payment page: one payment, and the request is paid. */
import { afterAll, expect, test } from 'vitest'
import { killedAt } from '../../../../../test/crash.ts'
import { call, eventually } from '../../../../../test/world.ts'
import { inTurns } from '../../../../../test/in-turns.ts'
import { openPaymentWorld } from '../../test/payment-world.ts'
import { payerOf } from './payer.ts'

// The operation of a dead process is held for six times this, and five seconds.
const world = await openPaymentWorld({ PAYMENTS_PROVIDER_TIMEOUT_MS: '1000' })
const payer = payerOf(world)
afterAll(() => world.close())

const points = [
  'payments.after_operation',
  'payments.before_handle',
  'payments.after_handle',
  'payments.before_call',
  'payments.after_call',
  'payments.in_apply',
]

test.each(inTurns(3, points))('killed at %s: the same attempt again pays once', async point => {
  const asked = await payer.asks()
  const { pathname, search } = new URL(asked.url)
  const body = {
    provider: 'stripe',
    payment_method: await payer.token(),
    attempt_id: crypto.randomUUID(),
  }
  const send = (to: string) => call(to, 'POST', `${pathname}/attempts${search}`, { body })
  await killedAt(world, point, send, 1, 'product')
  const again = await payer.send(asked.url, body)
  expect([200, 202], JSON.stringify(again.body)).toContain(again.status)
  await eventually('it is paid', async () => (await asked.read()).state === 'paid')
  const late = await payer.pay(asked.url)
  expect([late.status, late.body.code]).toEqual([409, 'request_not_open'])
  expect(await payer.effects(asked.shop)).toEqual(['authorize', 'capture'])
  await expect(world.sound()).resolves.toBeUndefined()
})
