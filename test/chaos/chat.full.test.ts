/** Long scripts of the model, with processes that are killed, and 500 races of a removal. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openChatWorld,
  upTo,
  type ChatWorld,
  type Talker,
} from '../../src/surfaces/chat/test/chat-world.ts'
import { playScript, scripts } from '../../src/surfaces/chat/test/model.ts'
import { raceRemovals } from '../../src/surfaces/chat/test/race-removals.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({ CHAT_REPAIR_MS: '300', IDENTITY_ACCESS_TTL_SECONDS: '3600' })
})
afterAll(() => world.close())

test('cuts, stalls, repeated sends and SIGKILL: every device sees each message once, in one order', async () => {
  const property = fc.asyncProperty(scripts(100), script => playScript(world, script, true))
  await fc.assert(property, {
    numRuns: 2,
    endOnFailure: true,
    // A script that does not end is reported with its seed.
    plugins: [fc.interruptAfterTimeLimit(120_000, { failOnInterrupt: true })],
  })
})

test('row 6: 500 removals while others send', { timeout: 240_000 }, async () => {
  const people = (await world.people(3)) as [Talker, Talker, Talker]
  for (const _ of upTo(20)) {
    const { found, wanted } = await raceRemovals(people, 25)
    expect(found).toEqual(wanted)
  }
})
