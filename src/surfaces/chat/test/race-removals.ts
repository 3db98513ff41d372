/** Row 6: in each of many groups a member is removed while others send. */
import { upTo, type Talker } from './chat-world.ts'

/**
 * What the third person got of each group, on the socket and over HTTP, and how many messages stayed: for
 * each group as it came and as it has to be.
 */
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
  const found: object[] = []
  const wanted: object[] = []
  for (const id of ids) {
    const { body } = await cleo.ask('GET', `/v1/conversations/${id}`)
    const { left_sequence } = body.me as { left_sequence: number }
    await socket.next(
      'member.updated',
      one => one.conversation_id === id && one.member.user_id === cleo.id,
    )
    const [read, stored] = [await cleo.history(id), await bob.history(id)]
    found.push({
      live: socket.messages(id).map(one => one.sequence),
      read: read.data.length,
      stored: stored.data.length,
    })
    wanted.push({ live: upTo(left_sequence), read: left_sequence, stored: 7 })
  }
  socket.close()
  return { found, wanted }
}
