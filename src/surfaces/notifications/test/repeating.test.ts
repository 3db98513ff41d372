/**
 * A message whose key was used within its window is suppressed, whenever it is to be sent, but only
 * by one that was sent or may still be sent.
 */
import { afterAll, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

test.each([
  ['at once', {}, 'queued'],
  ['for later', { scheduled_at: inAnHour() }, 'scheduled'],
])('%s', async (_when, more, first) => {
  const who = await world.shared()
  const name = await world.template(who)
  const email = newAddress()
  const send = (key: string) =>
    world.send(who, {
      recipient: { email },
      category: 'order.updates',
      template: { name },
      data: usual_data,
      channels: ['email'],
      dedupe: { key, window_seconds: 600 },
      ...more,
    })
  expect((await send('a')).body.state).toBe(first)
  const again = await send('a')
  expect(again.body).toMatchObject({
    state: 'suppressed',
    channels: [{ channel: 'email', state: 'skipped', reason: 'deduplicated', next_at: null }],
  })
  expect((await send('b')).body.state).toBe(first)
  expect(await world.read(who, again.body.id)).toMatchObject({ state: 'suppressed' })
})

async function order(more: object) {
  const who = await world.shared()
  const name = await world.template(who)
  return {
    recipient: { email: newAddress() },
    category: 'order.updates',
    template: { name },
    data: usual_data,
    channels: ['email'],
    dedupe: { key: 'k', window_seconds: 600 },
    ...more,
  }
}

test.each([
  ['scheduled', { scheduled_at: inAnHour() }],
  ['collected in a digest', { digest: { key: 'd', window_seconds: 3600 } }],
])('one that was %s and cancelled suppresses no other', async (_how, more) => {
  const who = await world.shared()
  const body = await order(more)
  const key = newKey()
  const first = await world.send(who, body, key)
  expect(first.status, first.text).toBe(202)
  const path = `/v1/notifications/${first.body.id}/cancel`
  const { token } = who
  expect((await world.call('POST', path, { token, key: newKey() })).body.state).toBe('cancelled')
  // The same request again is the same notification, and takes no window.
  expect((await world.send(who, body, key)).body.id).toBe(first.body.id)
  const { digest: _digest, scheduled_at: _at, ...now } = body as Record<string, unknown>
  const second = await world.send(who, now)
  expect(second.body.state, second.text).toBe('queued')
  await world.reaches(who, second.body.id, 'sent')
  expect((await world.send(who, now)).body.channels).toMatchObject([{ reason: 'deduplicated' }])
})

test('one that failed before it was sent suppresses no other; one that bounced does', async () => {
  const who = await world.shared()
  const unreadable = { data: { name: 'Ada' } }
  const body = await order({})
  const failed = await world.send(who, { ...body, ...unreadable })
  expect((await world.reaches(who, failed.body.id, 'failed')).attempts).toMatchObject([
    { error_code: 'render_failed' },
  ])
  const second = await world.send(who, body)
  await world.reaches(who, second.body.id, 'sent')
  const [mail] = await world.messages(body.recipient.email)
  const outcome = `/dev/inbox/messages/${mail.id}/outcome`
  await world.call('POST', outcome, { body: { type: 'bounced' } })
  await world.reaches(who, second.body.id, 'failed')
  expect((await world.send(who, body)).body.channels).toMatchObject([{ reason: 'deduplicated' }])
})
