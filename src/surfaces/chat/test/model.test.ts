/** A few short scripts of the model; `test/chaos/chat.full.test.ts` plays long ones with kills. */
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { openChatWorld, type ChatWorld } from './chat-world.ts'
import { playScript, scripts } from './model.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({ CHAT_REPAIR_MS: '300' })
})
afterAll(() => world.close())

test('cuts, stalls and repeated sends: every device sees each message once, in one order', async () => {
  const property = fc.asyncProperty(scripts(25), script => playScript(world, script, false))
  await fc.assert(property, { numRuns: 4, endOnFailure: true })
})
