/** Two lists of one index become one. */
import { expect, test } from 'vitest'
import { joinHits } from '../join-hits.ts'

const hits = (list: Record<string, number>) =>
  Object.entries(list).map(([chunk_id, score]) => ({
    chunk_id,
    document_no: chunk_id.codePointAt(0) ?? 0,
    document_version: 1,
    score,
  }))
const order = (words: Record<string, number>, vectors: Record<string, number>, semantic = false) =>
  joinHits(hits(words), hits(vectors), { semantic }).map(hit => hit.chunk_id)

test('a hit that is far ahead by words stays first; near ones follow the vectors', () => {
  expect(order({ a: 20, b: 10 }, { b: 0.9, a: 0.2 })).toEqual(['a', 'b'])
  expect(order({ a: 20, b: 19 }, { b: 0.9, a: 0.2 })).toEqual(['b', 'a'])
})

test('a profile that knows meanings weighs more', () => {
  const words = { a: 20, b: 17 }
  const vectors = { b: 0.9, a: 0.1 }
  expect(order(words, vectors, false)).toEqual(['a', 'b'])
  expect(order(words, vectors, true)).toEqual(['b', 'a'])
})

test('what only one list has is there, also with negative scores', () => {
  expect(order({}, { a: 0.5, b: -0.1 })).toEqual(['a', 'b'])
  expect(order({ a: 3 }, {})).toEqual(['a'])
  expect(order({}, {})).toEqual([])
})

test('a document with several good chunks is ahead of one with a single one', () => {
  const words = { a1: 10, b1: 9.9, b2: 9.8 }
  expect(order(words, {})).toEqual(['b1', 'b2', 'a1'])
})

test('equal scores are in the order of their ids', () => {
  expect(order({ b: 1, a: 1, c: 1 }, {})).toEqual(['a', 'b', 'c'])
})
