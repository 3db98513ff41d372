/** The input of an ingestion job: the version of the document, and the document as it is now. */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader } from '#dodeca/kernel'
import type { Canonical } from '../extraction/canonical.ts'
import { Bytes } from '../schemas.ts'
import { pipeline_version } from './pipeline.ts'

const Ingested = Type.Object({
  tenant_id: Type.String(),
  document_id: Type.String(),
  version: Type.Integer(),
  collection_id: Type.String(),
  language: Type.String(),
  no: Type.Integer(),
  deleted: Type.Boolean(),
  current_version: nullable(Type.Integer()),
  current_checksum: nullable(Bytes),
  input_text: nullable(Type.String()),
  file_id: nullable(Type.String()),
  fetch_uri: nullable(Type.String()),
  blob_key: nullable(Type.String()),
  content_type: nullable(Type.String()),
  title: nullable(Type.String()),
  checksum: nullable(Bytes),
  canonical: nullable(Type.String()),
  outline: nullable(Type.Unsafe<Pick<Canonical, 'pages' | 'headings' | 'blocks'>>(Type.Any())),
  /**
   * The served version differs only in the text, and was made by this pipeline. The texts are
   * compared by checksum.
   */
  same_words: Type.Boolean(),
  /** An earlier version is still being ingested, and will be served next. */
  earlier_open: Type.Boolean(),
})
export type IngestedVersion = Static<typeof Ingested>

export async function readVersion(
  reader: Reader,
  tenant_id: string,
  job_id: string,
): Promise<IngestedVersion | undefined> {
  return await reader.maybe(
    Ingested,
    sql`
      select v.tenant_id, v.document_id, v.version, d.collection_id, c.language, d.no,
        d.deleted_at is not null as deleted, d.current_version, b.checksum as current_checksum,
        v.input_text, v.file_id, v.fetch_uri, v.blob_key, v.content_type, v.title, v.checksum,
        v.canonical, v.outline,
        coalesce(b.pipeline_version = ${pipeline_version} and v.metadata = b.metadata
          and (v.title is null or v.title is not distinct from d.title),
          false) as same_words,
        exists (select from retrieval.ingestion_jobs o
          where o.tenant_id = j.tenant_id and o.document_id = j.document_id and o.kind = 'ingest'
            and o.completed_at is null and o.document_version < j.document_version
            and o.document_version > coalesce(d.current_version, 0)) as earlier_open
      from retrieval.ingestion_jobs j
      join retrieval.documents d on d.tenant_id = j.tenant_id and d.id = j.document_id
      join retrieval.collections c on c.tenant_id = d.tenant_id and c.id = d.collection_id
      join retrieval.document_versions v on v.tenant_id = d.tenant_id and v.document_id = d.id
        and v.version = j.document_version
      left join retrieval.document_versions b on b.tenant_id = d.tenant_id
        and b.document_id = d.id and b.version = d.current_version
      where j.tenant_id = ${tenant_id} and j.id = ${job_id}`,
  )
}
