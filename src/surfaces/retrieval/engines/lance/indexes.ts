/**
 * The indexes of an index table. Below `vector_index_rows` there is no vector index: a search
 * compares every row, which is exact. Above, rows that are not in the index yet are still compared
 * one by one.
 */
import { Index, type Table } from '@lancedb/lancedb'
import { openClock } from '#dodeca/kernel'

const vector_index_rows = 10_000
/** `optimize` adds new rows as one more part. A search looks into each part, for about 0.7 ms. */
const parts_max = 8
/** A reader in another process may still use a version of this age. */
const old_versions_seconds = 600
/** `refine` times k candidates are compared with their full vectors. */
export const hnsw = { m: 20, ef_construction: 200, ef: 200, refine: 4 }

/** Creates missing indexes, because a process may have died between two of them. */
export async function createIndexes(table: Table, language: string): Promise<void> {
  const stemmer = stemmers[language.split('-', 1)[0]?.toLowerCase() ?? '']
  const named = stemmer === undefined ? {} : { language: stemmer }
  const fts = {
    ...named,
    baseTokenizer: 'icu',
    stem: stemmer !== undefined,
    // BM25 gives frequent words little weight; without them "IS NOT IN" could not be found.
    removeStopWords: false,
    asciiFolding: true,
    // No search needs phrases, and their positions take a seventh of the time of indexing.
    withPosition: false,
  } as const
  const wanted = {
    text: Index.fts(fts),
    context: Index.fts(fts),
    chunk_id: Index.btree(),
    document_no: Index.btree(),
    acl_set_id: Index.bitmap(),
    facets: Index.labelList(),
  }
  const known = new Set((await table.listIndices()).flatMap(({ columns }) => columns))
  for (const [column, config] of Object.entries(wanted)) {
    if (!known.has(column)) await table.createIndex(column, { config })
  }
}

/** The languages that LanceDB can stem. Words of other languages are searched unstemmed. */
const stemmers: Readonly<Record<string, string>> = {
  ar: 'Arabic',
  da: 'Danish',
  de: 'German',
  el: 'Greek',
  en: 'English',
  es: 'Spanish',
  fi: 'Finnish',
  fr: 'French',
  hu: 'Hungarian',
  it: 'Italian',
  nl: 'Dutch',
  no: 'Norwegian',
  pt: 'Portuguese',
  ro: 'Romanian',
  ru: 'Russian',
  sv: 'Swedish',
  ta: 'Tamil',
  tr: 'Turkish',
}

/** Adds new rows to the existing indexes. */
export async function optimize(table: Table): Promise<void> {
  const cleanupOlderThan = new Date(openClock().nowMs() - old_versions_seconds * 1000)
  await table.optimize({ cleanupOlderThan })
}

/**
 * Builds the vector index of a table that has none, or whose index has too many parts. It takes
 * about a minute for 100,000 rows on two cores.
 */
export async function buildVectorIndex(table: Table): Promise<void> {
  if ((await table.countRows()) < vector_index_rows) return
  const known = await table.indexStats('vector_idx')
  if (known && (known.numIndices ?? 0) <= parts_max) return
  const { m, ef_construction: efConstruction } = hnsw
  const config = Index.hnswSq({ distanceType: 'l2', numPartitions: 1, m, efConstruction })
  await table.createIndex('vector', { config })
}
