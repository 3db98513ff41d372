/** What a block ends in a direct conversation, and rights that end while a request waits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { eventually, newKey } from '../../../../test/world.ts'
import { openChatWorld, type ChatWorld, type Client, type Json, type Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld()
})
afterAll(() => world.close())

const block = async (by: Talker, whom: Talker) => {
  const { status, text } = await by.ask('PUT', `/v1/users/me/blocks/${whom.id}`)
  expect(status, text).toBe(200)
}

/** Everything that was written to the socket before is there afterwards. */
async function settled(socket: Client): Promise<void> {
  const request_id = newKey()
  socket.put({ type: 'ping', request_id })
  await socket.next('pong', one => one.request_id === request_id)
}

describe.concurrent('after a block', () => {
  test('neither changes a text that the other reads in their direct conversation', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    for (const [id, ...wanted] of [
      [await ada.direct(bob), 403, 'message_not_allowed'],
      [await ada.group([bob]), 200, undefined],
    ] as const) {
      const { body: sent } = await ada.send(id, 'hello')
      await block(bob, ada)
      const at = `/v1/conversations/${id}/messages/${sent.id}`
      const edited = await ada.ask('PATCH', at, { body: 'you cannot get rid of me' })
      expect([edited.status, edited.body.code]).toEqual(wanted)
      await bob.ask('DELETE', `/v1/users/me/blocks/${ada.id}`)
      expect((await ada.ask('PATCH', at, { body: 'hello again' })).status).toBe(200)
    }
  })

  test('a message that was stored before is returned under its key', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    const key = newKey()
    const first = await ada.send(id, 'hello', { key })
    await block(bob, ada)
    const again = await ada.send(id, 'hello', { key })
    expect([again.status, again.body.id]).toEqual([first.status, first.body.id])
    expect((await ada.send(id, 'other', { key })).body.code).toBe('idempotency_key_reused')
    expect((await ada.send(id, 'hello')).body.code).toBe('message_not_allowed')
  })

  test('neither sees how far the other has read in their direct conversation', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    await ada.send(id, 'one')
    await ada.send(id, 'two')
    const [own, other] = await Promise.all([ada.socket(), bob.socket()])
    const read = (through_sequence: number) =>
      bob.ask('PUT', `/v1/conversations/${id}/read`, { through_sequence })
    const receipts = () => own.frames.filter(one => one.type === 'receipt.updated')
    const lists = async () => {
      const at = `/v1/conversations/${id}`
      const found = await Promise.all([
        ada.ask('GET', at),
        ada.ask('GET', `${at}/members`),
        ada.ask('GET', '/v1/conversations'),
      ])
      const [one, members, [listed]] = found.map(({ body }) => body.data ?? body)
      return [one.members, members, listed.members].map(
        all => all.find((member: Json) => member.user_id === bob.id).last_read_sequence,
      )
    }
    await block(bob, ada)
    expect((await read(1)).body).toMatchObject({ last_read_sequence: 1, unread_count: 1 })
    other.put({ type: 'receipt.read', conversation_id: id, through_sequence: 2 })
    await eventually('it is stored', async () => {
      const { body } = await bob.ask('GET', `/v1/conversations/${id}`)
      return body.me.unread_count === 0
    })
    await settled(own)
    expect(receipts()).toEqual([])
    expect(await lists()).toEqual([0, 0, 0])
    await bob.ask('DELETE', `/v1/users/me/blocks/${ada.id}`)
    expect(await lists()).toEqual([2, 2, 2])
    await ada.send(id, 'three')
    await read(3)
    expect(await own.next('receipt.updated')).toMatchObject({ last_read_sequence: 3 })
    for (const one of [own, other]) one.close()
  })
})

test('who has left a group tells its members no more how far they read', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.group([bob])
  await ada.send(id, 'one')
  const own = await ada.socket()
  const left = await bob.ask('DELETE', `/v1/conversations/${id}/members/${bob.id}`)
  expect(left.status, left.text).toBe(204)
  const read = await bob.ask('PUT', `/v1/conversations/${id}/read`, { through_sequence: 1 })
  expect(read.body).toMatchObject({ last_read_sequence: 1 })
  await settled(own)
  expect(own.frames.filter(one => one.type === 'receipt.updated')).toEqual([])
  own.close()
})

test('an admin whose role ends while a deletion waits deletes nothing', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.group([bob])
  const { body: sent } = await ada.send(id, 'of the owner')
  const member = `/v1/conversations/${id}/members/${bob.id}`
  const raised = await ada.ask('PATCH', member, { role: 'admin' })
  expect(raised.status, raised.text).toBe(200)
  const { db } = world.platform.kernel
  const deleting = await db.tx(async tx => {
    await tx.run(sql`
      select from chat.conversations where id = ${id} for no key update`)
    const at = `/v1/conversations/${id}/messages/${sent.id}`
    const waiting = bob.ask('DELETE', at)
    await eventually('it waits for the conversation', async () => {
      const waits = await db.run(sql`
        select from pg_stat_activity where wait_event_type = 'Lock'
          and datname = current_database() and query like '%chat.conversations%'`)
      return waits > 0
    })
    await tx.run(sql`
      update chat.conversation_members set role = 'member'
      where conversation_id = ${id} and user_id = ${bob.id}`)
    return { waiting }
  })
  const answer = await deleting.waiting
  expect([answer.status, answer.body?.code]).toEqual([403, 'permission_denied'])
  expect((await ada.history(id)).data[0].body).toBe('of the owner')
})

test('a socket that misses many changes of old messages is asked to fetch them', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.group([bob])
  const [own, other] = await Promise.all([ada.socket(), bob.socket()])
  const many = 2100
  for (let n = 1; n <= many; n++) {
    own.put({ type: 'message.send', request_id: `r-${n}`, conversation_id: id, body: 'x' })
  }
  await own.next('message.ack', one => one.sequence === many)
  await eventually('all are delivered', () => other.messages(id).length === many)
  // As other nodes would leave them whose hints were lost.
  await world.platform.kernel.db.tx(async tx => {
    await tx.run(sql`
      update chat.messages m set revision = c.revision + m.sequence
      from chat.conversations c where c.id = ${id} and m.conversation_id = c.id`)
    await tx.run(sql`
      update chat.conversations set revision = revision + ${many} where id = ${id}`)
  })
  await ada.send(id, 'and one more')
  const news = await eventually('they are delivered, or to be fetched', () => {
    const changed = other.frames.filter(one => one.type === 'message.updated').length
    const resync = other.frames.some(one => one.type === 'resync.required')
    const last = other.messages(id).length > many
    return (resync || last) && { changed, resync }
  })
  expect(news).toMatchObject({ resync: true })
  for (const one of [own, other]) one.close()
})
