/** A notification whose data cannot be read does not hold back the others. */
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld({})
const { db } = world.platform.kernel
afterAll(() => world.close())

test('one with damaged data is put off, and another one that is due with it is sent', async () => {
  const who = await world.shared()
  const name = await world.template(who)
  const scheduled_at = new Date(Date.now() + 2000).toISOString()
  const send = async (email: string): Promise<string> => {
    const { status, text, body } = await world.send(who, {
      recipient: { email },
      category: 'order.updates',
      template: { name },
      data: usual_data,
      channels: ['email'],
      scheduled_at,
    })
    expect(status, text).toBe(202)
    return body.id
  }
  const [broken, whole] = [newAddress(), newAddress()]
  const first = await send(broken)
  const damaged = await db.run(sql`
    -- any tenant: the test made it
    update notifications.notification_inputs n set ciphertext = '\\x00'::bytea || n.ciphertext
    from notifications.notification_intents i
    where i.id = ${first} and n.tenant_id = i.tenant_id and n.ref = i.data_ref`)
  expect(damaged).toBe(1)
  const second = await send(whole)
  await world.reaches(who, second, 'sent')
  expect(await world.messages(whole)).toHaveLength(1)
  await eventually('the first one waits again', async () => {
    const { attempts } = await world.read(who, first)
    return attempts[0]?.state === 'pending'
  })
  expect(await world.messages(broken)).toEqual([])
})

// It moves the clock, so it is the last one.
test('a digest with damaged data holds back no other one, and is given up when it has expired', async () => {
  const who = await world.sender()
  const texts = { in_app: { title: '{{ total }} new', body: 'x' } }
  const template = { name: await world.template(who, texts) }
  const send = async (key: string): Promise<string> => {
    const { status, text, body } = await world.send(who, {
      recipient: { user_id: who.id },
      category: 'order.updates',
      template,
      data: {},
      channels: ['in_app'],
      digest: { key, window_seconds: 60 },
    })
    expect(status, text).toBe(202)
    return body.id
  }
  const first = await send('first')
  await db.run(sql`
    -- any tenant: the test made it
    update notifications.notification_inputs n set ciphertext = '\\x00'::bytea || n.ciphertext
    from notifications.notification_intents i
    where i.id = ${first} and n.tenant_id = i.tenant_id and n.ref = i.data_ref`)
  const second = await send('second')
  const clock = (offset_seconds: number) =>
    world.call('POST', '/dev/clock', { body: { offset_seconds } })
  await clock(61)
  await world.reaches(who, second, 'delivered')
  expect((await world.read(who, first)).state).toBe('held')
  await db.run(sql`
    -- any tenant: the test made it
    update notifications.notification_intents set expires_at = kernel.now() where id = ${first}`)
  await db.run(sql`
    -- any tenant: the test made it
    update notifications.digests d set closes_at = kernel.now()
    from notifications.notification_intents i where i.id = ${first} and d.id = i.digest_id`)
  await world.reaches(who, first, 'cancelled')
  await clock(0)
})
