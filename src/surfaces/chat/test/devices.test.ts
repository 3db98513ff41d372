/** Devices: to whom a push token belongs, and until when. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openChatWorld, upTo, type ChatWorld, type Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({
    IDENTITY_SESSION_MAX_SECONDS: '600',
    IDENTITY_REFRESH_TTL_SECONDS: '300',
    CHAT_REPAIR_MS: '300',
  })
})
afterAll(() => world.close())

async function putDevice(who: Talker): Promise<() => Promise<number>> {
  const device = { platform: 'android', push_token: `token-${newId()}` }
  const made = await who.ask('PUT', `/v1/devices/${newId()}`, device)
  expect(made.status, made.text).toBe(200)
  const { db } = world.platform.kernel
  return () =>
    db.run(sql`
      select from chat.devices where tenant_id = ${who.tenant.id} and user_id = ${who.id}`)
}

test('a session that expires ends its sockets, and its devices get no more pushes', async () => {
  const [ada] = (await world.people(1)) as [Talker]
  const socket = await ada.socket()
  const devices = await putDevice(ada)
  expect(await devices()).toBe(1)
  try {
    const moved = await world.call('POST', '/dev/clock', { body: { offset_seconds: 1200 } })
    expect(moved.status, moved.text).toBe(200)
    expect(await socket.closed).toEqual({ code: 4401, reason: 'session_revoked' })
    await eventually('the device is gone', async () => (await devices()) === 0)
    // A session that goes on keeps its device.
    const [bob] = (await world.people(1)) as [Talker]
    const kept = await putDevice(bob)
    const loops = world.platform.opened['chat']?.loops ?? []
    const sweep = loops.find(one => one.name === 'chat.ended_sessions')
    await sweep?.run(new AbortController().signal)
    expect(await kept()).toBe(1)
  } finally {
    await world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
  }
})

test('a device gets no more pushes after its session was idle for too long', async () => {
  const [ada] = (await world.people(1)) as [Talker]
  const idle = await putDevice(ada)
  try {
    await world.call('POST', '/dev/clock', { body: { offset_seconds: 400 } })
    const [bob] = (await world.people(1)) as [Talker]
    const used = await putDevice(bob)
    const loops = world.platform.opened['chat']?.loops ?? []
    const sweep = loops.find(one => one.name === 'chat.ended_sessions')
    await sweep?.run(new AbortController().signal)
    expect([await idle(), await used()]).toEqual([0, 1])
  } finally {
    await world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
  }
})

test('a push token that several people register at once belongs to one of them', async () => {
  const people = await world.people(5)
  const body = { platform: 'android', push_token: `token-${newId()}` }
  for (const _ of upTo(3)) {
    const made = await Promise.all(
      people.map(one => one.ask('PUT', `/v1/devices/${newId()}`, body)),
    )
    expect(made.map(one => one.status)).toEqual(people.map(() => 200))
  }
  const lists = await Promise.all(people.map(one => one.ask('GET', '/v1/devices')))
  expect(lists.flatMap(one => one.body.data)).toHaveLength(1)
})
