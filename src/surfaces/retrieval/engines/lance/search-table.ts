/**
 * Reads of one index table. Predicates contain only integers, so no text of a user is part of them.
 */
import { MultiMatchQuery, type Table } from '@lancedb/lancedb'
import {
  IndexFailed,
  type IndexedDocument,
  type IndexHit,
  type IndexQuery,
  type Prefilter,
} from '../index.ts'
import { hnsw } from './indexes.ts'

type Found = {
  readonly chunk_id: string
  readonly document_no: bigint
  readonly document_version: number
  readonly _score?: number
  readonly _distance?: number
}

export async function searchTable(table: Table, query: IndexQuery): Promise<IndexHit[]> {
  if (permitsNothing(query.prefilter)) return []
  const where = predicateOf(query.prefilter)
  const columns = ['chunk_id', 'document_no', 'document_version']
  const found =
    'text' in query
      ? await table
          .query()
          .fullTextSearch(new MultiMatchQuery(query.text, ['text', 'context']))
          .where(where)
          .select([...columns, '_score'])
          .limit(query.k)
          .toArray()
      : await nearest(table, query.vector, query.k, query.exact ?? false)
          .where(where)
          .select([...columns, '_distance'])
          .limit(query.k)
          .toArray()
  return (found as Found[])
    .map(({ chunk_id, document_no, document_version, _score, _distance = 0 }) => ({
      chunk_id,
      document_no: Number(document_no),
      document_version,
      // For vectors of length 1 the squared distance is 2 - 2 cos.
      score: _score ?? 1 - _distance / 2,
    }))
    .sort((a, b) => b.score - a.score || (a.chunk_id < b.chunk_id ? -1 : 1))
}

function nearest(table: Table, vector: Float32Array, k: number, exact: boolean) {
  const search = table.vectorSearch(vector).distanceType('l2')
  if (exact) return search.bypassVectorIndex()
  // The engine refuses an ef below the candidates that are compared with their full vectors.
  return search.ef(Math.max(hnsw.ef, hnsw.refine * k)).refineFactor(hnsw.refine)
}

function permitsNothing({ acl_set_ids, facets = [], document_nos }: Prefilter): boolean {
  return [acl_set_ids, ...facets, ...(document_nos ? [document_nos] : [])].some(
    any => any.length === 0,
  )
}

function predicateOf({ acl_set_ids, facets = [], document_nos }: Prefilter): string {
  const parts = [
    `acl_set_id in (${acl_set_ids.map(integer).join(', ')})`,
    ...facets.map(
      any => `array_has_any(facets, [${any.map(facet => BigInt.asUintN(63, facet)).join(', ')}])`,
    ),
    ...(document_nos ? [`document_no in (${document_nos.map(integer).join(', ')})`] : []),
  ]
  return parts.join(' and ')
}

export function integer(value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new IndexFailed('engine_failed', `A prefilter has integers only, not ${value}.`)
}

/**
 * Counted row by row, because the engine cannot group. A caller requests a few thousand documents
 * at once.
 */
export async function documentsOf(
  table: Table,
  from: number,
  to: number,
): Promise<IndexedDocument[]> {
  const rows = (await table
    .query()
    .where(`document_no >= ${integer(from)} and document_no <= ${integer(to)}`)
    .select(['document_no', 'document_version', 'acl_set_id'])
    .toArray()) as { document_no: bigint; document_version: number; acl_set_id: bigint }[]
  const counted = new Map<string, { -readonly [K in keyof IndexedDocument]: number }>()
  for (const { document_no, document_version, acl_set_id } of rows) {
    const key = `${document_no} ${document_version} ${acl_set_id}`
    const known = counted.get(key)
    if (known) known.chunks++
    else {
      const numbers = { document_no: Number(document_no), acl_set_id: Number(acl_set_id) }
      counted.set(key, { ...numbers, document_version, chunks: 1 })
    }
  }
  return [...counted.values()].sort(
    (a, b) => a.document_no - b.document_no || a.document_version - b.document_version,
  )
}
