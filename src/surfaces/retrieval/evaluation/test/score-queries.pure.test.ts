/** Scores of ranked lists, compared with values computed by hand. */
import { expect, test } from 'vitest'
import { scoreQueries } from '../score-queries.ts'

const score = (ranked: string, relevant: string) =>
  scoreQueries([{ ranked: [...ranked], relevant: [...relevant] }])

test('a perfect list scores 1, an empty one 0', () => {
  const perfect = { queries: 1, ndcg_at_10: 1, recall_at_10: 1, recall_at_50: 1, mrr: 1 }
  expect(score('abcd', 'ab')).toEqual(perfect)
  expect(score('', 'ab')).toEqual({
    queries: 1,
    ndcg_at_10: 0,
    recall_at_10: 0,
    recall_at_50: 0,
    mrr: 0,
  })
})

test('a relevant item counts less the later it comes', () => {
  // 1/log2(3) + 1/log2(5), of at best 1/log2(2) + 1/log2(3).
  const { ndcg_at_10, mrr } = score('xaxbx', 'ab')
  expect(ndcg_at_10).toBeCloseTo((0.63093 + 0.4307) / 1.63093, 4)
  // The second x is not a place of its own.
  expect(score('xab', 'ab').ndcg_at_10).toBeCloseTo((0.63093 + 0.5) / 1.63093, 4)
  expect(mrr).toBe(0.5)
})

test('recall counts what is among the first 10 and the first 50', () => {
  const ranked = Array.from({ length: 60 }, (_, n) => `n${n}`)
  const relevant = ['n0', 'n9', 'n10', 'n49', 'n50']
  expect(scoreQueries([{ ranked, relevant }])).toMatchObject({ recall_at_10: 0.4, recall_at_50: 0.8 })
})

test('scores are means over queries that have a relevant item', () => {
  const queries = [
    { ranked: ['a'], relevant: ['a'] },
    { ranked: ['b'], relevant: ['a'] },
    { ranked: ['b'], relevant: [] },
  ]
  expect(scoreQueries(queries)).toMatchObject({ queries: 2, mrr: 0.5 })
  expect(scoreQueries([])).toMatchObject({ queries: 0, mrr: 0 })
})
