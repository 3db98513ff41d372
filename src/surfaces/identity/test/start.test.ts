/** The product starts with identity: its keys are published and its first administrator exists. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

test('a started platform refuses an unknown token', async () => {
  const answer = await world.call('GET', '/v1/limits', { token: 'x.y.z' })
  expect(answer.status).toBe(401)
  expect(answer.body.code).toBe('invalid_token')
})
