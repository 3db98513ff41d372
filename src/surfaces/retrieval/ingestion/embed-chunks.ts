/**
 * Makes the vectors of the chunks of one document version with one profile. Chunks with the same
 * content share a vector within their tenant. Stored vectors are not computed again, so this can be
 * repeated.
 */
import { Type } from 'typebox'
import { JobFailure, Problem, sql } from '#dodeca/kernel'
import { Bytes } from '../schemas.ts'
import type { Deps } from '../deps.ts'
import { ProfileUnavailable, type EmbeddingProfile, type Payer } from '../embedding/profile.ts'
import { indexedText } from '../chunking/chunking.ts'

export type VersionPlace = {
  readonly tenant_id: string
  readonly document_id: string
  readonly version: number
}

const portion = 64
const Missing = Type.Object({
  content_hash: Bytes,
  context: Type.String(),
  text: Type.String(),
})

const Made = Type.Object({ created_by: Type.String() })

/** Reports how many vectors were computed since the last report. */
export async function embedChunks(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  profile: EmbeddingProfile,
  { tenant_id, document_id, version }: VersionPlace,
  signal: AbortSignal,
  report: (many: number) => Promise<void> = async () => {},
): Promise<void> {
  const { created_by } = await db.one(
    Made,
    sql`
      select created_by from retrieval.documents
      where tenant_id = ${tenant_id} and id = ${document_id}`,
  )
  for (;;) {
    signal.throwIfAborted()
    const missing = await db.many(
      Missing,
      sql`
        select distinct on (c.content_hash) c.content_hash, c.context, t.text
        from retrieval.chunks c
        join retrieval.chunk_texts t on t.tenant_id = c.tenant_id and t.id = c.text_ref
        where c.tenant_id = ${tenant_id} and c.document_id = ${document_id}
          and c.document_version = ${version} and not exists (
            select from retrieval.embeddings e
            where e.tenant_id = c.tenant_id and e.embedding_model_version = ${profile.id}
              and e.content_hash = c.content_hash)
        order by c.content_hash limit ${portion}`,
    )
    if (missing.length === 0) break
    const payer = { tenant_id, principal_id: created_by, parent_id: document_id }
    const vectors = await vectorsOf(profile, missing.map(indexedText), payer, signal)
    const rows = missing.map(({ content_hash }, at) => ({
      content_hash,
      vector: bytesOf(vectors[at] ?? new Float32Array()),
    }))
    // The lock on the chunks makes an erasure wait, so that it then finds these vectors.
    await db.run(sql`
      with held as (
        select c.content_hash from retrieval.chunks c
        where c.tenant_id = ${tenant_id} and c.document_id = ${document_id}
          and c.document_version = ${version}
          and c.content_hash = any(${missing.map(one => one.content_hash)}::bytea[])
        for key share
      )
      insert into retrieval.embeddings (tenant_id, embedding_model_version, content_hash, vector)
      select ${tenant_id}, ${profile.id}, v.content_hash, v.vector
      from ${sql.table(rows, { content_hash: 'bytea', vector: 'bytea' })} v
      where v.content_hash in (select content_hash from held)
      on conflict do nothing`)
    await report(missing.length)
  }
  await db.run(sql`
    insert into retrieval.embedding_records
      (tenant_id, chunk_id, embedding_model_version, vector_ref, state)
    select c.tenant_id, c.id, ${profile.id}, c.content_hash, 'embedded'
    from retrieval.chunks c
    where c.tenant_id = ${tenant_id} and c.document_id = ${document_id}
      and c.document_version = ${version}
    on conflict do nothing`)
}

async function vectorsOf(
  profile: EmbeddingProfile,
  texts: string[],
  payer: Payer,
  signal: AbortSignal,
) {
  try {
    return await profile.embed(texts, 'passage', payer, signal)
  } catch (error) {
    if (!(error instanceof ProfileUnavailable)) throw error
    const { cause } = error
    // What is refused now is refused in a minute too, and each attempt would be charged for it.
    if (cause instanceof Problem && cause.code === 'quota_exceeded') {
      throw new JobFailure('quota_exceeded', { cause: error })
    }
    throw new JobFailure('embedding_provider_unavailable', { retryable: true, cause: error })
  }
}

function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

export function vectorOf(bytes: Buffer): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer)
}
