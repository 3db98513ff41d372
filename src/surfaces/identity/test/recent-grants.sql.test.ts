/** Grants that are known for half a second. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'

const world = await openProductWorld()
afterAll(() => world.close())

const { recentGrantsOf } = world.identity
/** As many as are remembered. */
const many = 10_000

test('a holder keeps its grants while so many others are asked for that all are forgotten', async () => {
  const { id: principal_id, tenant } = await world.member()
  const tenant_id = tenant.id
  const holder = { tenant_id, principal_id }
  const [known] = await recentGrantsOf([holder])
  expect(known?.size).toBeGreaterThan(0)
  let asking = true
  const others = Array.from({ length: many }, () => ({ tenant_id, principal_id: newId() }))
  const asked = recentGrantsOf(others).finally(() => {
    asking = false
  })
  const sizes = new Set<number | undefined>()
  while (asking) {
    const [grants] = await recentGrantsOf([holder, { tenant_id, principal_id: newId() }])
    sizes.add(grants?.size)
  }
  await asked
  expect([...sizes]).toEqual([known?.size])
})
