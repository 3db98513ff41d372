/**
 * How good ranked lists are: nDCG@10 with binary relevance, recall and the mean reciprocal rank, each the
 * mean over queries. A query without a relevant item says nothing and does not count.
 */
export type RankedQuery = {
  /** The best first; an item that occurs again is counted at its first place. */
  readonly ranked: readonly string[]
  readonly relevant: readonly string[]
}

export type QualityScores = {
  readonly queries: number
  readonly ndcg_at_10: number
  readonly recall_at_10: number
  readonly recall_at_50: number
  readonly mrr: number
}

export function scoreQueries(queries: readonly RankedQuery[]): QualityScores {
  const judged = queries.filter(({ relevant }) => relevant.length > 0)
  const mean = (score: (hits: readonly boolean[], relevant: number) => number) => {
    const scores = judged.map(query => score(hitsOf(query), new Set(query.relevant).size))
    return scores.length === 0 ? 0 : scores.reduce((sum, one) => sum + one, 0) / scores.length
  }
  return {
    queries: judged.length,
    ndcg_at_10: mean(ndcgAt10),
    recall_at_10: mean((hits, relevant) => countOf(hits.slice(0, 10)) / relevant),
    recall_at_50: mean((hits, relevant) => countOf(hits.slice(0, 50)) / relevant),
    mrr: mean(hits => (hits.includes(true) ? 1 / (hits.indexOf(true) + 1) : 0)),
  }
}

function hitsOf({ ranked, relevant }: RankedQuery): boolean[] {
  const wanted = new Set(relevant)
  return [...new Set(ranked)].map(item => wanted.has(item))
}

function ndcgAt10(hits: readonly boolean[], relevant: number): number {
  const gain = (list: readonly boolean[]) =>
    list.reduce((sum, hit, at) => sum + (hit ? 1 / Math.log2(at + 2) : 0), 0)
  const ideal = Array.from({ length: Math.min(10, relevant) }, () => true)
  return gain(hits.slice(0, 10)) / gain(ideal)
}

const countOf = (hits: readonly boolean[]) => hits.filter(Boolean).length
