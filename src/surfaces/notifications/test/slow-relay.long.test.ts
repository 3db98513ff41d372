/** A relay so slow that a marked message waits for most of its lease until a connection is free. */
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld({ NOTIFICATIONS_LEASE_SECONDS: '10' })
afterAll(() => world.close())

test('what waited too long for a connection is sent once, in a lease of its own', async () => {
  const who = await world.shared()
  const email = newAddress()
  const template = { name: await world.template(who) }
  // The mails of the registration are not meant.
  await eventually('the mails of the account have left', async () => {
    const { waiting } = await world.platform.kernel.db.one(
      Type.Object({ waiting: Type.Integer() }),
      sql`
        select count(*)::int as waiting from notifications.delivery_attempts
        where state in ('pending', 'sending')`,
    )
    return waiting === 0
  })
  // Together longer than the lease, each alone shorter.
  const fault = { point: 'notifications.after_wire', action: 'delay:7500', times: 1 }
  expect((await world.call('POST', '/dev/faults', { body: fault })).status).toBeLessThan(300)
  await world.fault({ channel: 'email', to: email, mode: 'slow', times: 1, delay_ms: 3500 })
  const sent = await world.send(who, {
    recipient: { email },
    category: 'order.updates',
    template,
    data: usual_data,
    channels: ['email'],
  })
  const found = await world.reaches(who, sent.body.id, 'sent')
  expect(found.attempts).toMatchObject([{ attempt_no: 1, state: 'accepted' }])
  expect(await world.messages(email)).toHaveLength(1)
})
