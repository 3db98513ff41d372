/**
 * One index, searched by words and by vector behind one prefilter, and both lists joined by rank
 * (reciprocal rank fusion): raw scores are not comparable, and tell about chunks of others.
 */
import type { Deps } from '../deps.ts'
import { ProfileUnavailable, type EmbeddingProfile } from '../embedding/profile.ts'
import type { IndexHit, IndexQuery, Prefilter } from '../engines/index.ts'

export type RankedList<T> = { readonly items: readonly T[]; readonly weight: number }

const rrf_k = 60
/** Of a profile that finds no meanings, beside the words with weight 1. */
const lexical_weight = 0.5

/** How one index is asked; a search may read the name of its table again. */
export type Ask = (query: IndexQuery) => Promise<IndexHit[]>

export async function rankedLists(
  ask: Ask,
  profile: EmbeddingProfile | undefined,
  query: string,
  { k, prefilter }: { readonly k: number; readonly prefilter: Prefilter },
): Promise<{ lists: RankedList<IndexHit>[]; degraded: boolean }> {
  const vector = profile && (await queryVector(profile, query))
  const [by_words, by_vector = []] = await Promise.all([
    ask({ text: query, k, prefilter }),
    vector && ask({ vector, k, prefilter }),
  ])
  const weight = profile?.semantic === true ? 1 : lexical_weight
  const lists = [
    { items: by_words, weight: 1 },
    { items: by_vector, weight },
  ]
  return { lists, degraded: vector === undefined }
}

/** Undefined where the profile cannot be used now; another one never takes its place. */
export async function queryVector(
  profile: Deps['profiles']['all'][number],
  query: string,
): Promise<Float32Array | undefined> {
  try {
    const [vector] = await profile.embed([query], 'query')
    return vector
  } catch (error) {
    if (!(error instanceof ProfileUnavailable)) throw error
    return undefined
  }
}

/** Equal scores by key, so that two searches give one order. */
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
