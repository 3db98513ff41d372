/** From a subscription to a signed message: what a subscriber sees when everything goes well. */
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import { at, openGround } from './ground.ts'
import { openReceiver } from './receiver.ts'

const receiver = await openReceiver()
const ground = await openGround()
afterAll(async () => {
  await ground.close()
  await receiver.close()
})

describe.concurrent('an event', () => {
  test('reaches its subscriber, signed as the standard says', async () => {
    const owner = await ground.owner()
    const { id, secret } = await ground.subscribe(owner, at(receiver, '/signed'), {
      event_filter: { types: ['account.*'] },
    })
    const [event_id] = await ground.emit(owner)
    const [message] = await eventually('it came', () => {
      const came = receiver.of('/signed').filter(one => one.id === event_id)
      return came.length > 0 && came
    })
    const headers = message?.headers as Record<string, string>
    const body = new Webhook(secret).verify(message?.body.toString() ?? '', headers)
    expect(body).toMatchObject({
      id: event_id,
      type: 'account.verified',
      api_version: '2026-01',
      payload_ref: `/v1/webhook-events/${event_id}`,
      data: { account_id: owner.id },
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'dodeca-webhooks/1',
      'webhook-event-type': 'account.verified',
      'webhook-attempt': '1',
    })
    const [delivery] = await eventually('it is recorded', async () => {
      const found = (await ground.deliveries(id)).filter(one => one.event_id === event_id)
      return found[0]?.state === 'delivered' && found
    })
    expect(headers['webhook-delivery-id']).toBe(delivery?.id)
    expect(await ground.attempts(delivery?.id ?? '')).toMatchObject([
      { attempt_no: 1, error_code: null, http_status: 204 },
    ])
  })

  test('of another type does not come', async () => {
    const owner = await ground.owner()
    const { id } = await ground.subscribe(owner, at(receiver, '/other'), {
      event_filter: { types: ['role.assigned'] },
    })
    await ground.emit(owner)
    const { token } = owner
    const tested = await ground.call('POST', `/v1/webhook-subscriptions/${id}/test`, {
      token,
      body: { data: { hello: 'wörld' } },
    })
    expect(tested.status).toBe(202)
    await eventually('the test event came', () => receiver.of('/other').length > 0)
    const came = receiver.of('/other')
    expect(came.map(one => one.type)).toEqual(['webhook_subscription.tested'])
    expect(JSON.parse(came[0]?.body.toString() ?? '')).toMatchObject({
      data: { subscription_id: id, data: { hello: 'wörld' } },
    })
  })
})

test('a subscription is created once for a key, and its secret is shown under the key alone', async () => {
  const { token } = await ground.owner()
  const key = newKey()
  const body = {
    endpoint: at(receiver, '/keyed'),
    event_filter: { types: ['*'] },
    api_version: '2026-01',
    verification: 'manual',
  }
  const first = await ground.call('POST', '/v1/webhook-subscriptions', { token, key, body })
  const again = await ground.call('POST', '/v1/webhook-subscriptions', { token, key, body })
  expect(first.body.secret).toMatch(/^whsec_/)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const list = await ground.call('GET', '/v1/webhook-subscriptions', { token })
  expect(list.body.data).toHaveLength(1)
  expect(list.text).not.toContain('secret"')
})
