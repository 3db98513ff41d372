/** An evaluation of an index that is large enough for an approximate vector index. */
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { embedText } from '../embedding/hash-ngram.ts'
import { leaseFor } from '../engines/index.ts'
import { openLanceIndex } from '../engines/lance/open-lance-index.ts'
import { rowOf } from '../engines/test/rows.ts'
import { tableOf } from '../indexes/index-versions.ts'
import { ended, openRetrievalWorld } from './retrieval-world.ts'

const world = await openRetrievalWorld({ RETRIEVAL_ENGINE: 'lancedb' })
afterAll(() => world.close())

const rows = 20_000
const names = ['ash', 'birch', 'cedar', 'elm', 'fir', 'larch', 'oak', 'pine', 'rowan', 'yew']
const placeOf = (n: number) => `The ${names[n % names.length]} ${n} grows in row ${n % 97}.`

test('an evaluation of 20,000 rows succeeds, as does a search that looks deep', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  await ada.add(id, 'The maple grows at the gate.', { source_uri: 'maple' })
  const { table_id, no } = await world.platform.kernel.db.one(
    Type.Object({ table_id: Type.String(), no: Type.Integer() }),
    sql`
      select i.table_id, d.no from retrieval.index_versions i
      join retrieval.documents d on d.tenant_id = i.tenant_id and d.collection_id = i.collection_id
      where i.tenant_id = ${ada.tenant.id} and i.collection_id = ${id}`,
  )
  await fillTable(tableOf(table_id), no)
  const queries = [{ query: 'Where does the maple grow?', relevant: ['maple'] }]
  const { job_id } = await ada.does('POST', `/v1/collections/${id}/evaluations`, { queries })
  const job = await ended(ada.job, job_id)
  expect(job).toMatchObject({ status: 'succeeded', result: { recall_at_10: 1 } })
  expect(job.result.ann_recall_at_10).toBeGreaterThanOrEqual(0.8)
  // No chunk has the added rows, so the search looks for 50, then 100, then 200 of them.
  const hits = await ada.search(id, 'Where does the maple grow?')
  expect(hits.map(hit => hit.text)).toEqual(['The maple grows at the gate.'])
}, 240_000)

/** Rows of other documents, written by the engine itself: to ingest them would take minutes. */
async function fillTable(table: string, no: number): Promise<void> {
  const index = openLanceIndex({
    storage: { uri: join(world.data_dir, 'retrieval'), options: {} },
    memory_bytes: 2 * 1024 ** 3,
    read_seconds: 30,
    idle_seconds: 60,
  })
  try {
    for (let from = 0; from < rows; from += 2500) {
      const part = Array.from({ length: 2500 }, (_, n) => {
        const text = placeOf(from + n)
        const chunk_id = `00000000-0000-7000-8000-${String(from + n).padStart(12, '0')}`
        return rowOf({ document_no: no + 1 + from + n, chunk_id, text, vector: embedText(text) })
      })
      await index.upsert(table, part, leaseFor(60))
    }
    await index.completeIndexes(table)
  } finally {
    await index.close()
  }
}
