/** Row 4: SIGKILL at each point of a send: the resend finds one message, and sockets elsewhere got it once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { killedAt } from '../../../../test/crash.ts'
import { call, newKey } from '../../../../test/world.ts'
import { inTurns } from '../../../../test/in-turns.ts'
import { openChatWorld, type ChatWorld, type Talker } from './chat-world.ts'

let world: ChatWorld
let ada: Talker
let bob: Talker
beforeAll(async () => {
  world = await openChatWorld({ IDENTITY_ACCESS_TTL_SECONDS: '3600', CHAT_REPAIR_MS: '300' })
  ;[ada, bob] = (await world.people(2)) as [Talker, Talker]
})
afterAll(() => world.close())

const points = {
  'chat.before_append': false,
  'chat.after_commit': true,
  'chat.before_delivery': true,
  'chat.before_hint': true,
} as const

test.each(inTurns(2, Object.entries(points)))(
  'killed at %s: one message, delivered once',
  async (point, stored) => {
    const id = await ada.group([bob])
    const socket = await bob.socket()
    const key = newKey()
    const path = `/v1/conversations/${id}/messages`
    await killedAt(
      world,
      point,
      url => call(url, 'POST', path, { token: ada.token, key, body: { body: 'once' } }),
      1,
      'product',
    )
    const again = await ada.send(id, 'once', { key })
    expect(again.status, again.text).toBe(201)
    expect(again.body.sequence).toBe(1)
    expect(again.headers.get('idempotent-replayed')).toBe(stored ? 'true' : null)
    expect((await ada.send(id, 'twice')).body.sequence).toBe(2)
    await socket.next('message.created', one => one.sequence === 2)
    expect(socket.messages(id).map(one => one.sequence)).toEqual([1, 2])
    socket.close()
  },
)
