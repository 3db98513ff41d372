/**
 * Searches one index by words and by vector with one prefilter, and joins both lists. Several
 * indexes are joined by rank (reciprocal rank fusion), because their scores are not comparable.
 */
import { ProfileUnavailable, type EmbeddingProfile, type Payer } from '../embedding/profile.ts'
import type { IndexHit, IndexQuery, Prefilter } from '../engines/index.ts'
import { joinHits } from '../engines/join-hits.ts'

export type RankedList<T> = { readonly items: readonly T[]; readonly weight: number }

const rrf_k = 60

/** Queries one index. A search may read the name of its table again. */
export type Ask = (query: IndexQuery) => Promise<IndexHit[]>

export async function rankedLists(
  ask: Ask,
  profile: EmbeddingProfile | undefined,
  { query, vector }: { readonly query: string; readonly vector: Float32Array | undefined },
  { k, prefilter }: { readonly k: number; readonly prefilter: Prefilter },
): Promise<RankedList<IndexHit>[]> {
  const [by_words, by_vector = []] = await Promise.all([
    ask({ text: query, k, prefilter }),
    vector && ask({ vector, k, prefilter }),
  ])
  const semantic = profile?.semantic === true
  return [{ items: joinHits(by_words, by_vector, { semantic }), weight: 1 }]
}

/** Undefined if the profile cannot be used now. No other profile may replace it. */
export async function queryVector(
  profile: EmbeddingProfile,
  query: string,
  payer: Payer,
): Promise<Float32Array | undefined> {
  try {
    const [vector] = await profile.embed([query], 'query', payer)
    return vector
  } catch (error) {
    if (!(error instanceof ProfileUnavailable)) throw error
    return undefined
  }
}

/** Equal scores are ordered by key, so that repeated searches return the same order. */
export function fuse<T>(lists: readonly RankedList<T>[], keyOf: (item: T) => string): string[] {
  const scores = new Map<string, number>()
  for (const { items, weight } of lists) {
    items.forEach((item, rank) => {
      const key = keyOf(item)
      scores.set(key, (scores.get(key) ?? 0) + weight / (rrf_k + rank + 1))
    })
  }
  return [...scores]
    .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .map(([key]) => key)
}
