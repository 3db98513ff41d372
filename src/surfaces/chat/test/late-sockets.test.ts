/** A socket that is subscribed to a conversation late gets what was sent before. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { openChatWorld, type ChatWorld, type Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({ CHAT_REPAIR_MS: '300' })
})
afterAll(() => world.close())

/** As a process does whose hint is lost: the sockets find the membership by themselves. */
async function joinSilently(id: string, { id: user_id, tenant }: Talker): Promise<void> {
  await world.platform.kernel.db.tx(async tx => {
    await tx.run(sql`
      update chat.conversations set revision = revision + 1, member_count = member_count + 1
      where tenant_id = ${tenant.id} and id = ${id}`)
    await tx.run(sql`
      insert into chat.conversation_members
        (tenant_id, conversation_id, user_id, role, joined_sequence, revision)
      select tenant_id, id, ${user_id}, 'member', 1, revision from chat.conversations
      where tenant_id = ${tenant.id} and id = ${id}`)
  })
}

test.each([
  ['of our protocol', false],
  ['of a plain client', true],
])(
  'a socket %s gets the messages since its person joined, in their order',
  async (_which, plain) => {
    const [ada, bob, eve] = (await world.people(3)) as [Talker, Talker, Talker]
    const id = await ada.group([eve])
    const [own, here] = [await ada.socket(), await bob.socket({ plain })]
    for (const body of ['before', 'first', 'second']) await ada.send(id, body)
    await joinSilently(id, bob)
    await here.next('message.created', one => one.sequence === 3)
    await ada.send(id, 'third')
    await here.next('message.created', one => one.sequence === 4)
    expect(here.messages(id).map(one => one.message.body)).toEqual(['first', 'second', 'third'])
    expect(own.messages(id)).toHaveLength(4)
    for (const socket of [own, here]) socket.close()
  },
)

test('an open socket is subscribed although another one of its person is already', async () => {
  const [ada, bob, eve] = (await world.people(3)) as [Talker, Talker, Talker]
  const id = await ada.group([eve])
  await ada.send(id, 'before')
  const early = await bob.socket()
  await joinSilently(id, bob)
  const opened = await bob.socket()
  await ada.send(id, 'hello')
  for (const socket of [early, opened]) {
    await socket.next('message.created', one => one.sequence === 2)
    expect(socket.messages(id)).toHaveLength(1)
    socket.close()
  }
})

test('a socket fetches everything when the conversation has lost its last messages', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.group([bob])
  const socket = await bob.socket()
  for (const body of ['kept', 'lost', 'lost too']) await ada.send(id, body)
  await socket.next('message.created', one => one.sequence === 3)
  // A standby that lacks the last two takes over.
  await world.platform.kernel.db.tx(async tx => {
    await tx.run(sql`
      delete from chat.messages
      where tenant_id = ${ada.tenant.id} and conversation_id = ${id} and sequence > 1`)
    await tx.run(sql`
      update chat.conversations set revision = revision - 2, latest_sequence = 1
      where tenant_id = ${ada.tenant.id} and id = ${id}`)
  })
  const frame = await socket.next('resync.required')
  expect(frame).toMatchObject({ conversation_id: id, after_revision: 0 })
  await ada.send(id, 'new')
  await socket.next('message.created', one => one.message.body === 'new')
  socket.close()
})
