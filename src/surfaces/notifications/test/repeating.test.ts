/** A message whose key was used within its window is suppressed, whenever it is to be sent. */
import { afterAll, expect, test } from 'vitest'
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
