/**
 * Writes the chunks of one document version to one index version, with their vectors. The ids of
 * the rows are those of the chunks, so writing them again changes nothing. Under the writer's lease
 * it checks before and after the write that the document still exists, so that no row of a deleted
 * document stays.
 */
import { Type, type Static } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { JobFailure } from '../../../kernel/errors/job-failure.ts'
import { nullable } from '../../../kernel/http/shapes.ts'
import { indexedText } from '../chunking/chunking.ts'
import type { Deps } from '../deps.ts'
import type { Metadata } from '../documents/schemas.ts'
import { facetOf } from '../engines/facets.ts'
import { IndexFailed, type IndexRow } from '../engines/index.ts'
import type { IndexVersion } from '../indexes/index-versions.ts'
import { withWriter } from '../indexes/writer.ts'
import { Bytes } from '../schemas.ts'
import { embedChunks, vectorOf, type VersionPlace } from './embed-chunks.ts'

const portion = 500

const Row = Type.Object({
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

type Needed = Pick<Deps, 'kernel' | 'index' | 'profiles'>

/**
 * The list of readers with which the rows were written, or the reason why there is nothing to write
 * to.
 */
export type WrittenAs = number | 'document_deleted' | 'index_dropped'

/** Two portions were written with different lists, so no single list is right for all rows. */
const mixed = -1

export async function writeVersion(
  deps: Needed,
  place: VersionPlace,
  target: IndexVersion,
  signal: AbortSignal,
  report: (many: number) => Promise<void> = async () => {},
): Promise<WrittenAs> {
  const profile = deps.profiles.find(target.embedding_profile)
  if (!profile) throw new JobFailure('embedding_provider_unavailable', { retryable: true })
  await embedChunks(deps, profile, place, signal)
  let written: number | undefined
  for (let after = -1; ;) {
    signal.throwIfAborted()
    const rows = await readRows(deps, place, profile.id, after)
    const ended = await writePortion(deps, place, target, rows)
    if (typeof ended === 'string') return ended
    written = written === undefined || written === ended ? ended : mixed
    await report(rows.length)
    if (rows.length < portion) break
    after = rows.at(-1)?.ordinal ?? after
  }
  await markIndexed(deps, place, profile.id)
  return written
}

async function writePortion(
  deps: Needed,
  place: VersionPlace,
  target: IndexVersion,
  rows: readonly Static<typeof Row>[],
): Promise<WrittenAs> {
  const { fault } = deps.kernel
  const written = await withWriter(deps, target, async ({ table, lease }): Promise<WrittenAs> => {
    const head = await readHead(deps, place)
    if (!head) return 'document_deleted'
    await fault('retrieval.before_upsert')
    await deps.index.upsert(table, rows.map(rowOf(head, place.version)), lease)
    await fault('retrieval.after_upsert')
    if (await readHead(deps, place)) return head.acl_set_id
    await deps.index.deleteByDocument(table, head.no, lease)
    return 'document_deleted'
  }).catch(failedWrite)
  return written ?? 'index_dropped'
}

function failedWrite(error: unknown): never {
  if (!(error instanceof IndexFailed)) throw error
  throw new JobFailure('index_write_failed', { retryable: true, cause: error })
}

async function readRows(
  { kernel: { db } }: Needed,
  { tenant_id, document_id, version }: VersionPlace,
  profile: string,
  after: number,
) {
  return await db.many(
    Row,
    sql`
      select c.id, c.ordinal, c.pipeline_version, c.context, t.text, e.vector
      from retrieval.chunks c
      join retrieval.chunk_texts t on t.tenant_id = c.tenant_id and t.id = c.text_ref
      left join retrieval.embeddings e on e.tenant_id = c.tenant_id
        and e.embedding_model_version = ${profile} and e.content_hash = c.content_hash
      where c.tenant_id = ${tenant_id} and c.document_id = ${document_id}
        and c.document_version = ${version} and c.ordinal > ${after}
      order by c.ordinal limit ${portion}`,
  )
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

function rowOf({ no, acl_set_id, source_kind, metadata }: Head, version: number) {
  const facets = [
    facetOf('source_kind', source_kind),
    ...Object.entries(metadata).map(([key, value]) => facetOf(`metadata.${key}`, value)),
  ]
  return (row: Static<typeof Row>): IndexRow => {
    if (row.vector === null) throw new JobFailure('index_write_failed', { retryable: true })
    return {
      chunk_id: row.id,
      document_no: no,
      document_version: version,
      chunk_version: row.pipeline_version,
      acl_set_id,
      facets,
      context: row.context,
      text: indexedText(row),
      vector: vectorOf(row.vector),
    }
  }
}

async function markIndexed(
  { kernel: { db } }: Needed,
  { tenant_id, document_id, version }: VersionPlace,
  profile: string,
): Promise<void> {
  await db.run(sql`
    update retrieval.embedding_records r set state = 'indexed'
    from retrieval.chunks c
    where c.tenant_id = ${tenant_id} and c.document_id = ${document_id}
      and c.document_version = ${version} and r.tenant_id = c.tenant_id and r.chunk_id = c.id
      and r.embedding_model_version = ${profile} and r.state <> 'indexed'`)
}
