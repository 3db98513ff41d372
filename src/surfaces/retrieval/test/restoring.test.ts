/** Index tables are in no backup: what is missing in one is written again from the rows. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { openRetrievalWorld } from './retrieval-world.ts'

const world = await openRetrievalWorld({
  RETRIEVAL_ENGINE: 'lancedb',
  RETRIEVAL_SWEEP_SECONDS: '0.2',
})
afterAll(() => world.close())

test('a restored platform without index tables finds its documents again', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  await ada.add(id, 'The lamp of the harbour is green.')
  await ada.add(id, 'The lamp of the station is red.')
  const found = async () => (await ada.search(id, 'lamp')).length
  expect(await found()).toBe(2)
  // A sweep may write at this moment.
  await rm(join(world.data_dir, 'retrieval'), { recursive: true, maxRetries: 5 })
  // Written meanwhile, as in a platform that was just restored.
  await ada.add(id, 'The lamp of the airport is white.')
  await eventually('all documents are found again', async () => (await found()) === 3)
})
