/** Row 6: in each of many groups a member is removed while others send. */
import { expect } from 'vitest'
import { upTo, type Talker } from './chat-world.ts'

/** The third person is removed, and gets nothing beyond, on the socket and over HTTP. */
export async function raceRemovals([ada, bob, cleo]: [Talker, Talker, Talker], count: number) {
  const socket = await cleo.socket()
  const ids = await Promise.all(upTo(count).map(() => ada.group([bob, cleo])))
  await Promise.all(
    ids.map(async id => {
      const sends = upTo(6).map(n => (n % 2 ? ada : bob).send(id, `No. ${n}`))
      await ada.ask('DELETE', `/v1/conversations/${id}/members/${cleo.id}`)
      await Promise.all(sends)
      await ada.send(id, 'after')
    }),
  )
  for (const id of ids) {
    const { body } = await cleo.ask('GET', `/v1/conversations/${id}`)
    const { left_sequence } = body.me as { left_sequence: number }
    await socket.next(
      'member.updated',
      one => one.conversation_id === id && one.member.user_id === cleo.id,
    )
    expect(socket.messages(id).map(one => one.sequence)).toEqual(upTo(left_sequence))
    expect((await cleo.history(id)).data).toHaveLength(left_sequence)
    expect((await bob.history(id)).data).toHaveLength(7)
  }
  socket.close()
}
