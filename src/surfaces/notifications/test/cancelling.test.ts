/** A notification that is cancelled while a provider has it: it may arrive, and is not tried again. */
import { afterAll, expect, test } from 'vitest'
import { holdAt } from '../../../../test/hold.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import type { Member } from '../../../../test/product-world.ts'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())
const { faults } = world.platform

async function sent(who: Member, recipient: object, channel: string): Promise<string> {
  const name = await world.template(who)
  const answer = await world.send(who, {
    recipient,
    category: 'order.updates',
    template: { name },
    data: usual_data,
    channels: [channel],
  })
  expect(answer.status, answer.text).toBe(202)
  return answer.body.id
}

const cancel = (who: Member, id: string) =>
  world.call('POST', `/v1/notifications/${id}/cancel`, {
    token: who.token,
    key: newKey(),
    body: {},
  })

test('one that its provider then refuses does not go to the next provider', async () => {
  const who = await world.shared()
  const phone = `+4179${String(Date.now()).slice(-7)}`
  await world.fault({ channel: 'sms', provider: 'dev_sms', to: phone, mode: 'reject_temp' })
  const held = holdAt(faults, 'notifications.after_wire')
  const id = await sent(who, { phone }, 'sms')
  await held.reached()
  expect((await cancel(who, id)).body.effect).toBe('none')
  held.release()
  const found = await world.reaches(who, id, 'cancelled')
  expect(found.attempts.at(-1)).toMatchObject({ state: 'cancelled', error_code: 'cancelled' })
  expect(await world.messages(phone)).toEqual([])
})

test('one whose outcome is unknown is not sent again', async () => {
  const who = await world.shared()
  const email = newAddress()
  await world.fault({ channel: 'email', to: email, mode: 'timeout_after_accept', delay_ms: 100 })
  const id = await sent(who, { email }, 'email')
  await eventually('its outcome is unknown', async () => {
    const { attempts } = await world.read(who, id)
    return attempts[0]?.state === 'unknown'
  })
  await cancel(who, id)
  await world.reaches(who, id, 'cancelled')
  expect(await world.messages(email)).toHaveLength(1)
})

test('one that was sent is refused, because nothing can be stopped', async () => {
  const who = await world.shared()
  const id = await sent(who, { email: newAddress() }, 'email')
  await world.reaches(who, id, 'sent')
  const refused = await cancel(who, id)
  expect([refused.status, refused.body.code, refused.body.current_state]).toEqual([
    409,
    'invalid_transition',
    'sent',
  ])
  expect((await world.read(who, id)).state).toBe('sent')
})
