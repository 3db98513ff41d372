/** Pushes: who gets one, and when. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openChatWorld, upTo, type ChatWorld, type Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({ CHAT_PRESENCE_GRACE_MS: '1500', CHAT_PUSH_GROUP_SECONDS: '1' })
})
afterAll(() => world.close())

const Push = Type.Object({
  looked: Type.Boolean(),
  waits: Type.Boolean(),
  failed: Type.Boolean(),
})

/** Whether a conversation's pushes were looked at, and whether they are to be again. */
const pushesOf = (conversation_id: string, { tenant }: Talker) =>
  world.platform.kernel.db.maybe(
    Push,
    sql`
      select pushed_at is not null as looked, due_at is not null as waits,
        last_error_code is not null as failed from chat.pushes
      where tenant_id = ${tenant.id} and conversation_id = ${conversation_id}`,
  )

const lookedAt = (id: string, who: Talker) =>
  eventually('the pushes were looked at', async () => (await pushesOf(id, who))?.looked)

const settled = (id: string, who: Talker) =>
  eventually('no push is due', async () => (await pushesOf(id, who))?.waits === false)

const inboxOf = async (who: Talker) => (await who.ask('GET', '/v1/inbox')).body.data.length

test('a direct message is pushed although an earlier one was pushed a moment ago', async () => {
  const [ada, away] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.direct(away)
  for (const n of upTo(2)) {
    await ada.send(id, `No. ${n}`)
    await eventually(`push ${n} is there`, async () => (await inboxOf(away)) === n)
    const read = await away.ask('PUT', `/v1/conversations/${id}/read`, { through_sequence: n })
    expect(read.status, read.text).toBe(200)
  }
})

test('a message to a person whose socket has just closed is pushed after the grace', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.direct(bob)
  const socket = await bob.socket()
  socket.close()
  await socket.closed
  await ada.send(id, 'gone a moment ago')
  await eventually('the push is there', async () => (await inboxOf(bob)) === 1)
  await settled(id, ada)
  expect(await inboxOf(bob)).toBe(1)
})

test('a member who leaves without having read is pushed, the others only once', async () => {
  const [ada, bob, away] = (await world.people(3)) as [Talker, Talker, Talker]
  const id = await ada.group([bob, away])
  const socket = await bob.socket()
  await ada.send(id, 'hello')
  await lookedAt(id, ada)
  expect(await inboxOf(bob)).toBe(0)
  socket.close()
  await eventually('the push is there', async () => (await inboxOf(bob)) === 1)
  await settled(id, ada)
  expect([await inboxOf(bob), await inboxOf(away)]).toEqual([1, 1])
})

test('an attempt that fails marks nothing as pushed', async () => {
  const [ada, away] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.direct(away)
  const { db } = world.platform.kernel
  await db.run(sql`
    alter table chat.conversation_members
    add constraint broken check (pushed_sequence = 0) not valid`)
  await ada.send(id, 'hello')
  await eventually('an attempt failed', async () => (await pushesOf(id, ada))?.failed)
  await db.run(sql`alter table chat.conversation_members drop constraint broken`)
  await settled(id, ada)
  expect(await inboxOf(away)).toBe(1)
})

test('a member who reads meanwhile gets no push', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.direct(bob)
  const socket = await bob.socket()
  await ada.send(id, 'hello')
  await lookedAt(id, ada)
  await bob.ask('PUT', `/v1/conversations/${id}/read`, { through_sequence: 1 })
  socket.close()
  await settled(id, ada)
  expect(await inboxOf(bob)).toBe(0)
})

test('a member who stays connected has received the message and gets no push', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.direct(bob)
  const socket = await bob.socket()
  await ada.send(id, 'hello')
  await lookedAt(id, ada)
  await world.call('POST', '/dev/clock', { body: { offset_seconds: 60 } })
  try {
    await settled(id, ada)
    expect(await inboxOf(bob)).toBe(0)
  } finally {
    await world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
  }
  socket.close()
})
