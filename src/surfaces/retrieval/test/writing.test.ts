/** How processes and documents share the writing of an index table. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import { embedText, hashNgram } from '../embedding/hash-ngram.ts'
import { projectionQueue } from '../documents/project-document.ts'
import { openExactIndex } from '../engines/exact-index.ts'
import { IndexFailed, leaseFor, monotonicMs } from '../engines/index.ts'
import { liveVersions, type IndexVersion } from '../indexes/index-versions.ts'
import { sweepLoop } from '../indexes/sweep.ts'
import { extendLease, tryLease, withWriter, type Writing } from '../indexes/writer.ts'
import { writeTogether } from '../ingestion/write-together.ts'
import { openRetrievalWorld, type Reader, type RetrievalWorld } from './retrieval-world.ts'

let world: RetrievalWorld
let reader: Reader
beforeAll(async () => {
  world = await openRetrievalWorld()
  reader = await world.reader()
})
afterAll(() => world.close())

const profiles = {
  all: [hashNgram],
  find: () => hashNgram,
  defaultFor: () => hashNgram,
  close: () => Promise.resolve(),
}

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

test('the lease of a long write is extended, and no other process writes meanwhile', async () => {
  const { kernel } = world.platform
  const target = await indexOf(await reader.collection())
  const deps = { kernel, index: openExactIndex(), profiles }
  const write = (writing: Writing) =>
    extendLease(deps, target, writing, 3, async lease => {
      const first_ms = writing.lease.until_ms
      await eventually('the first lease is over', () => monotonicMs() > first_ms)
      expect(lease.until_ms).toBeGreaterThan(first_ms)
      return await tryLease(kernel.db, target, newId(), 30)
    })
  expect(await withWriter(deps, target, write, 3)).toBe('busy')
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
  expect(written).toEqual([0, 0, 0, 'version_gone', 0])
  expect(points.filter(one => one === 'retrieval.before_upsert')).toHaveLength(1)
  expect(await index.count(`i-${target.table_id}`)).toBe(3)
})

test('a list of readers that changed while another process wrote is not written over by an older one', async () => {
  const { kernel } = world.platform
  const collection_id = await reader.collection()
  const id = await reader.add(collection_id, 'The ferry leaves at noon.')
  const { table_id } = await indexOf(collection_id)
  const tenant_id = reader.tenant.id
  const { no, acl_set_id } = await kernel.db.one(
    Type.Object({ no: Type.Integer(), acl_set_id: Type.Integer() }),
    sql`
      select no, acl_set_id from retrieval.documents where tenant_id = ${tenant_id} and id = ${id}`,
  )
  const index = openExactIndex()
  const table = `i-${table_id}`
  await index.create(table, { dimensions: 384, language: 'en' })
  const row = { chunk_id: newId(), document_no: no, document_version: 1, chunk_version: 'x' }
  const text = 'The ferry leaves at noon.'
  const more = { acl_set_id, facets: [], context: '', text, vector: embedText(text) }
  await index.upsert(table, [{ ...row, ...more }], leaseFor(30))
  const queue = projectionQueue({ kernel, index, profiles } as unknown as Parameters<
    typeof projectionQueue
  >[0])
  // What was claimed before the list changed.
  const claimed = { tenant_id, id, collection_id, no, acl_set_id: 999_999, current_version: 1 }
  await queue.run({ ...claimed, attempt_no: 1 }, AbortSignal.timeout(10_000))
  expect(await index.documents(table, no, no)).toMatchObject([{ document_no: no, acl_set_id }])
})

test('an old table whose removal fails is removed by the next sweep', async () => {
  const { kernel } = world.platform
  const collection_id = await reader.collection()
  const table_id = newId()
  await kernel.db.run(sql`
    insert into retrieval.index_versions (tenant_id, collection_id, version, embedding_profile,
      table_id, state)
    values (${reader.tenant.id}, ${collection_id}, 9, 'hash-ngram-384@1', ${table_id}, 'building')`)
  const index = openExactIndex()
  let failures = 1
  const failing = {
    ...index,
    drop: async (name: string) => {
      if (failures-- > 0) throw new IndexFailed('engine_failed', 'The store is away.')
      await index.drop(name)
    },
  }
  await index.create(`i-${table_id}`, { dimensions: 384, language: 'en' })
  const parts = { kernel, index: failing } as unknown as Parameters<typeof sweepLoop>[0]
  await kernel.db.run(sql`
    update retrieval.index_versions set state = 'failed' where table_id = ${table_id}`)
  for (const _ of [1, 2]) {
    await sweepLoop(parts)
      .run(AbortSignal.abort())
      .catch(() => {})
  }
  await expect(index.count(`i-${table_id}`)).rejects.toThrow('There is no index table')
})
