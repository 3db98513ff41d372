/** Scores one ranking against the relevant items, and calculates the mean over many queries. */
export type Scores = {
  readonly ndcg_at_10: number
  readonly recall_at_10: number
  readonly recall_at_50: number
  readonly mrr: number
}

export function scoreRanking(ranked: readonly string[], relevant: ReadonlySet<string>): Scores {
  const hits = ranked.map(one => relevant.has(one))
  const gain = hits
    .slice(0, 10)
    .reduce((sum, hit, at) => sum + (hit ? 1 / Math.log2(at + 2) : 0), 0)
  const best = Array.from({ length: Math.min(10, relevant.size) }, (_, at) => 1 / Math.log2(at + 2))
  const ideal = best.reduce((sum, one) => sum + one, 0)
  const recall = (k: number) =>
    relevant.size === 0 ? 0 : hits.slice(0, k).filter(Boolean).length / relevant.size
  const first = hits.indexOf(true)
  return {
    ndcg_at_10: ideal === 0 ? 0 : gain / ideal,
    recall_at_10: recall(10),
    recall_at_50: recall(50),
    mrr: first < 0 ? 0 : 1 / (first + 1),
  }
}

export function meanScores(all: readonly Scores[]): Scores {
  const mean = (of: (one: Scores) => number) =>
    all.length === 0 ? 0 : all.reduce((sum, one) => sum + of(one), 0) / all.length
  return {
    ndcg_at_10: mean(one => one.ndcg_at_10),
    recall_at_10: mean(one => one.recall_at_10),
    recall_at_50: mean(one => one.recall_at_50),
    mrr: mean(one => one.mrr),
  }
}
