/** Requests that hold a connection do not wait for another one. */
import { afterAll, expect, test } from 'vitest'
import { newAddress, openNotifyWorld, usual_data } from '../../test/notify-world.ts'

const world = await openNotifyWorld({ KERNEL_DATABASE_POOL: '4' })
afterAll(() => world.close())

test('more cancellations of one notification than connections all succeed', async () => {
  const who = await world.sender()
  const sent = await world.send(who, {
    recipient: { email: newAddress() },
    category: 'order.updates',
    template: { name: await world.template(who) },
    data: usual_data,
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  expect(sent.status, sent.text).toBe(202)
  const cancel = () =>
    world.call('POST', `/v1/notifications/${sent.body.id}/cancel`, { token: who.token })
  const cancelled = await Promise.all(Array.from({ length: 24 }, cancel))
  expect(new Set(cancelled.map(({ status }) => status))).toEqual(new Set([200]))
})
