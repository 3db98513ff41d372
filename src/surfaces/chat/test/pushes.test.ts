/** Pushes of direct conversations. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { openChatWorld, upTo, type ChatWorld, type Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld()
})
afterAll(() => world.close())

test('a direct message is pushed although an earlier one was pushed a moment ago', async () => {
  const [ada, away] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.direct(away)
  for (const n of upTo(2)) {
    await ada.send(id, `No. ${n}`)
    await eventually(`push ${n} is there`, async () => {
      const { body } = await away.ask('GET', '/v1/inbox')
      return body.data.length === n
    })
    const read = await away.ask('PUT', `/v1/conversations/${id}/read`, { through_sequence: n })
    expect(read.status, read.text).toBe(200)
  }
})
