/** Scores of ranked lists, compared with values computed by hand. */
import { expect, test } from 'vitest'
import { meanScores, scoreRanking } from '../score.ts'

const score = (ranked: string, relevant: string) =>
  scoreRanking(ranked.split(''), new Set(relevant))
const zero = { ndcg_at_10: 0, recall_at_10: 0, recall_at_50: 0, mrr: 0 }

test('a perfect list scores 1, one without a relevant item 0', () => {
  expect(score('abcd', 'ab')).toEqual({ ndcg_at_10: 1, recall_at_10: 1, recall_at_50: 1, mrr: 1 })
  expect(score('', 'ab')).toEqual(zero)
  expect(score('xyz', 'ab')).toEqual(zero)
})

test('a relevant item counts less the later it comes', () => {
  // 1/log2(3) + 1/log2(5), of at best 1/log2(2) + 1/log2(3).
  const { ndcg_at_10, mrr } = score('xaybz', 'ab')
  expect(ndcg_at_10).toBeCloseTo((0.63093 + 0.43068) / 1.63093, 4)
  expect(mrr).toBe(0.5)
})

test('recall counts what is among the first 10 and the first 50', () => {
  const ranked = Array.from({ length: 60 }, (_, n) => `n${n}`)
  const relevant = new Set(['n0', 'n9', 'n10', 'n49', 'n50'])
  expect(scoreRanking(ranked, relevant)).toMatchObject({ recall_at_10: 0.4, recall_at_50: 0.8 })
})

test('the scores of many queries are their means', () => {
  expect(meanScores([score('a', 'a'), score('b', 'a')])).toMatchObject({ mrr: 0.5 })
  expect(meanScores([])).toEqual(zero)
})
