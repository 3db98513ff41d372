/** Replays that hold a connection do not wait for another one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import { call, newKey, openWorld, type World } from '../../../../test/world.ts'

let world: World
let other: PlatformProcess
beforeAll(async () => {
  world = await openWorld()
  other = await startProcess({
    ...world.environment,
    KERNEL_DATABASE_POOL: '4',
    KERNEL_DATABASE_WAIT_MS: '3000',
  })
})
afterAll(async () => {
  await other.kill()
  await world.close()
})

test('more replays by reference than connections, of calls of another process, all succeed', async () => {
  const { token } = world.person()
  const say = (url: string, key: string) =>
    call(url, 'POST', '/v1/relay/sayings', { token, key, body: { text: key } })
  const keys = Array.from({ length: 16 }, newKey)
  const first = await Promise.all(keys.map(key => say(world.url, key)))
  const again = await Promise.all(keys.map(key => say(other.url, key)))
  expect(again.map(one => one.status)).toEqual(keys.map(() => 200))
  expect(again.map(one => one.text)).toEqual(first.map(one => one.text))
  expect(again.every(one => one.headers.get('idempotent-replayed') === 'true')).toBe(true)
})
