/** Requests that add one source at the same moment. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRetrievalWorld, type RetrievalWorld } from './retrieval-world.ts'

let world: RetrievalWorld
beforeAll(async () => {
  world = await openRetrievalWorld()
})
afterAll(() => world.close())

test('a new source that is added by several requests at once is one document', async () => {
  const reader = await world.reader()
  const id = await reader.collection()
  const add = (n: number) =>
    reader.ask('POST', `/v1/collections/${id}/documents`, {
      text: `Lamp ${n} is green.`,
      source_uri: 'lamps',
    })
  const answers = await Promise.all([1, 2, 3, 4].map(add))
  expect(answers.map(one => one.status)).toEqual([202, 202, 202, 202])
  expect(new Set(answers.map(one => one.body.document_id)).size).toBe(1)
  const versions = new Set(answers.map(one => one.body.document_version))
  expect(versions).toEqual(new Set([1, 2, 3, 4]))
})
