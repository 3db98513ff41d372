/**
 * SIGKILL at every stage of an ingestion: the next attempt goes on and leaves the same chunks as one that
 * was not disturbed, and of a document that was deleted meanwhile nothing is left. And a writer that was
 * stopped for longer than its lease changes nothing when it wakes.
 */
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import type { IndexedDocument, RetrievalIndex } from '../../src/surfaces/retrieval/engines/index.ts'
import { openLanceIndex } from '../../src/surfaces/retrieval/engines/lance/open-lance-index.ts'
import { tableOf } from '../../src/surfaces/retrieval/indexes/index-versions.ts'
import {
  ended,
  openRetrievalWorld,
  type Reader,
  type RetrievalWorld,
} from '../../src/surfaces/retrieval/test/retrieval-world.ts'
import { filesWith, tablesWith } from '../../src/surfaces/retrieval/test/traces.ts'
import { killedAt } from '../crash.ts'
import { startProcess, type PlatformProcess } from '../process.ts'
import { call, eventually, newKey } from '../world.ts'

const all = [
  'before_fetch',
  'before_verify',
  'before_extract',
  'before_chunk',
  'in_chunk',
  'before_embed',
  'before_upsert',
  'after_upsert',
  'before_activate',
]
const short = ['in_chunk', 'after_upsert', 'before_activate']
const points = inject('chaos') === 'full' ? all : short

const sentences = (what: string) =>
  Array.from({ length: 12 }, (_, n) => `The ${what} of house ${n} is checked every spring.`)
const text = ['roof', 'door', 'cellar', 'garden']
  .map(what => `# The ${what}\n\n${sentences(what).join(' ')}`)
  .join('\n\n')
const secret = 'The marker of this page is quetzalcoatlus.'

let world: RetrievalWorld
let index: RetrievalIndex
beforeAll(async () => {
  // What works on jobs are processes that can be killed.
  world = await openRetrievalWorld({ ROLES: 'api', RETRIEVAL_ENGINE: 'lancedb' })
  index = openLanceIndex({
    storage: { uri: join(world.data_dir, 'retrieval'), options: {} },
    memory_bytes: 2 * 1024 ** 3,
    read_seconds: 30,
    idle_seconds: 600,
  })
})
afterAll(async () => {
  await index.close()
  await world.close()
})

const environment = () => ({ ...world.environment, PORT: '0' })
const run = (statement: ReturnType<typeof sql>) => world.platform.kernel.db.run(statement)
const startWorker = async () =>
  await startProcess({ ...environment(), ROLES: 'api,worker' }, 'product')

type Queued = { job_id: string; document_id: string }

/** Of a process that dies at the point; no other one takes its job until `release`. */
async function killed(ada: Reader, id: string, point: string, document: object): Promise<Queued> {
  let queued: Queued | undefined
  const add = async (url: string) => {
    const path = `/v1/collections/${id}/documents`
    const { body } = await call(url, 'POST', path, {
      token: ada.token,
      key: newKey(),
      body: document,
    })
    queued = body as Queued
  }
  await killedAt({ environment: environment() }, `retrieval.${point}`, add, 1, 'product')
  await run(sql`
    update jobs.job_attempts set leased_until = now() + interval '1 hour'
    where tenant_id = ${ada.tenant.id} and state = 'running'`)
  if (!queued) throw new Error('the document was not accepted')
  return queued
}

/** The leases of dead processes end. */
async function release(): Promise<void> {
  await run(sql`
    -- any tenant: of this test
    update jobs.job_attempts set leased_until = now() where state = 'running'`)
  await run(sql`
    -- any tenant: of this test
    update retrieval.index_versions set writer_until = now() where writer_until is not null`)
}

const Chunk = Type.Object({
  ordinal: Type.Integer(),
  char_start: Type.Integer(),
  char_end: Type.Integer(),
  content_hash: Type.String(),
  state: Type.String(),
})

async function chunksOf({ tenant }: Reader, document_id: string) {
  return await world.platform.kernel.db.many(
    Chunk,
    sql`
      select c.ordinal, c.char_start, c.char_end, encode(c.content_hash, 'hex') as content_hash,
        r.state
      from retrieval.chunks c
      join retrieval.embedding_records r on r.tenant_id = c.tenant_id and r.chunk_id = c.id
      where c.tenant_id = ${tenant.id} and c.document_id = ${document_id} order by c.ordinal`,
  )
}

/** What the engine holds of a collection. */
async function indexed({ tenant }: Reader, id: string): Promise<IndexedDocument[]> {
  const { table_id } = await world.platform.kernel.db.one(
    Type.Object({ table_id: Type.String() }),
    sql`
      select table_id from retrieval.index_versions
      where tenant_id = ${tenant.id} and collection_id = ${id} and state = 'active'`,
  )
  return await index.documents(tableOf(table_id), 0, Number.MAX_SAFE_INTEGER)
}

const made: { ada: Reader; id: string; kept: Queued; gone: Queued }[] = []

test.for(points)('killed at %s', { timeout: 180_000 }, async point => {
  const ada = await world.reader()
  const id = await ada.collection()
  const kept = await killed(ada, id, point, { text, content_type: 'text/markdown' })
  const gone = await killed(ada, id, point, { text: secret })
  const deleted = await ada.ask('DELETE', `/v1/documents/${gone.document_id}`)
  expect(deleted.status).toBe(204)
  expect((await ada.job(gone.job_id)).completed_at).toBeNull()
  made.push({ ada, id, kept, gone })
})

test('afterwards every document has the chunks of an undisturbed one, and no deleted one has any', async () => {
  const worker = await startWorker()
  try {
    const eve = await world.reader()
    const undisturbed = await eve.add(await eve.collection(), text, {
      content_type: 'text/markdown',
    })
    const expected = await chunksOf(eve, undisturbed)
    expect(expected.length).toBeGreaterThan(3)
    expect(new Set(expected.map(one => one.state))).toEqual(new Set(['indexed']))
    await release()
    for (const { ada, id, kept, gone } of made) {
      const job = await ended(ada.job, kept.job_id)
      expect(job).toMatchObject({ state: 'succeeded', attempts: 2 })
      expect(await ended(ada.job, gone.job_id)).toMatchObject({ state: 'cancelled' })
      await eventually('the purge ends', async () => (await openLines(gone)) === 0)
      expect(await chunksOf(ada, kept.document_id)).toEqual(expected)
      const rows = await indexed(ada, id)
      expect(rows).toMatchObject([{ document_version: 1, chunks: expected.length }])
      const hits = await ada.search(id, 'quetzalcoatlus')
      expect(hits.map(hit => hit.document_id)).not.toContain(gone.document_id)
    }
    expect(await tablesWith(world, 'quetzalcoatlus')).toEqual([])
    expect(await filesWith(world, 'quetzalcoatlus')).toEqual([])
  } finally {
    await worker.kill()
  }
}, 240_000)

test('a writer that was stopped past its lease is refused when it wakes', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const first = await startProcess(
    {
      ...environment(),
      ROLES: 'api,worker',
      KERNEL_FAULTS: 'retrieval.before_upsert=delay:5000@1',
    },
    'product',
  )
  let second: PlatformProcess | undefined
  try {
    const source = { source_uri: 'house', content_type: 'text/markdown' }
    const path = `/v1/collections/${id}/documents`
    const { job_id, document_id } = await ada.does('POST', path, { text, ...source })
    await eventually('it holds the lease', async () => await isWriting(ada, id))
    first.child.kill('SIGSTOP')
    second = await startWorker()
    // Both leases end by themselves, after 30 s: the engine counts real time.
    await eventually(
      'another attempt ends the job',
      async () => (await ada.job(job_id)).state === 'succeeded',
    )
    const next = text.replaceAll('spring', 'autumn')
    await ada.add(id, next, source)
    await eventually('the rows of the first version are gone', async () =>
      (await indexed(ada, id)).every(row => row.document_version === 2),
    )
    first.child.kill('SIGCONT')
    await first.kill('SIGTERM')
    const chunks = await chunksOf(ada, document_id)
    expect(await indexed(ada, id)).toMatchObject([{ document_version: 2, chunks: chunks.length }])
  } finally {
    first.child.kill('SIGCONT')
    await first.kill()
    await second?.kill()
  }
}, 240_000)

async function isWriting({ tenant }: Reader, id: string): Promise<boolean> {
  const { n } = await world.platform.kernel.db.one(
    Type.Object({ n: Type.Integer() }),
    sql`
      select count(*)::int as n from retrieval.index_versions
      where tenant_id = ${tenant.id} and collection_id = ${id} and writer_until > now()`,
  )
  return n > 0
}

async function openLines({ document_id }: Queued): Promise<number> {
  const { n } = await world.platform.kernel.db.one(
    Type.Object({ n: Type.Integer() }),
    sql`
      -- any tenant: a document of this test
      select count(*)::int as n from retrieval.purge_ledger
      where document_id = ${document_id} and done_at is null`,
  )
  return n
}
