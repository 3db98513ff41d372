/** SIGKILL at each point of a refund by a tool: the same yes, sent again, ends in one refund. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openPaymentWorld,
  type PaymentWorld,
} from '../../src/surfaces/payments/test/payment-world.ts'
import { killedAt } from '../crash.ts'
import { eventually } from '../world.ts'
import { inTurns } from '../in-turns.ts'
import { toolCall } from './clients.ts'

let world: PaymentWorld
beforeAll(async () => {
  // A dead process holds its key for six times this, and five seconds.
  world = await openPaymentWorld({ PAYMENTS_PROVIDER_TIMEOUT_MS: '500' })
})
afterAll(() => world.close())

const points = [
  'kernel.after_operation',
  'payments.before_call',
  'payments.after_call',
  'kernel.after_call',
  'payments.in_apply',
  'kernel.after_commit',
]

test.each(inTurns(3, points))('killed at %s: one refund', async point => {
  const shop = await world.merchant()
  const { id: intent_id } = await shop.captured(5000)
  const given = { intent_id, amount_minor: 500, reason: 'requested_by_customer' }
  const asked = await toolCall(world.url, shop.token, 'createRefund', given)
  const approved = {
    requestState: asked.result.requestState,
    inputResponses: { approval: { action: 'accept', content: { approve: true } } },
  }
  const approve = (url: string) => toolCall(url, shop.token, 'createRefund', given, approved)
  await killedAt(world, point, approve, 1, 'product')
  const done = await eventually(
    'the yes is answered',
    async () => {
      const { result, said } = await approve(world.url)
      return !result.isError && said
    },
    60_000,
  )
  const { data } = (await shop.ask('GET', `/v1/refunds?intent_id=${intent_id}`)).body
  expect(data.map((one: { id: string }) => one.id)).toEqual([done.id])
  const refund = await eventually('the refund has succeeded', async () => {
    const { body } = await shop.ask('GET', `/v1/refunds/${done.id}`)
    return body.state === 'succeeded' && body
  })
  expect(refund.amount_minor).toBe(500)
  const balances = await world.balances(shop)
  const again = await approve(world.url)
  expect(again.said.id).toBe(done.id)
  expect(await world.balances(shop)).toEqual(balances)
  await world.sound()
})
