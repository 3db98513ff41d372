/** Index versions: rebuilding beside the active one while documents change, switching and going back. */
import { access, cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { facetOf } from '../engines/facets.ts'
import { tableOf } from '../indexes/index-versions.ts'
import { holdAt } from '../../../../test/hold.ts'
import { eventually } from '../../../../test/world.ts'
import { ended, openRetrievalWorld, type Reader } from './retrieval-world.ts'
import { filesWith, tablesWith } from './traces.ts'

const world = await openRetrievalWorld({ RETRIEVAL_ENGINE: 'lancedb' })
afterAll(() => world.close())
const { db } = world.platform.kernel

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const versions = async (ada: Reader, id: string) =>
  (await ada.does('GET', `/v1/collections/${id}/index-versions`)).data.map(
    (one: { version: number; state: string }) => [one.version, one.state],
  )

test('a new index version agrees with documents that changed while it was built', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  for (const n of [1, 2, 3, 4]) {
    await ada.add(id, `Rule ${n} says that lamps are green.`, { source_uri: `rule-${n}` })
  }
  const gone = await ada.add(id, 'Rule 5 says that lamps are yellow.')
  // The job waits before each document, so that documents change meanwhile.
  world.fault({ point: 'retrieval.in_reindex', action: 'delay:400', match: ada.tenant.id })
  const begun = await ada.does('POST', `/v1/collections/${id}/reindex`, {})
  const rival = await ada.ask('POST', `/v1/collections/${id}/reindex`, {})
  expect(rival.body.code).toBe('reindex_in_progress')
  const changing = [
    ada.add(id, 'Rule 1 says that lamps are blue.', { source_uri: 'rule-1' }),
    ada.add(id, 'Rule 4 says that lamps are red.', { source_uri: 'rule-4' }),
    ada.add(id, 'Rule 6 says that lamps are white.'),
    ada.ask('DELETE', `/v1/documents/${gone}`),
  ]
  const seen: string[][] = []
  let building = true
  const done = ended(ada.job, begun.job_id).finally(() => (building = false))
  while (building) seen.push((await ada.search(id, 'lamps')).map(hit => hit.text))
  const [job] = await Promise.all([done, ...changing])
  expect(job).toMatchObject({ state: 'succeeded', result: { index_version: 2 } })
  for (const texts of seen) expect(texts.length).toBeGreaterThan(0)
  expect(await versions(ada, id)).toEqual([
    [2, 'ready'],
    [1, 'active'],
  ])
  const texts = async () => new Set((await ada.search(id, 'lamps')).map(hit => hit.text))
  const before = await texts()
  expect(before.size).toBe(5)
  const activate = (version: number) =>
    ada.does('POST', `/v1/collections/${id}/index-versions/${version}/activate`)
  expect((await activate(2)).active_index_version).toBe(2)
  expect(await texts()).toEqual(before)
  expect((await activate(1)).active_index_version).toBe(1)
  expect(await texts()).toEqual(before)
  expect(await versions(ada, id)).toEqual([
    [2, 'retired'],
    [1, 'active'],
  ])
  const events = await db.many(
    Type.Object({ type: Type.String() }),
    sql`
      select type from kernel.events where tenant_id = ${ada.tenant.id} and type like 'index.%'
      order by position`,
  )
  expect(events.map(one => one.type)).toEqual(['index.activated', 'index.rolled_back'])
})

test('a change of the pipeline reads a source again at its next update, and at a reindex', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const source = (n: number) => ({ text: `Lamp ${n} is green.`, source_uri: `lamp-${n}` })
  const made = await ada.ingest(id, source(1))
  expect(made.pipeline_version).toMatch(/^pipeline@[0-9a-f]{12} hash-ngram-384@1$/)
  await ada.ingest(id, source(2))
  const served = async () =>
    (await ada.does('GET', `/v1/collections/${id}/documents`)).data
      .map((one: { current_version: number; source_uri: string }) => [
        one.source_uri,
        one.current_version,
      ])
      .toSorted()
  expect(await ada.ingest(id, source(1))).toMatchObject({ unchanged: true })
  await db.run(sql`
    update retrieval.document_versions set pipeline_version = 'pipeline@other'
    where tenant_id = ${ada.tenant.id}`)
  expect((await ada.ingest(id, source(1))).unchanged).not.toBe(true)
  expect(await served()).toEqual([
    ['lamp-1', 3],
    ['lamp-2', 1],
  ])
  const { job_id } = await ada.does('POST', `/v1/collections/${id}/reindex`, {})
  expect(await ended(ada.job, job_id)).toMatchObject({ state: 'succeeded' })
  await eventually('the other document is read again', async () => (await served())[1][1] === 2)
  expect((await served())[0]).toEqual(['lamp-1', 3])
  await ada.does('POST', `/v1/collections/${id}/index-versions/2/activate`)
  expect(await ada.search(id, 'lamp')).toHaveLength(2)
  // Now it is the same pipeline again.
  expect(await ada.ingest(id, source(2))).toMatchObject({ unchanged: true })
})

test('an evaluation measures it, and decides whether the next version is activated', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  for (const name of ['ash', 'birch', 'cedar']) {
    await ada.add(id, `The ${name} grows in the park.`, { source_uri: name })
  }
  const queries = ['ash', 'birch', 'cedar'].map(name => ({
    query: `Where does the ${name} grow?`,
    relevant: [name],
  }))
  const begun = await ada.does('POST', `/v1/collections/${id}/evaluations`, {
    queries,
    store: true,
  })
  const { result } = await ended(ada.job, begun.job_id)
  expect(result).toMatchObject({ ndcg_at_10: 1, recall_at_10: 1, mrr: 1, ann_recall_at_10: 1 })
  const path = `/v1/collections/${id}/evaluations`
  expect(await ada.does('GET', path)).toMatchObject({
    data: [{ id: begun.id, job_id: begun.job_id, stored: true, metrics: { mrr: 1 } }],
    has_more: false,
  })
  const bob = await world.reader(ada.tenant)
  expect((await bob.ask('GET', path)).body.code).toBe('collection_not_found')
  const order = { activation: 'after_evaluation' }
  const { job_id } = await ada.does('POST', `/v1/collections/${id}/reindex`, order)
  expect((await ended(ada.job, job_id)).result).toMatchObject({ activated: true })
  expect((await ada.does('GET', `/v1/collections/${id}`)).active_index_version).toBe(2)
})

test('a text that is erased leaves no byte of its vector or text', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  await ada.add(id, 'Kept words about bridges.')
  const document_id = await ada.add(id, 'The marker is quetzalcoatlus.')
  const kept = await db.one(
    Type.Object({ vector: Type.Unsafe<Buffer>(Type.Any()) }),
    sql`
      select e.vector from retrieval.embeddings e
      join retrieval.chunks c on c.tenant_id = e.tenant_id and c.content_hash = e.content_hash
      where c.tenant_id = ${ada.tenant.id} and c.document_id = ${document_id}`,
  )
  expect(await filesWith(world, kept.vector)).not.toEqual([])
  const deleted = await ada.ask('DELETE', `/v1/documents/${document_id}`)
  const job_id = /ingestion-jobs\/([^>]+)/.exec(deleted.headers.get('link') ?? '')?.[1] ?? ''
  expect(await ended(ada.job, job_id)).toMatchObject({ state: 'succeeded' })
  expect(await filesWith(world, kept.vector)).toEqual([])
  for (const mark of ['quetzalcoatlus', kept.vector]) {
    expect(await tablesWith(world, mark)).toEqual([])
  }
  expect(await ada.search(id, 'bridges')).toHaveLength(1)
})

test('a search that meets a table in the middle of its removal searches the next one', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  await ada.add(id, 'Lamps are green.')
  const place = sql`tenant_id = ${ada.tenant.id} and collection_id = ${id}`
  const name = async () =>
    tableOf(
      (
        await db.one(
          Type.Object({ table_id: Type.String() }),
          sql`select table_id from retrieval.index_versions where ${place}`,
        )
      ).table_id,
    )
  const old = await name()
  const folder = join(world.data_dir, 'retrieval', `${old}.lance`)
  const kept = join(world.data_dir, `kept-${old}.lance`)
  await cp(folder, kept, { recursive: true })
  await ada.add(id, 'Lamps are red.')
  const gone = await ada.add(id, 'Lamps are white.')
  const point = 'retrieval.before_index_search'
  const held = holdAt(world.platform.faults, point, { match: ada.tenant.id })
  const searching = ada.search(id, 'lamps')
  await held.reached()
  await ada.ask('DELETE', `/v1/documents/${gone}`)
  await eventually('the rows have another table', async () => (await name()) !== old)
  await eventually('the old one is removed', async () => !(await exists(folder)))
  // Its newest state is removed, and an older one is still there.
  await mkdir(folder, { recursive: true })
  await cp(kept, folder, { recursive: true })
  held.release()
  const texts = (await searching).map(hit => hit.text)
  expect(new Set(texts)).toEqual(new Set(['Lamps are green.', 'Lamps are red.']))
})

test('a value whose hash another value has is not found by a filter', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const green = await ada.add(id, 'Lamps are green.', { metadata: { team: 'green' } })
  const red = await ada.add(id, 'Lamps are red.', { metadata: { team: 'red' } })
  const { table_id, no } = await db.one(
    Type.Object({ table_id: Type.String(), no: Type.Integer() }),
    sql`
      select i.table_id, d.no from retrieval.index_versions i
      join retrieval.documents d on d.tenant_id = i.tenant_id and d.id = ${red}
      where i.tenant_id = ${ada.tenant.id} and i.collection_id = ${id}`,
  )
  const engine = await connect(join(world.data_dir, 'retrieval'))
  const table = await engine.openTable(tableOf(table_id))
  const hash = facetOf('metadata.team', 'green')
  await table.update({ where: `document_no = ${no}`, valuesSql: { facets: `[${hash}]` } })
  const same = await table.query().where(`array_has_any(facets, [${hash}])`).toArray()
  expect(same).toHaveLength(2)
  const filters = { all: [{ field: 'metadata.team', op: 'eq', value: 'green' }] }
  const hits = await ada.search(id, 'lamps', { filters })
  expect(hits.map(hit => hit.document_id)).toEqual([green])
})
