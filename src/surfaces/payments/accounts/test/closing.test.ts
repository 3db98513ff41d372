/** How an own account ends: nothing that is open at it is lost, and its credentials go at last. */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { ownerIn, type Owner } from './account-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_PROVIDER_TIMEOUT_MS: '2000' })
})
afterAll(() => world.close())

const path = '/v1/payment-accounts/shop'
const close = async (owner: Owner) => {
  const answer = await owner.ask('DELETE', path)
  expect(answer.status, answer.text).toBe(204)
}
/** Wakes the loop as a commit of a payment would after a while. */
const closed = (owner: Owner) =>
  eventually('it is closed', async () => {
    await world.platform.kernel.db.tx(async tx => tx.wake('payments.account_closing'))
    const shown = await owner.shown()
    return shown.state === 'closed' && shown
  })
async function sealedOf(owner: Owner) {
  const { kept } = await world.platform.kernel.db.one(
    Type.Object({ kept: Type.Boolean() }),
    sql`
      select sealed is not null as kept from payments.payment_accounts
      where id = ${owner.account.id}`,
  )
  return kept
}

test('with nothing open it is closed at once, and its name is free again', async () => {
  const owner = await ownerIn(world)
  await close(owner)
  expect(await owner.shown()).toMatchObject({ state: 'closed', has_webhook_secret: false })
  expect(await sealedOf(owner)).toBe(false)
  expect((await owner.intent()).payment_account_id).toBeNull()
  const again = await owner.put()
  expect(again.status, again.text).toBe(200)
  expect(again.body.id).not.toBe(owner.account.id)
  expect((await owner.intent()).payment_account_id).toBe(again.body.id)
})

test('a held payment is captured while it closes; nothing new begins', async () => {
  const owner = await ownerIn(world)
  const { id } = await owner.authorized()
  const { id: unheld } = await owner.intent()
  const { id: waiting } = await owner.authorized(5000, 'pm_card_authenticationRequired')
  await close(owner)
  const { state } = await owner.shown()
  expect([state, await sealedOf(owner)]).toEqual(['closing', true])
  for (const one of [unheld, waiting]) {
    expect((await owner.reaches(one, 'cancelled')).cancellation_reason).toBe('account_closed')
  }
  expect((await owner.intent()).payment_account_id).toBeNull()
  const named = await owner.ask('POST', '/v1/payment-intents', {
    amount_minor: 100,
    currency: 'EUR',
    account: 'shop',
  })
  expect([named.status, named.body.code]).toEqual([422, 'payment_account_unusable'])
  const taken = await owner.ask('POST', `/v1/payment-intents/${id}/capture`, {})
  expect(taken.status, taken.text).toBe(200)
  await closed(owner)
  const refund = await owner.ask('POST', '/v1/refunds', { intent_id: id })
  expect([refund.status, refund.body.code]).toEqual([409, 'payment_account_closed'])
  const post = { body: '{}', headers: { 'content-type': 'application/json' } }
  const message = await world.call('POST', `/v1/providers/${owner.account.id}/webhooks`, post)
  await eventually('its address is gone', async () => {
    const later = await world.call('POST', `/v1/providers/${owner.account.id}/webhooks`, post)
    return later.status === 404
  })
  expect([401, 404]).toContain(message.status)
  await expect(world.sound()).resolves.toBeUndefined()
})

test('a payment in doubt keeps it open; new credentials end the doubt', async () => {
  const owner = await ownerIn(world)
  const { id } = await owner.intent()
  await owner.at.fault({ action: 'hang', match: { path: '/confirm' }, times: 1 })
  const asked = await owner.ask('POST', `/v1/payment-intents/${id}/authorize`, {
    payment_method: 'pm_card_visa',
  })
  expect(asked.status, asked.text).toBe(202)
  await owner.at.fault({ action: 'http', status: 401, times: 1_000_000 })
  await close(owner)
  expect((await owner.shown()).state).toBe('closing')
  expect(await sealedOf(owner)).toBe(true)
  await owner.at.control('faults', {}, 'DELETE')
  const renewed = await owner.put()
  expect([renewed.status, renewed.body.state]).toEqual([200, 'closing'])
  await owner.reaches(id, 'authorized')
  await owner.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
  await closed(owner)
  expect((await owner.at.effects()).map(one => one.kind)).toEqual(['authorize', 'cancel'])
})

test('authorizations and the closing at once: each is done or refused, and none is lost', async () => {
  const owner = await ownerIn(world)
  const ids: string[] = []
  for (let made = 0; made < 10; made++) ids.push((await owner.intent()).id)
  const [answers] = await Promise.all([
    Promise.all(
      ids.map(id =>
        owner.ask('POST', `/v1/payment-intents/${id}/authorize`, {
          payment_method: 'pm_card_visa',
        }),
      ),
    ),
    close(owner),
  ])
  const refusals = answers.filter(one => one.status === 409).map(one => one.body.code as string)
  const known = ['payment_account_closed', 'operation_pending', 'invalid_transition']
  expect(refusals.filter(code => !known.includes(code))).toEqual([])
  for (const id of ids) {
    const { state } = await eventually('it rests', async () => {
      const view = await owner.read(id)
      return view.pending_operation === null && view
    })
    if (state === 'authorized') await owner.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
  }
  await closed(owner)
  const held = new Map<string, number>()
  for (const { kind, object } of await owner.at.effects()) {
    held.set(object, (held.get(object) ?? 0) + (kind === 'authorize' ? 1 : 0))
    if (kind === 'cancel') held.set(object, 0)
  }
  expect([...held.values()].filter(many => many > 0)).toEqual([])
})

const points = [
  'kernel.after_operation',
  'payments.before_call',
  'payments.before_handle',
  'payments.after_handle',
  'payments.after_call',
  'payments.in_apply',
]

describe('broken off at', () => {
  test.each(points)('%s, then closed: one effect, and the account ends', async point => {
    const owner = await ownerIn(world)
    const { id } = await owner.intent()
    world.platform.faults.set({ point, action: 'throw', times: 1 })
    const body = { payment_method: 'pm_card_visa' }
    const asked = await owner.ask('POST', `/v1/payment-intents/${id}/authorize`, body, newKey())
    world.platform.faults.clear()
    expect(asked.status).toBe(500)
    await close(owner)
    // The test need not wait until the lease of the attempt expires.
    await world.platform.kernel.db.run(sql`
      update payments.payment_operations set due_at = kernel.now(), leased_until = null
      where tenant_id = ${owner.tenant.id} and intent_id = ${id} and state = 'created'`)
    const rest = await eventually('nothing is under way', async () => {
      const view = await owner.read(id)
      return view.pending_operation === null && view
    })
    if (rest.state === 'authorized') {
      await owner.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
    }
    await closed(owner)
    const kinds = (await owner.at.effects()).map(one => one.kind)
    expect(kinds.filter(kind => kind === 'authorize').length).toBeLessThanOrEqual(1)
    expect((await owner.read(id)).state).toBe('cancelled')
  })
})

test('it needs the permission, and a fresh log-in', async () => {
  const owner = await ownerIn(world)
  const plain = await world.member(owner.tenant)
  const asked = { token: plain.token, body: { provider: 'stripe' } }
  const refused = await world.call('PUT', path, asked)
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  const { clock } = world.platform.kernel
  clock.setOffset(700)
  try {
    const late = await Promise.all([owner.put(), owner.ask('DELETE', path)])
    expect(late.map(one => one.body.code)).toEqual(['step_up_required', 'step_up_required'])
    expect((await owner.shown()).state).toBe('active')
  } finally {
    clock.setOffset(0)
  }
})
