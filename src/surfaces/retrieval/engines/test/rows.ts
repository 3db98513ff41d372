/** Rows and vectors for tests and benchmarks, the same for the same seed. */
import { embedText, normalized } from '../../embedding/hash-ngram.ts'
import type { IndexRow } from '../index.ts'

/** Evenly distributed numbers from 0 to 1 (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function rowOf(row: Partial<IndexRow> & { document_no: number }): IndexRow {
  const { document_no, document_version = 1, text = `document ${document_no}` } = row
  return {
    chunk_id: `chunk-${document_no}-${document_version}`,
    document_version,
    chunk_version: 'test@1',
    acl_set_id: 0,
    facets: [],
    context: '',
    text,
    vector: embedText(text),
    ...row,
  }
}

/** Vectors around a few hundred centres, as those of texts are: evenly spread ones are all equally far. */
export function clusteredVectors(count: number, dimensions: number, seed = 1): Float32Array[] {
  const next = numbersOf(seed)
  const gauss = () => Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(2 * Math.PI * next())
  const centres = Array.from({ length: 200 }, () =>
    normalized(Float32Array.from({ length: dimensions }, gauss)),
  )
  const spread = 1 / Math.sqrt(dimensions)
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(next() * centres.length)] ?? new Float32Array(dimensions)
    return normalized(centre.map(value => value + spread * gauss()))
  })
}
