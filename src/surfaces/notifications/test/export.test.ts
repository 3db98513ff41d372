/** What notifications keeps of a person is handed out to them, and nothing of others. */
import { afterAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())
const { db } = world.platform.kernel

type Line = { surface: string; kind: string; data: Record<string, unknown> }

const ask = async (who: Member, method: string, path: string, body?: object) => {
  const more = body === undefined ? {} : { body }
  const answer = await world.call(method, path, { token: who.token, key: newKey(), ...more })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

async function exported(who: Member): Promise<Line[]> {
  const { text } = await world.call('GET', '/v1/me/export', { token: who.token })
  const lines = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
  return lines.filter(({ surface }) => surface === 'notifications')
}

const dataOf = (lines: readonly Line[], kind: string) =>
  lines.filter(line => line.kind === kind).map(line => line.data)

async function order(shop: Member, recipient: object, more: object = {}) {
  const body = {
    recipient,
    category: 'order.updates',
    template: { name: await world.template(shop) },
    data: usual_data,
    channels: ['email'],
    ...more,
  }
  const sent = await world.send(shop, body)
  expect(sent.status, sent.text).toBe(202)
  return sent.body.id as string
}

test('a person exports their addresses, zone, preferences and what they received', async () => {
  const shop = await world.sender()
  const who = await world.member(shop.tenant)
  const path = `/v1/users/${who.id}`
  const quiet_hours = { start: '22:00', end: '07:00' }
  await ask(who, 'PUT', `${path}/preferences`, {
    timezone: 'Europe/Berlin',
    locale: 'de',
    preferences: [{ category: '*', channel: 'push', enabled: true, quiet_hours }],
  })
  const phone = '+4930901821'
  const sms = await ask(who, 'POST', `${path}/destinations`, { channel: 'sms', address: phone })
  const token = `device-${newId()}`
  await ask(who, 'POST', `${path}/destinations`, { channel: 'push', provider: 'fcm', token })
  await eventually('the code has arrived', async () => (await world.messages(phone)).length > 0)
  await db.run(sql`
    update notifications.destinations set verified_at = kernel.now() where id = ${sms.id}`)
  const data = { name: 'Ada', order: newId() }
  const id = await order(shop, { user_id: who.id }, { data, channels: ['email', 'in_app'] })
  const texted = await order(shop, { destination_id: sms.id }, { data, channels: ['sms'] })
  await order(shop, { email: newAddress() })

  const lines = await exported(who)
  expect(dataOf(lines, 'notification_preference_set')).toEqual([
    { timezone: 'Europe/Berlin', locale: 'de' },
  ])
  expect(dataOf(lines, 'notification_preference')).toMatchObject([
    { channel: 'push', quiet_hours, timezone: 'Europe/Berlin' },
  ])
  expect(dataOf(lines, 'notification_destination').map(one => one['destination'])).toContain(phone)
  expect(JSON.stringify(lines)).not.toContain(token)
  const received = dataOf(lines, 'notification')
  expect(received).toContainEqual(expect.objectContaining({ id, data }))
  expect(received).toContainEqual(expect.objectContaining({ id: texted, data }))
  expect(received).toHaveLength(2)
  // An export must not prove a number: its code was sent to the phone only.
  const code = /\d{6}/.exec((await world.messages(phone)).at(-1)?.text)?.[0] ?? 'no code'
  expect(code).toMatch(/^\d{6}$/)
  expect(JSON.stringify(received)).not.toContain(code)
  expect(dataOf(lines, 'inbox_item')).toMatchObject([{ title: `Order ${data.order}` }])
  const times = JSON.stringify(lines).match(/\d{4}-\d\d-\d\dT[^"]*/g) ?? []
  expect(times.length).toBeGreaterThan(5)
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('a person exports the batches that they sent', async () => {
  const shop = await world.sender()
  const other = await world.sender()
  for (const who of [shop, other]) {
    await ask(who, 'POST', '/v1/notifications/batches', {
      category: 'order.updates',
      template: { name: await world.template(who) },
      data: usual_data,
      channels: ['email'],
      recipients: [{ recipient: { email: newAddress() } }],
    })
  }
  const batches = dataOf(await exported(shop), 'notification_batch')
  expect(batches).toMatchObject([{ category: 'order.updates', total: 1, rejected: 0 }])
})

test('data that cannot be read is left out of the export', async () => {
  const shop = await world.sender()
  const who = await world.member(shop.tenant)
  const id = await order(shop, { user_id: who.id })
  await db.run(sql`
    -- any tenant: the test made it
    update notifications.notification_inputs n set ciphertext = '\\x00'::bytea || n.ciphertext
    from notifications.notification_intents i
    where i.id = ${id} and n.tenant_id = i.tenant_id and n.ref = i.data_ref`)
  expect(dataOf(await exported(who), 'notification')).toMatchObject([{ id, data: null }])
})
