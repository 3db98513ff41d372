/** The result of a purge job: which data of a document was erased, and when. */
import { Type } from 'typebox'
import { nullable, sql, Time, type Reader, type Tx } from '#dodeca/kernel'
import { announce } from '../events.ts'

const Line = Type.Object({
  projection: Type.String(),
  index_version: nullable(Type.Integer()),
  hidden_at: Time,
  erased_at: nullable(Time),
  done_at: nullable(Time),
})

/** For one document. For a whole collection only the number of documents is stored. */
export async function readReceipt(reader: Reader, tenant_id: string, document_id: string | null) {
  if (document_id === null) return []
  return await reader.many(
    Line,
    sql`
      select projection, nullif(index_version, 0) as index_version, hidden_at, erased_at, done_at
      from retrieval.purge_ledger
      where tenant_id = ${tenant_id} and document_id = ${document_id}
      order by projection, index_version`,
  )
}

const Versioned = Type.Object({ version: Type.Integer() })

export async function announcePurged(
  tx: Tx,
  tenant_id: string,
  document_id: string,
  collection_id: string,
): Promise<void> {
  const { version } = await tx.one(
    Versioned,
    sql`
      update retrieval.documents set version = version + 1
      where tenant_id = ${tenant_id} and id = ${document_id} returning version`,
  )
  const lines = await readReceipt(tx, tenant_id, document_id)
  const projections = [...new Set(lines.map(one => one.projection))]
  const of = { tenant_id, aggregate_type: 'document', id: document_id, version } as const
  announce(tx, 'document.purged', of, { document_id, collection_id, projections })
}
