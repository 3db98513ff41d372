/** Doubt: whatever is lost on the way, there is one effect, and the books say what happened. */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdAt } from '../../../../test/hold.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { sql, type Reader } from '#dodeca/kernel'
import { storedKey } from '../../../kernel/idempotency/records.ts'
import { showIntent } from '../intents/intent-view.ts'
import { openPaymentWorld, type Fault, type Merchant, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({
    PAYMENTS_PROVIDER_TIMEOUT_MS: '500',
    PAYMENTS_BREAKER_OPEN_MS: '10',
  })
  // A breaker that one test opened is closed for the next one. No webhook helps: what is lost is found out by asking.
  await world.control('config', { webhook_url: null })
})
afterAll(() => world.close())

/** Faults strike the requests for one payment only, so that tests run side by side. */
async function struck(shop: Merchant, id: string, fault: Fault & { path?: string }): Promise<void> {
  const { path, ...rest } = fault
  const handle = await world.platform.kernel.db.maybe(
    Type.Object({ handle: Type.String() }),
    sql`
      select provider_handle as handle from payments.payment_intents
      where tenant_id = ${shop.tenant.id} and id = ${id} and provider_handle is not null`,
  )
  const match = handle
    ? { path: `${handle.handle}/${path}` }
    : { path, metadata: { intent_id: id } }
  await world.fault({
    ...rest,
    match: path === 'refunds' ? { path: '/v1/refunds', method: 'POST' } : match,
  })
}

const lost: readonly (Fault & { readonly name: string })[] = [
  { name: 'silence after the effect', action: 'delay_after', ms: 5000 },
  { name: 'a connection that breaks twice', action: 'reset_after', times: 2 },
  { name: 'a 500 after the effect', action: 'http', status: 500, after_effect: true },
  { name: 'a 409 after the effect', action: 'http', status: 409, after_effect: true },
  { name: 'an unreadable answer', action: 'garbage_json' },
  { name: 'an answer that breaks off', action: 'truncate' },
]
const kinds = async (handle: string) => (await world.effects(handle)).map(one => one.kind)
const handleOf = async (id: string) => {
  const { data } = await world.control('effects', {}, 'GET')
  const own = (data as { object: string; metadata: { intent_id?: string } }[]).find(
    one => one.metadata.intent_id === id,
  )
  return own?.object ?? ''
}

describe.concurrent.each(lost)('$name', fault => {
  const { name: _name, ...strike } = fault

  test('leaves an authorization pending, which is found out', async () => {
    const shop = await world.merchant()
    const { id } = await shop.intent()
    const key = newKey()
    await struck(shop, id, { ...strike, path: '/confirm' })
    const authorize = () =>
      shop.ask(
        'POST',
        `/v1/payment-intents/${id}/authorize`,
        { payment_method: 'pm_card_visa' },
        key,
      )
    const first = await authorize()
    expect([first.status, first.body.status]).toEqual([202, 'pending'])
    expect((await authorize()).text).toBe(first.text)
    await shop.reaches(id, 'authorized')
    const effects = await world.effects(await handleOf(id))
    // One key throughout, named after the operation.
    expect(effects.map(one => [one.kind, one.idempotency_key])).toEqual([
      ['authorize', `${first.body.operation_id}:confirm`],
    ])
    expect(await world.events(id)).toEqual([
      'payment.created',
      'payment.deferred',
      'payment.authorized',
    ])
  })

  test('leaves a capture pending, which is posted once', async () => {
    const shop = await world.merchant()
    const { id } = await shop.authorized()
    await struck(shop, id, { ...strike, path: 'capture' })
    const first = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
    expect([first.status, first.body.pending_operation.type]).toEqual([202, 'capture'])
    await shop.reaches(id, 'captured')
    expect(await kinds(await handleOf(id))).toEqual(['authorize', 'capture'])
    const { body } = await shop.ask('GET', `/v1/ledger/transactions?intent_id=${id}`)
    const purposes = body.data.map((one: { purpose: string }) => one.purpose)
    expect(purposes.sort()).toEqual(['capture', 'fee'])
  })

  test('that ends while the payment is read is shown as pending, or with its effect', async () => {
    const shop = await world.merchant()
    const { id } = await shop.authorized()
    await struck(shop, id, { ...strike, path: 'capture' })
    expect((await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})).status).toBe(202)
    const { db } = world.platform.kernel
    let has_ended = false
    // Between the first statement and the next one.
    const ended = async <T>(row: T): Promise<T> => {
      if (!has_ended) await shop.reaches(id, 'captured')
      has_ended = true
      return row
    }
    const reader: Reader = {
      one: async (shape, statement) => await ended(await db.one(shape, statement)),
      maybe: async (shape, statement) => await ended(await db.maybe(shape, statement)),
      many: async (shape, statement) => await ended(await db.many(shape, statement)),
    }
    const shown = await showIntent(reader, { tenant_id: shop.tenant.id, id })
    expect([shown.state, shown.pending_operation?.type]).toEqual(['captured', 'capture'])
  })

  test('leaves a cancellation pending, which is found out', async () => {
    const shop = await world.merchant()
    const { id } = await shop.authorized()
    await struck(shop, id, { ...strike, path: 'cancel' })
    const first = await shop.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
    expect([first.status, first.body.status]).toEqual([202, 'pending'])
    const over = await shop.reaches(id, 'cancelled')
    expect(over.cancellation_reason).toBe('requested')
    expect(await kinds(await handleOf(id))).toEqual(['authorize', 'cancel'])
  })
})

test('a refusal that says to try again is no outcome of its key', async () => {
  const shop = await world.merchant()
  const { id } = await shop.authorized()
  await struck(shop, id, { action: 'delay_after', ms: 5000, path: 'capture' })
  // The request passes this point, and the resolver waits there: otherwise it could be faster than `cancel`.
  const held = holdAt(world.platform.faults, 'payments.before_call', { skip: 1 })
  const capture = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
  expect(capture.status, capture.text).toBe(202)
  const key = newKey()
  const cancel = () => shop.ask('POST', `/v1/payment-intents/${id}/cancel`, {}, key)
  const early = await cancel()
  expect([early.status, early.body.code]).toEqual([409, 'operation_pending'])
  await held.reached()
  held.release()
  await shop.reaches(id, 'captured')
  const later = await cancel()
  expect([later.status, later.body.code]).toEqual([409, 'invalid_transition'])
})

describe('a refund', () => {
  test.each(lost)('is found by its operation after $name', async ({ name: _name, ...fault }) => {
    const shop = await world.merchant()
    const { id } = await shop.captured(10_000)
    await struck(shop, id, { ...fault, path: 'refunds' })
    const first = await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 4000 })
    expect([first.status, first.body.state, first.body.status]).toEqual([202, 'pending', 'pending'])
    expect(first.headers.get('retry-after')).toBe('2')
    await eventually('it has succeeded', async () => {
      const { body } = await shop.ask('GET', `/v1/refunds/${first.body.id}`)
      expect(body).not.toHaveProperty('status')
      return body.state === 'succeeded'
    })
    const effects = await kinds(await handleOf(id))
    expect(effects).toEqual(['authorize', 'capture', 'refund'])
    expect((await world.balances(shop))['refunds_in_transit']).toBe(0)
  })
})

test('a refund that was refused is refused again, also after the record of its key is gone', async () => {
  const shop = await world.merchant()
  const { id: intent_id } = await shop.captured(10_000)
  await world.fault({ action: 'http', status: 400, match: { path: '/v1/refunds', method: 'POST' } })
  const key = newKey()
  const refund = () => shop.ask('POST', '/v1/refunds', { intent_id, amount_minor: 4000 }, key)
  const first = await refund()
  expect([first.status, first.body.code], first.text).toEqual([409, 'payment_refused'])
  const { db } = world.platform.kernel
  await db.run(sql`delete from kernel.idempotency_records where key = ${storedKey(key)}`)
  const later = await refund()
  expect([later.status, later.body.code]).toEqual([409, 'payment_refused'])
  expect(later.body.refund_id).toBe(first.body.refund_id)
  expect((await world.balances(shop))['refunds_in_transit']).toBe(0)
})

describe('what comes late', () => {
  test.each([700, 1500, 4000])(
    'an effect %i ms later is one effect, and never both success and failure',
    async ms => {
      const shop = await world.merchant()
      const { id } = await shop.intent()
      await struck(shop, id, { action: 'late_effect', ms, path: '/confirm' })
      const first = await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
        payment_method: 'pm_card_visa',
      })
      expect(first.status).toBe(202)
      await shop.reaches(id, 'authorized')
      expect(await kinds(await handleOf(id))).toEqual(['authorize'])
    },
  )
})

test('what is busy or was not sent is tried again with the same key', async () => {
  const shop = await world.merchant()
  const { id } = await shop.intent()
  await struck(shop, id, { action: 'lock_timeout', path: '/confirm' })
  const first = await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
    payment_method: 'pm_card_visa',
  })
  expect([first.status, first.body.pending_operation.state]).toEqual([202, 'created'])
  await shop.reaches(id, 'authorized')
  expect(await world.events(id)).toEqual(['payment.created', 'payment.authorized'])
})

test('an authorization in doubt for too long is closed, and a late effect finds it closed', async () => {
  const shop = await world.merchant()
  const { id } = await shop.intent()
  await struck(shop, id, { action: 'late_effect', ms: 60_000, path: '/confirm', times: 1000 })
  const first = await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
    payment_method: 'pm_card_visa',
  })
  expect(first.status).toBe(202)
  await world.platform.kernel.db.run(sql`
    update payments.payment_operations set sent_at = now() - interval '11 minutes'
    where tenant_id = ${shop.tenant.id} and id = ${first.body.operation_id}`)
  const over = await shop.reaches(id, 'cancelled')
  expect(over.cancellation_reason).toBe('unresolved_fenced')
  await world.control('faults', {}, 'DELETE')
  await world.control('clock', { advance_s: 120 })
  const { id: other } = await shop.authorized()
  expect(await world.effects(await handleOf(other))).toHaveLength(1)
  const effects = (await world.control('effects', {}, 'GET')).data as { object: string }[]
  const { handle } = await world.platform.kernel.db.one(
    Type.Object({ handle: Type.String() }),
    sql`
      select provider_handle as handle from payments.payment_intents
      where tenant_id = ${shop.tenant.id} and id = ${id}`,
  )
  expect(effects.filter(one => one.object === handle)).toMatchObject([{ kind: 'cancel' }])
})

test('a provider that holds another amount is not believed: an operator decides', async () => {
  const shop = await world.merchant()
  const { id } = await shop.intent()
  await struck(shop, id, { action: 'wrong_amount', path: '/confirm' })
  const first = await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
    payment_method: 'pm_card_visa',
  })
  expect([first.status, first.body.state]).toEqual([202, 'requires_authorization'])
  expect(first.body.pending_operation.error_code).toBe('amount_mismatch')
  expect(first.headers.get('retry-after')).toBeNull()
  const { body } = await shop.ask('GET', '/v1/reconciliation-items?discrepancy=amount_mismatch')
  const item = body.data.find((one: { local_ref: string }) => one.local_ref === id)
  expect(item).toMatchObject({ state: 'open', details: { expected_minor: 5000 } })
  const refused = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
  expect([refused.body.code, refused.body.detail]).toEqual([
    'operation_pending',
    expect.stringContaining('An operator'),
  ])
  await world.sound()
  await world.atProvider(`payment_intents/${item.external_ref}/cancel`)
  const resolution = { resolution: 'resolved', note: 'Cancelled in the dashboard.' }
  await shop.ask('POST', `/v1/reconciliation-items/${item.id}/resolve`, resolution)
  const isOver = async () => (await shop.reaches(id, 'cancelled')).pending_operation === null
  await eventually('nothing of it is pending', isOver)
})

test('what cannot be found out in three days is left to an operator', async () => {
  const shop = await world.merchant()
  const { id } = await shop.captured(10_000)
  await world.fault({ action: 'http', status: 500, times: 1000, match: { path: '/v1/refunds' } })
  const { body } = await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 4000 })
  await world.platform.kernel.db.run(sql`
    update payments.payment_operations
    set created_at = now() - interval '4 days', sent_at = now() - interval '4 days'
    where tenant_id = ${shop.tenant.id} and id = ${body.operation_id}`)
  const item = await eventually('there is an item', async () => {
    const found = await shop.ask(
      'GET',
      '/v1/reconciliation-items?discrepancy=unresolved_operation&state=open',
    )
    return found.body.data.find((one: { local_ref: string }) => one.local_ref === body.operation_id)
  })
  await world.sound()
  await world.control('faults', {}, 'DELETE')
  const resolution = { resolution: 'resolved', note: 'The provider works again.' }
  await shop.ask('POST', `/v1/reconciliation-items/${item.id}/resolve`, resolution)
  const refund = await eventually('the refund has succeeded', async () => {
    const found = await shop.ask('GET', `/v1/refunds/${body.id}`)
    return found.body.state === 'succeeded' && found.body
  })
  expect(refund.amount_minor).toBe(4000)
})

test('at the end all invariants hold', async () => {
  await expect(world.sound()).resolves.toBeUndefined()
})
