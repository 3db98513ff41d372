/** A repeated generation that holds a connection does not wait for another one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey } from '../../../../../test/world.ts'
import { openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld({
    KERNEL_DATABASE_POOL: '4',
    KERNEL_DATABASE_WAIT_MS: '3000',
  })
})
afterAll(() => world.close())

test('more repeated generations than connections all succeed', async () => {
  const one = await world.someone()
  const keys = Array.from({ length: 16 }, newKey)
  const say = (key: string) => one.ask('POST', '/v1/generations', { prompt: 'Say so.' }, { key })
  const texts: string[] = []
  for (const key of keys) texts.push((await say(key)).body.text)
  const again = await Promise.all(keys.map(say))
  expect(again.map(answer => answer.status)).toEqual(keys.map(() => 200))
  expect(again.map(answer => answer.body.text)).toEqual(texts)
})
