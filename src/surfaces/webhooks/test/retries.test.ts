/** What happens when an endpoint does not take what it is sent. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import { at, openGround, type Made } from './ground.ts'
import { fine, openReceiver, status, type Answering } from './receiver.ts'

const ground = await openGround({
  WEBHOOKS_RETRY_SCHEDULE: '0,1,1',
  WEBHOOKS_BREAKER: 'failures:1000,open_ms:1000,max_open_ms:1000',
})
afterAll(() => ground.close())

async function subscriber(answer: Answering, more: object = {}) {
  const receiver = await openReceiver()
  receiver.answer(answer)
  const owner = await ground.owner()
  const event_filter = { types: ['account.verified'] }
  const made = await ground.subscribe(owner, at(receiver), { event_filter, ...more })
  return { receiver, owner, made }
}

const settled = ({ id }: Made, state: string, many = 1) =>
  eventually(`${many} ${state}`, async () => {
    const states = await ground.states(id)
    return states[state] === many && states
  })

describe.concurrent('a delivery', () => {
  test('is tried again until it is taken, with the same bytes and id', async () => {
    const { receiver, owner, made } = await subscriber((response, one) =>
      one.attempt < 3 ? status(503)(response, one) : fine(response, one),
    )
    const [event_id] = await ground.emit(owner)
    await settled(made, 'delivered')
    expect(receiver.received.map(one => one.attempt)).toEqual([1, 2, 3])
    expect(new Set(receiver.received.map(one => one.id))).toEqual(new Set([event_id]))
    expect(new Set(receiver.received.map(one => one.body.toString('base64'))).size).toBe(1)
    const [delivery] = await ground.deliveries(made.id)
    expect(await ground.attempts(delivery?.id ?? '')).toMatchObject([
      { attempt_no: 1, http_status: 503, error_code: 'http_5xx', response_excerpt: 'status 503' },
      { attempt_no: 2, http_status: 503, error_code: 'http_5xx' },
      { attempt_no: 3, http_status: 204, error_code: null },
    ])
    await receiver.close()
  })

  test('does not feed itself where two who hear of it fail, too', async () => {
    const types = ['account.verified', 'webhook_delivery.*']
    const first = await subscriber(status(500), { event_filter: { types } })
    const other = await openReceiver()
    other.answer(status(500))
    const second = await ground.subscribe(first.owner, at(other), { event_filter: { types } })
    await ground.emit(first.owner)
    // Each hears that the other did not take the event, and takes that no better.
    await settled(first.made, 'exhausted', 2)
    await settled(second, 'exhausted', 2)
    const announcements = async (tenant_id: string) => {
      const found = await ground.platform.kernel.db.one(
        Type.Object({ many: Type.Integer() }),
        sql`
          select count(*)::int as many from (
            select tenant_id, type from kernel.events
            union all select tenant_id, type from kernel.outbox_events) e
          where tenant_id = ${tenant_id} and type = 'webhook_delivery.exhausted'`,
      )
      return found.many
    }
    expect(await announcements(first.owner.tenant.id)).toBe(2)
    await Promise.all([first.receiver.close(), other.close()])
  })

  test('ends as exhausted, and that is announced, though not to this subscriber', async () => {
    const { receiver, owner, made } = await subscriber(status(500), {
      event_filter: { types: ['account.verified', 'webhook_delivery.*'] },
    })
    const other = await openReceiver()
    const event_filter = { types: ['webhook_delivery.exhausted'] }
    await ground.subscribe(owner, at(other), { event_filter })
    await ground.emit(owner)
    await settled(made, 'exhausted')
    await eventually('it is announced', () => other.received.length === 1)
    const [delivery] = await ground.deliveries(made.id)
    expect(JSON.parse(other.received[0]?.body.toString() ?? '').data).toMatchObject({
      delivery_id: delivery?.id,
      attempt_count: 3,
      last_http_status: 500,
      last_error_code: 'http_5xx',
    })
    expect(receiver.received).toHaveLength(3)
    await Promise.all([receiver.close(), other.close()])
  })

  test.for([400, 404, 422, 501, 505])('ends at once with a %i', async code => {
    const { receiver, owner, made } = await subscriber(status(code))
    await ground.emit(owner)
    await settled(made, 'permanent_failure')
    expect(receiver.received).toHaveLength(1)
    await receiver.close()
  })

  test.for([408, 429, 500, 502, 507, 599])('is tried again after a %i', async code => {
    const { receiver, owner, made } = await subscriber((response, one) =>
      one.attempt === 1 ? status(code)(response, one) : fine(response, one),
    )
    await ground.emit(owner)
    await settled(made, 'delivered')
    expect(receiver.received).toHaveLength(2)
    await receiver.close()
  })

  test('with a 410 ends, and the subscription with it', async () => {
    const { receiver, owner, made } = await subscriber(status(410))
    await ground.emit(owner)
    await settled(made, 'permanent_failure')
    const { body } = await ground.call('GET', `/v1/webhook-subscriptions/${made.id}`, owner)
    expect(body).toMatchObject({ state: 'disabled', disabled_reason: 'gone' })
    await ground.emit(owner)
    const path = `/v1/webhook-subscriptions/${made.id}`
    const ask = { ...owner, body: { state: 'active' } }
    expect((await ground.call('PATCH', path, ask)).body.state).toBe('created')
    await eventually('it is verified again', async () => {
      return (await ground.call('GET', path, owner)).body.state === 'active'
    })
    expect(receiver.challenges).toHaveLength(2)
    expect(await ground.deliveries(made.id)).toHaveLength(1)
    await receiver.close()
  })

  test('waits as long as Retry-After asks, and so do its siblings, without an attempt', async () => {
    const { receiver, owner, made } = await subscriber(status(503, { 'retry-after': '3600' }))
    await ground.emit(owner)
    await eventually('it was refused', async () => {
      const { health } = (await ground.call('GET', `/v1/webhook-subscriptions/${made.id}`, owner))
        .body
      return health.not_before !== null
    })
    await ground.emit(owner, 500)
    const deliveries = await eventually('all are there', async () => {
      const found = await ground.deliveries(made.id)
      return found.length === 501 && found
    })
    // A lane without a gate is known to be served meanwhile.
    const witness = await subscriber(fine)
    await ground.emit(witness.owner, 50)
    await settled(witness.made, 'delivered', 50)
    const later = await ground.deliveries(made.id)
    expect(later.filter(one => one.attempt_count > 0)).toHaveLength(1)
    expect(later.map(one => one.state)).toEqual(deliveries.map(() => 'pending'))
    expect(receiver.received).toHaveLength(1)
    await Promise.all([receiver.close(), witness.receiver.close()])
  })
})

test('a date in Retry-After holds the endpoint back too, until it is another endpoint', async () => {
  const better = await openReceiver()
  const {
    receiver: old,
    owner,
    made,
  } = await subscriber((response, one) => {
    const date = new Date().toUTCString()
    const later = new Date(Date.parse(date) + 3_600_000).toUTCString()
    status(503, { date, 'retry-after': later })(response, one)
  })
  await ground.emit(owner)
  const path = `/v1/webhook-subscriptions/${made.id}`
  const health = async () => (await ground.call('GET', path, owner)).body.health
  const until = await eventually(
    'it is held back',
    async () => (await health()).not_before ?? false,
  )
  expect(Date.parse(until)).toBeGreaterThan(ground.platform.kernel.clock.nowMs() + 3_500_000)
  await ground.emit(owner)
  await settled(made, 'pending', 2)
  const body = { endpoint: at(better) }
  await ground.call('PATCH', path, { token: owner.token, body })
  await eventually('the other endpoint gets what waits', () => better.received.length === 1)
  expect((await health()).not_before).toBeNull()
  expect(old.received).toHaveLength(1)
  await Promise.all([old.close(), better.close()])
})

test('a retry begins at its time, also without a scan for due deliveries', async () => {
  const own = await openGround({
    WEBHOOKS_RETRY_SCHEDULE: '0,1,1',
    WEBHOOKS_BREAKER: 'failures:1000,open_ms:1000,max_open_ms:1000',
  })
  const receiver = await openReceiver()
  const owner = await own.owner()
  const made = await own.subscribe(owner, at(receiver), {
    event_filter: { types: ['account.verified'] },
  })
  const fault = { point: 'webhooks.before_look', action: 'throw' }
  expect((await own.call('POST', '/dev/faults', { body: fault })).status).toBeLessThan(300)
  receiver.answer((response, one) => (one.attempt < 3 ? status(503) : fine)(response, one))
  await own.emit(owner, 5)
  await eventually('all are delivered', async () => {
    return (await own.states(made.id))['delivered'] === 5
  })
  expect(receiver.received).toHaveLength(15)
  await own.close()
  await receiver.close()
})

test('an endpoint that fails in a row is left alone, then tried with one delivery', async () => {
  const own = await openGround({
    WEBHOOKS_RETRY_SCHEDULE: '0,600,600',
    WEBHOOKS_BREAKER: 'failures:5,open_ms:1500,max_open_ms:60000',
  })
  const receiver = await openReceiver()
  receiver.answer(status(500))
  const owner = await own.owner()
  const event_filter = { types: ['account.verified'] }
  const made = await own.subscribe(owner, at(receiver), { event_filter })
  const health = async () =>
    (await own.call('GET', `/v1/webhook-subscriptions/${made.id}`, owner)).body.health
  await own.emit(owner, 50)
  await eventually('the breaker opens', async () => (await health()).breaker === 'open')
  // The window lets at most what was under way go on.
  expect(receiver.received.length).toBeLessThan(16)
  const before = receiver.received.length
  receiver.answer(fine)
  await eventually('everything else is delivered', async () => {
    const { delivered = 0, pending = 0 } = await own.states(made.id)
    return delivered + pending === 50 && pending === before
  })
  // What was delivered is seen before the lane is saved.
  await eventually('the breaker closes', async () => (await health()).breaker === 'closed')
  const waiting = (await own.deliveries(made.id)).filter(one => one.state === 'pending')
  expect(waiting.every(one => one.attempt_count === 1)).toBe(true)
  await own.close()
  await receiver.close()
})
