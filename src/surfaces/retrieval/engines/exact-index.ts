/**
 * Index tables in the memory of this process. Every search compares all permitted rows, and BM25
 * counts its terms each time. It is the reference for measuring the approximate engine, for up to
 * 20,000 rows.
 */
import { stemOf, wordsOf } from '../embedding/words.ts'
import {
  checkTableName,
  IndexFailed,
  monotonicMs,
  type IndexHit,
  type IndexQuery,
  type IndexRow,
  type IndexSpec,
  type Lease,
  type Prefilter,
  type RetrievalIndex,
} from './index.ts'

type StoredRow = IndexRow & { readonly terms: readonly string[] }
type Table = { readonly spec: IndexSpec; readonly rows: Map<string, StoredRow> }

const bm25 = { k1: 1.2, b: 0.75 }

export function openExactIndex(): RetrievalIndex {
  const tables = new Map<string, Table>()
  const tableOf = (name: string): Table => {
    const table = tables.get(checkTableName(name))
    if (table) return table
    throw new IndexFailed('table_missing', `There is no index table ${name}.`)
  }
  const written = (name: string, lease: Lease): Table => {
    if (monotonicMs() >= lease.until_ms) {
      throw new IndexFailed('lease_ended', 'The lease of the writer has ended.')
    }
    return tableOf(name)
  }
  return {
    create: async (name, spec) => {
      if (!tables.has(checkTableName(name))) tables.set(name, { spec, rows: new Map() })
    },
    upsert: async (name, rows, lease) => {
      const table = written(name, lease)
      for (const row of rows) table.rows.set(row.chunk_id, stored(row, table.spec))
    },
    setAccess: async (name, document_no, acl_set_id, lease) => {
      const { rows } = written(name, lease)
      for (const row of rows.values()) {
        if (row.document_no === document_no) rows.set(row.chunk_id, { ...row, acl_set_id })
      }
    },
    deleteByDocument: async (name, document_no, lease, below_version = Infinity) => {
      const { rows } = written(name, lease)
      for (const row of rows.values()) {
        if (row.document_no === document_no && row.document_version < below_version) {
          rows.delete(row.chunk_id)
        }
      }
    },
    search: async (name, query) => searchRows([...tableOf(name).rows.values()], query),
    documents: async (name, from, to) => {
      const rows = [...tableOf(name).rows.values()]
      return groupRows(rows.filter(row => row.document_no >= from && row.document_no <= to))
    },
    count: async name => tableOf(name).rows.size,
    compact: async (name, lease) => void written(name, lease),
    completeIndexes: async name => void tableOf(name),
    copy: async (from, to, lease) => {
      const { spec, rows } = written(from, lease)
      tables.set(checkTableName(to), { spec, rows: new Map(rows) })
    },
    drop: async name => void tables.delete(name),
    close: async () => tables.clear(),
  }
}

function stored(row: IndexRow, { dimensions }: IndexSpec): StoredRow {
  if (row.vector.length !== dimensions) {
    throw new IndexFailed('engine_failed', `The table has vectors of ${dimensions} dimensions.`)
  }
  return { ...row, terms: termsOf(`${row.context} ${row.text}`) }
}

function termsOf(text: string): string[] {
  return wordsOf(text).map(stemOf)
}

function searchRows(rows: readonly StoredRow[], query: IndexQuery): IndexHit[] {
  const permitted = rows.filter(row => isPermitted(row, query.prefilter))
  const scored =
    'text' in query
      ? rankByText(rows, permitted, query.text)
      : permitted.map(row => ({ row, score: dot(row.vector, query.vector) }))
  return scored
    .sort((a, b) => b.score - a.score || (a.row.chunk_id < b.row.chunk_id ? -1 : 1))
    .slice(0, query.k)
    .map(({ row: { chunk_id, document_no, document_version }, score }) => ({
      chunk_id,
      document_no,
      document_version,
      score,
    }))
}

function isPermitted(
  row: Pick<IndexRow, 'acl_set_id' | 'facets' | 'document_no'>,
  { acl_set_ids, facets = [], document_nos }: Prefilter,
): boolean {
  return (
    acl_set_ids.includes(row.acl_set_id) &&
    facets.every(any => any.some(facet => row.facets.includes(facet))) &&
    (document_nos?.includes(row.document_no) ?? true)
  )
}

/** The frequencies are taken from the whole table, as in an inverted index. */
function rankByText(all: readonly StoredRow[], permitted: readonly StoredRow[], text: string) {
  const terms = [...new Set(termsOf(text))]
  const average = all.reduce((sum, row) => sum + row.terms.length, 0) / Math.max(1, all.length)
  const weights = terms.map(term => {
    const having = all.filter(row => row.terms.includes(term)).length
    return Math.log(1 + (all.length - having + 0.5) / (having + 0.5))
  })
  const scoreOf = (row: StoredRow) =>
    terms.reduce((score, term, at) => {
      const times = row.terms.filter(one => one === term).length
      const norm = bm25.k1 * (1 - bm25.b + (bm25.b * row.terms.length) / average)
      return score + ((weights[at] ?? 0) * times * (bm25.k1 + 1)) / (times + norm)
    }, 0)
  return permitted.map(row => ({ row, score: scoreOf(row) })).filter(({ score }) => score > 0)
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

function groupRows(rows: readonly IndexRow[]) {
  const groups = Map.groupBy(
    rows,
    ({ document_no, document_version, acl_set_id }) =>
      `${document_no} ${document_version} ${acl_set_id}`,
  )
  return [...groups.values()]
    .flatMap(group => {
      const [first] = group
      if (!first) return []
      const { document_no, document_version, acl_set_id } = first
      return [{ document_no, document_version, acl_set_id, chunks: group.length }]
    })
    .sort((a, b) => a.document_no - b.document_no || a.document_version - b.document_version)
}
