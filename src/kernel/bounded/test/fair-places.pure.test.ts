/** How tenants share places for work that takes long. */
import { expect, test } from 'vitest'
import { openFairPlaces, type FairPlaces } from '../fair-places.ts'

/** Names of those that have entered, in order, and how each leaves. */
function entering(places: FairPlaces) {
  const inside = new Map<string, () => void>()
  return {
    ask: async (name: string, signal?: AbortSignal) => {
      const [tenant_id = ''] = name
      places.take(tenant_id, signal).then(
        leave => inside.set(name, leave),
        () => inside.set(`${name} gave up`, () => {}),
      )
      await Promise.resolve()
    },
    leave: async (name: string) => {
      inside.get(name)?.()
      inside.delete(name)
      await Promise.resolve()
    },
    names: async () => {
      await new Promise(resolve => setImmediate(resolve))
      return [...inside.keys()]
    },
  }
}

test('a tenant that is alone uses all places, and waits for one of its own', async () => {
  const { ask, leave, names } = entering(openFairPlaces(2))
  for (const name of ['a1', 'a2', 'a3']) await ask(name)
  expect(await names()).toEqual(['a1', 'a2'])
  await leave('a1')
  expect(await names()).toEqual(['a2', 'a3'])
})

test('work that does not end holds no other tenant', async () => {
  const { ask, leave, names } = entering(openFairPlaces(2))
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) await ask(name)
  // One place more than two, for a tenant that had none.
  expect(await names()).toEqual(['a1', 'a2', 'b1'])
  await leave('b1')
  expect(await names()).toEqual(['a1', 'a2', 'b2'])
  await leave('b2')
  expect(await names()).toEqual(['a1', 'a2', 'c1'])
  await leave('c1')
  expect(await names()).toEqual(['a1', 'a2'])
  await leave('a1')
  expect(await names()).toEqual(['a2', 'a3'])
})

test('the tenant with the fewest places is the next', async () => {
  const { ask, leave, names } = entering(openFairPlaces(3))
  for (const name of ['a1', 'b1', 'c1', 'b2', 'c2', 'd1']) await ask(name)
  expect(await names()).toEqual(['a1', 'b1', 'c1'])
  await leave('a1')
  expect(await names()).toEqual(['b1', 'c1', 'd1'])
  await leave('c1')
  expect(await names()).toEqual(['b1', 'd1', 'c2'])
})

test('one that gives up leaves the queue, and its place to others', async () => {
  const { ask, leave, names } = entering(openFairPlaces(1))
  const stop = new AbortController()
  await ask('a1')
  await ask('a2', stop.signal)
  await ask('a3')
  stop.abort(new Error('given up'))
  await leave('a1')
  expect(await names()).toEqual(['a2 gave up', 'a3'])
  await ask('a4', AbortSignal.abort())
  expect(await names()).toContain('a4 gave up')
})
