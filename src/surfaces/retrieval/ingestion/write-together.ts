/**
 * Rows that wait for the same index table in this process are written with one commit of the engine:
 * on an object store each commit takes about eleven requests, however many rows it has. Under the
 * writer's lease it checks before and after the write that each document still exists, so that no row
 * of a deleted document stays.
 */
import { Type, type Static } from 'typebox'
import { JobFailure, nullable, sql } from '#dodeca/kernel'
import { indexedText } from '../chunking/chunking.ts'
import type { Deps } from '../deps.ts'
import type { Metadata } from '../documents/schemas.ts'
import { facetOf } from '../engines/facets.ts'
import { IndexFailed, type IndexRow } from '../engines/index.ts'
import type { IndexVersion } from '../indexes/index-versions.ts'
import { withWriter, type Writing } from '../indexes/writer.ts'
import { Bytes } from '../schemas.ts'
import { vectorOf, type VersionPlace } from './embed-chunks.ts'

/** Rows of one commit, and of one read. */
export const portion = 500

export const Row = Type.Object({
  id: Type.String(),
  ordinal: Type.Integer(),
  pipeline_version: Type.String(),
  context: Type.String(),
  text: Type.String(),
  /** Missing if another document with the same content was erased since the vector was computed. */
  vector: nullable(Bytes),
})

const Head = Type.Object({
  no: Type.Integer(),
  acl_set_id: Type.Integer(),
  source_kind: Type.String(),
  metadata: Type.Unsafe<Metadata>(Type.Any()),
})
type Head = Static<typeof Head>

/**
 * The list of readers with which the rows were written, or the reason why there is nothing to write
 * to.
 */
export type WrittenAs = number | 'version_gone' | 'index_dropped'

type Needed = Pick<Deps, 'index' | 'profiles'> & {
  readonly kernel: Pick<Deps['kernel'], 'db' | 'fault'>
}

type Portion = {
  readonly place: VersionPlace
  readonly rows: readonly Static<typeof Row>[]
}
type Waiting = Portion & PromiseWithResolvers<WrittenAs>

/** By index version. An entry has a writer that waits for its lease and then takes the portions. */
const waiting = new Map<string, Waiting[]>()

export async function writeTogether(
  deps: Needed,
  target: IndexVersion,
  one: Portion,
): Promise<WrittenAs> {
  const key = `${target.collection_id} ${target.version}`
  const mine = { ...one, ...Promise.withResolvers<WrittenAs>() }
  const before = waiting.get(key)
  if (before) before.push(mine)
  else {
    waiting.set(key, [mine])
    void writeWaiting(deps, target, key)
  }
  return await mine.promise
}

async function writeWaiting(deps: Needed, target: IndexVersion, key: string): Promise<void> {
  let taken: readonly Waiting[] | undefined
  try {
    await withWriter(deps, target, async writing => {
      taken = takePortions(key)
      if (waiting.has(key)) void writeWaiting(deps, target, key)
      await writePortions(deps, taken, writing)
    })
    // Without a table, nothing was taken.
    for (const { resolve } of taken ?? takeAll(key)) resolve('index_dropped')
  } catch (error) {
    const failure = failedWrite(error)
    for (const { reject } of taken ?? takeAll(key)) reject(failure)
  }
}

function takeAll(key: string): readonly Waiting[] {
  const all = waiting.get(key) ?? []
  waiting.delete(key)
  return all
}

/** The oldest ones, up to the rows of one commit. */
function takePortions(key: string): readonly Waiting[] {
  const all = takeAll(key)
  let rows = 0
  const end = all.findIndex((one, at) => (rows += one.rows.length) > portion && at > 0)
  if (end === -1) return all
  waiting.set(key, all.slice(end))
  return all.slice(0, end)
}

async function writePortions(
  deps: Needed,
  portions: readonly Waiting[],
  { table, lease }: Writing,
): Promise<void> {
  const { fault } = deps.kernel
  const heads = new Map<Waiting, Head>()
  // An index version may be filled while a job writes the same document: the same row twice.
  const rows = new Map<string, IndexRow>()
  for (const one of portions) {
    const head = await readHead(deps, one.place)
    if (!head) one.resolve('version_gone')
    else if (one.rows.some(({ vector }) => vector === null)) {
      one.reject(new JobFailure('index_write_failed', { retryable: true }))
    } else {
      heads.set(one, head)
      for (const row of one.rows) rows.set(row.id, rowOf(head, one.place.version, row))
    }
  }
  await fault('retrieval.before_upsert')
  if (rows.size > 0) await deps.index.upsert(table, [...rows.values()], lease)
  await fault('retrieval.after_upsert')
  for (const [one, { no, acl_set_id }] of heads) {
    if (await readHead(deps, one.place)) one.resolve(acl_set_id)
    else {
      await deps.index.deleteByDocument(table, no, lease, await servedVersion(deps, one.place))
      one.resolve('version_gone')
    }
  }
}

const Served = Type.Object({ current_version: nullable(Type.Integer()) })

/** Undefined if the document is deleted, so that all of its rows are removed. */
async function servedVersion(
  { kernel: { db } }: Needed,
  { tenant_id, document_id }: VersionPlace,
): Promise<number | undefined> {
  const served = await db.maybe(
    Served,
    sql`
      select current_version from retrieval.documents
      where tenant_id = ${tenant_id} and id = ${document_id} and deleted_at is null`,
  )
  return served?.current_version ?? undefined
}

function failedWrite(error: unknown): unknown {
  if (!(error instanceof IndexFailed)) return error
  return new JobFailure('index_write_failed', { retryable: true, cause: error })
}

async function readHead(
  { kernel: { db } }: Needed,
  { tenant_id, document_id, version }: VersionPlace,
): Promise<Head | undefined> {
  return await db.maybe(
    Head,
    sql`
      select d.no, d.acl_set_id, d.source_kind, v.metadata from retrieval.documents d
      join retrieval.document_versions v on v.tenant_id = d.tenant_id and v.document_id = d.id
        and v.version = ${version}
      where d.tenant_id = ${tenant_id} and d.id = ${document_id} and d.deleted_at is null`,
  )
}

function rowOf(
  { no, acl_set_id, source_kind, metadata }: Head,
  version: number,
  row: Static<typeof Row>,
): IndexRow {
  return {
    chunk_id: row.id,
    document_no: no,
    document_version: version,
    chunk_version: row.pipeline_version,
    acl_set_id,
    facets: [
      facetOf('source_kind', source_kind),
      ...Object.entries(metadata).map(([key, value]) => facetOf(`metadata.${key}`, value)),
    ],
    context: row.context,
    text: indexedText(row),
    vector: vectorOf(row.vector ?? Buffer.alloc(0)),
  }
}
