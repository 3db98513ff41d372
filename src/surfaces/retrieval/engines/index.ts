/**
 * The interface of a search engine: index tables of chunks, searched by text (BM25) and by vector,
 * always with a prefilter. PostgreSQL stores the opaque name of a table. A table can always be
 * rebuilt from PostgreSQL. A prefilter contains only numbers, so no text of a user enters a
 * predicate. Every write carries the lease of its writer and is refused after the lease has ended.
 */
export type RetrievalIndex = {
  /** Idempotent: an existing table does not change. */
  create(table: string, spec: IndexSpec): Promise<void>
  /** Inserts rows, or replaces those with the same chunk_id. Repeating it changes nothing. */
  upsert(table: string, rows: readonly IndexRow[], lease: Lease): Promise<void>
  /** Moves all rows of a document to another access list. */
  setAccess(table: string, document_no: number, acl_set_id: number, lease: Lease): Promise<void>
  /**
   * Deletes all rows of a document. With `below_version`, deletes only the rows of its older
   * versions.
   */
  deleteByDocument(
    table: string,
    document_no: number,
    lease: Lease,
    below_version?: number,
  ): Promise<void>
  /** The best k rows that the prefilter permits, best first; equal scores by chunk_id. */
  search(table: string, query: IndexQuery): Promise<IndexHit[]>
  /** The content of a table for the documents from `from` to `to` (inclusive), by document_no. */
  documents(table: string, from: number, to: number): Promise<IndexedDocument[]>
  count(table: string): Promise<number>
  /** Adds new rows to the indexes and merges small files. Deleted rows may stay on disk. */
  compact(table: string, lease: Lease): Promise<void>
  /**
   * Adds new rows to the indexes, and builds the vector index of a large table that has none, or one
   * of many parts. This takes up to minutes but runs beside writers and readers, so it needs no
   * lease. Until then a search reads the new rows one by one.
   */
  completeIndexes(table: string): Promise<void>
  /**
   * The first half of a purge: copies the live rows of a table into a new one. The caller then
   * points readers to `to` and drops `from`. Only after that, all bytes of deleted rows are
   * removed.
   */
  copy(from: string, to: string, lease: Lease): Promise<void>
  /** Idempotent. Removes the table and its files. */
  drop(table: string): Promise<void>
  close(): Promise<void>
}

export type IndexSpec = {
  readonly dimensions: number
  /** A BCP 47 tag. It selects stemming and stop words. */
  readonly language: string
}

export type IndexRow = {
  readonly chunk_id: string
  readonly document_no: number
  readonly document_version: number
  /** The pipeline that made the chunk. */
  readonly chunk_version: string
  readonly acl_set_id: number
  /** Hashes of `key=value` (`facetOf`). */
  readonly facets: readonly bigint[]
  /** The title and headings of the chunk. A query word in them counts more. */
  readonly context: string
  /** The searched text: context and text of the chunk (`indexedText`). */
  readonly text: string
  /** The vector has length 1. */
  readonly vector: Float32Array
}

export type Prefilter = {
  /** A row is permitted if its list is one of these. With an empty array nothing is found. */
  readonly acl_set_ids: readonly number[]
  /** Each inner list is an "or", all of them together an "and". */
  readonly facets?: readonly (readonly bigint[])[]
  readonly document_nos?: readonly number[]
}

export type IndexQuery = {
  readonly k: number
  readonly prefilter: Prefilter
} & (
  | { readonly text: string }
  | {
      readonly vector: Float32Array
      /** Compares every permitted row, as a reference for an approximate index. */
      readonly exact?: boolean
    }
)

export type IndexHit = {
  readonly chunk_id: string
  readonly document_no: number
  readonly document_version: number
  /**
   * Comparable only within one reply. Never shown to callers, because it reveals something about
   * rows that they may not read.
   */
  readonly score: number
}

export type IndexedDocument = {
  readonly document_no: number
  readonly document_version: number
  readonly acl_set_id: number
  readonly chunks: number
}

/**
 * The time at which the lease of a writer ends, in milliseconds of the machine's monotonic clock. It
 * may rise during a call: then the call goes on for longer.
 */
export type Lease = { readonly until_ms: number }

/**
 * Call it before the statement that takes the lease, because the database starts to count later.
 */
export function leaseFor(seconds: number): Lease {
  return { until_ms: monotonicMs() + seconds * 1000 }
}

/** The same in all processes of a machine, unlike `performance.now()`. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

export class IndexFailed extends Error {
  override readonly name = 'IndexFailed'
  /**
   * `table_missing`: the table was dropped meanwhile; read its name again. `lease_ended`: another
   * writer may have started. `engine_failed`: the engine reported an error or its process ended;
   * the call can be repeated.
   */
  readonly code: 'table_missing' | 'lease_ended' | 'engine_failed'
  constructor(code: IndexFailed['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const names = /^[a-z0-9_-]{1,100}$/

/** The name of a table is used as the name of a folder. */
export function checkTableName(table: string): string {
  if (names.test(table)) return table
  throw new IndexFailed('engine_failed', 'A table name has 1 to 100 of a-z, 0-9, _ and -.')
}
