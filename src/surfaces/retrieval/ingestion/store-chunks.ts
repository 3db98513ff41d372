/**
 * Cuts the canonical text of a version into chunks and stores them. The id of a chunk is derived
 * from its position, so a job that runs again after a crash stores the same rows.
 */
import { createHash } from 'node:crypto'
import { JobFailure, sql } from '#dodeca/kernel'
import { default_chunking, type Chunk } from '../chunking/chunking.ts'
import type { Deps } from '../deps.ts'
import { pipeline_version } from './pipeline.ts'
import type { IngestedVersion } from './read-version.ts'

const portion = 1000

type Needed = Pick<Deps, 'kernel' | 'extractors'>

/** Returns the number of chunks. */
export async function storeChunks(
  { kernel: { db, settings, fault }, extractors }: Needed,
  version: IngestedVersion,
  signal: AbortSignal,
): Promise<number> {
  const { canonical, outline, title, language } = version
  if (canonical === null || outline === null) throw new JobFailure('extraction_failed')
  const text = { text: canonical, title, ...outline }
  const { tenant_id } = version
  const options = { language, chunking: default_chunking }
  const chunks = await extractors.chunk(text, options, { tenant_id, signal })
  if (chunks.length === 0) throw new JobFailure('empty_document')
  if (chunks.length > settings['retrieval.chunks_per_document']) {
    throw new JobFailure('too_many_chunks')
  }
  for (let from = 0; from < chunks.length; from += portion) {
    const rows = chunks.slice(from, from + portion).map(one => rowOf(version, one))
    await db.tx(async tx => {
      await tx.run(sql`
        insert into retrieval.chunk_texts (tenant_id, id, text)
        select ${version.tenant_id}, r.id, r.text
        from ${sql.table(rows, { id: 'uuid', text: 'text' })} r on conflict do nothing`)
      await tx.run(insertChunks(version, rows))
    })
    await fault('retrieval.in_chunk')
  }
  return chunks.length
}

type ChunkRow = Omit<Chunk, 'content_hash'> & {
  readonly id: string
  readonly page: number | null
  /** An array as PostgreSQL writes it. */
  readonly page_starts: string
  readonly content_hash: Buffer
}

function rowOf(version: IngestedVersion, one: Chunk): ChunkRow {
  const pages = version.outline?.pages ?? []
  const page = pages.findLast(({ start }) => start <= one.char_start)?.page ?? null
  const page_starts = pages
    .filter(({ start }) => start > one.char_start && start < one.char_end)
    .map(({ start }) => start - one.char_start)
  return {
    ...one,
    id: chunkId(version, one.ordinal),
    page,
    page_starts: `{${page_starts.join(',')}}`,
    content_hash: Buffer.from(one.content_hash, 'hex'),
  }
}

function insertChunks(version: IngestedVersion, rows: readonly ChunkRow[]) {
  const { tenant_id, collection_id, document_id } = version
  const columns = {
    id: 'uuid',
    ordinal: 'int4',
    char_start: 'int4',
    char_end: 'int4',
    page: 'int4',
    page_starts: 'text',
    context: 'text',
    token_count: 'int4',
    content_hash: 'bytea',
  }
  return sql`
    insert into retrieval.chunks (tenant_id, id, collection_id, document_id, document_version,
      ordinal, text_ref, char_start, char_end, page, page_starts, context, token_count, content_hash,
      pipeline_version)
    select ${tenant_id}, r.id, ${collection_id}, ${document_id}, ${version.version}, r.ordinal, r.id,
      r.char_start, r.char_end, r.page, r.page_starts::int[], r.context, r.token_count, r.content_hash,
      ${pipeline_version}
    from ${sql.table(rows, columns)} r
    on conflict do nothing`
}

/** In the format of a UUIDv7: the time of the document's id, and a hash of the position. */
function chunkId({ document_id, version }: IngestedVersion, ordinal: number): string {
  const place = [document_id, version, pipeline_version, ordinal].join(' ')
  const hex = createHash('sha256').update(place).digest('hex')
  const time = document_id.slice(0, 13)
  return `${time}-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}
