/** How processes and documents share the writing of an index table. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventually } from '../../../../test/world.ts'
import { embedText, hashNgram } from '../embedding/hash-ngram.ts'
import { openExactIndex } from '../engines/exact-index.ts'
import { liveVersions, type IndexVersion } from '../indexes/index-versions.ts'
import { tryLease } from '../indexes/writer.ts'
import { writeTogether } from '../ingestion/write-together.ts'
import { openRetrievalWorld, type Reader, type RetrievalWorld } from './retrieval-world.ts'

let world: RetrievalWorld
let reader: Reader
beforeAll(async () => {
  world = await openRetrievalWorld()
  reader = await world.reader()
})
afterAll(() => world.close())

async function indexOf(collection_id: string): Promise<IndexVersion> {
  const [index] = await liveVersions(world.platform.kernel.db, reader.tenant.id, collection_id)
  if (!index) throw new Error('the collection has no index')
  return index
}

test('a process that waits for a table gets it before the one that has just written', async () => {
  const { db } = world.platform.kernel
  const index = await indexOf(await reader.collection())
  const attempt = (token: string) => tryLease(db, index, token, 30)
  const free = (token: string) =>
    db.run(sql`
      update retrieval.index_versions set writer_token = null, writer_until = null
      where tenant_id = ${index.tenant_id} and writer_token = ${token}`)
  const [first, second, again] = [newId(), newId(), newId()]
  const taken = { table_id: index.table_id }
  expect(await attempt(first)).toMatchObject(taken)
  expect(await attempt(second)).toBe('busy')
  await free(first)
  expect(await attempt(again)).toBe('busy')
  expect(await attempt(second)).toMatchObject(taken)
  expect(await attempt(again)).toBe('busy')
  await free(second)
  expect(await attempt(again)).toMatchObject(taken)
  await free(again)
  // A process that ended while it waited keeps the table from others for seconds only.
  expect(await attempt(first)).toMatchObject(taken)
  expect(await attempt(second)).toBe('busy')
  await free(first)
  await eventually('the table is free again', async () => {
    const found = await attempt(again)
    return typeof found === 'object' && found
  })
  await free(again)
})

test('documents that wait for a table are written with one commit of the engine', async () => {
  const collection_id = await reader.collection()
  const ids = await Promise.all(
    ['One.', 'Two.', 'Three.'].map(text => reader.add(collection_id, text)),
  )
  const target = await indexOf(collection_id)
  const points: string[] = []
  const kernel = {
    ...world.platform.kernel,
    fault: (name: string) => Promise.resolve(void points.push(name)),
  }
  const index = openExactIndex()
  await index.create(`i-${target.table_id}`, { dimensions: 384, language: 'en' })
  const profiles = {
    all: [hashNgram],
    find: () => hashNgram,
    defaultFor: () => hashNgram,
    close: () => Promise.resolve(),
  }
  const vector = Buffer.from(embedText('A text').buffer)
  const row = { pipeline_version: 'x', context: '', text: 'A text', vector, ordinal: 0 }
  const tenant_id = reader.tenant.id
  const write = (document_id: string, rows: (typeof row & { id: string })[]) =>
    writeTogether({ kernel, index, profiles }, target, {
      place: { tenant_id, document_id, version: 1 },
      rows,
    })
  const [first = '', second = '', third = ''] = ids
  const shared = { ...row, id: newId() }
  const written = await Promise.all([
    write(first, [shared]),
    write(first, [shared]),
    write(second, [{ ...row, id: newId() }]),
    write(newId(), [{ ...row, id: newId() }]),
    write(third, [{ ...row, id: newId() }]),
  ])
  expect(written).toEqual([0, 0, 0, 'document_deleted', 0])
  expect(points.filter(one => one === 'retrieval.before_upsert')).toHaveLength(1)
  expect(await index.count(`i-${target.table_id}`)).toBe(3)
})
