/** One kill in the middle of a send; all of them are in `test/chaos/notifications.long.test.ts`. */
import { afterAll, expect, test } from 'vitest'
import { killedAt, sending_elsewhere } from './killed.ts'
import { openNotifyWorld } from './notify-world.ts'

const world = await openNotifyWorld(sending_elsewhere)
afterAll(() => world.close())

test('killed after the hand-over: sent, and doubled only behind the wire mark', async () => {
  expect(await killedAt(world, 'notifications.after_send', 'marked', 6)).toBe(6)
}, 90_000)
