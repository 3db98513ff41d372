/** The indexes of a table that is written no more are completed before the next sweep. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leaseFor, type RetrievalIndex } from '../index.ts'
import { openLanceIndex } from '../lance/open-lance-index.ts'
import { clusteredVectors, rowOf } from './rows.ts'

let folder: string
let index: RetrievalIndex
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dodeca-index-'))
  index = openLanceIndex({
    storage: { uri: folder, options: {} },
    memory_bytes: 2 * 1024 ** 3,
    read_seconds: 30,
    idle_seconds: 60,
    quiet_ms: 500,
  })
})
afterAll(async () => {
  await index.close()
  await rm(folder, { recursive: true, force: true })
})

async function add(from: number, count: number): Promise<void> {
  const rows = clusteredVectors(count, 8).map((vector, n) =>
    rowOf({ document_no: from + n, vector }),
  )
  await index.upsert('growing', rows, leaseFor(60))
}

/** The rows that no index of the words or vectors has. */
async function unindexed(): Promise<Record<string, number | undefined>> {
  const table = await (await connect(folder)).openTable('growing')
  const rows = async (name: string) => (await table.indexStats(name))?.numUnindexedRows
  return { words: await rows('text_idx'), vectors: await rows('vector_idx') }
}

test('words are indexed, and from 10,000 rows on vectors too', { timeout: 240_000 }, async () => {
  const patient = { timeout: 90_000 }
  await index.create('growing', { dimensions: 8, language: 'en' })
  await add(0, 300)
  await expect.poll(unindexed, patient).toEqual({ words: 0, vectors: undefined })
  for (let at = 300; at < 10_300; at += 2500) await add(at, 2500)
  await expect.poll(unindexed, patient).toEqual({ words: 0, vectors: 0 })
  await add(10_300, 300)
  await expect.poll(unindexed, patient).toEqual({ words: 0, vectors: 0 })
})
