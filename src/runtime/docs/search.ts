/**
 * Full-text search over the sections of all pages, in memory: BM25 with English stems. Words in a title
 * count more, a section with more of the words is above one with few of them often, and a page that
 * explains is above one that lists. The index of all pages takes about a megabyte.
 */
import stem from 'wink-porter2-stemmer'
import { empty_words, other_words } from './search-words.ts'
import type { Page } from './site.ts'

/** The parts of a page that the search reads. */
export type Findable = Pick<Page, 'title' | 'name' | 'sections'>

export type Hit = {
  readonly page: string
  readonly name: string
  readonly heading: string
  readonly id: string
  /** The part of the text that matches best, cut at words. */
  readonly excerpt: string
}

type Entry = Omit<Hit, 'excerpt'> & { readonly says: string; readonly length: number }

/**
 * The constants of the BM25 paper: `k1` limits the weight of repeated words, and `b` sets the
 * weight of the length.
 */
const [k1, b] = [1.2, 0.75]
const title_weight = 6
const words_max = 8
const hits_max = 20
const excerpt_length = 180
/** What another word of the same meaning counts. */
const other_weight = 0.8
/** Pages that name everything, and explain nothing or something else than how to use the platform. */
const lists =
  /^(reference\/.*|list-of-tools|benchmarks|changelog|contributing|where-things-are|glossary|compatibility|how-do-i|)$/
const list_weight = 0.6

export type Search = (query: string) => Hit[]

type Postings = Map<string, Map<number, number>>

export async function openSearch(pages: AsyncIterable<Findable>): Promise<Search> {
  const entries: Entry[] = []
  const postings: Postings = new Map()
  for await (const page of pages) {
    for (const { id, text, says } of page.sections) {
      const counts = countsOf(`${page.title} ${text} `, title_weight, countsOf(says, 1))
      const at = entries.length
      const length = [...counts.values()].reduce((sum, one) => sum + one, 0)
      entries.push({ page: page.title, name: page.name, heading: text, id, says, length })
      for (const [word, count] of counts) {
        const of = postings.get(word) ?? new Map<number, number>()
        postings.set(word, of.set(at, count))
      }
    }
  }
  const average = entries.reduce((sum, one) => sum + one.length, 0) / Math.max(1, entries.length)
  return query => {
    const words = askedWords(query)
    const scores = new Map<number, { score: number; met: number }>()
    for (const word of words) {
      for (const [at, score] of scored(word, postings, entries, average)) {
        const before = scores.get(at) ?? { score: 0, met: 0 }
        scores.set(at, { score: before.score + score, met: before.met + 1 })
      }
    }
    const ranked = [...scores].map(([at, { score, met }]) => {
      const weight = lists.test(entries[at]?.name ?? '') ? list_weight : 1
      return [at, (weight * score * met) / words.length] as const
    })
    return ranked
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, hits_max)
      .flatMap(([at]) =>
        entries[at]
          ? [
              hitOf(
                entries[at],
                words.flatMap(({ stems }) => [...stems.keys()]),
              ),
            ]
          : [],
      )
  }
}

/** A word of the query, with those of the same meaning, and what each counts. */
type Asked = { readonly stems: ReadonlyMap<string, number> }

/** Words that say nothing are left out, unless there are no others. */
function askedWords(query: string): Asked[] {
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])]
  const telling = all.filter(word => !empty_words.has(word))
  const words = (telling.length > 0 ? telling : all).slice(0, words_max)
  return words.map(word => {
    const others = (other_words.get(word) ?? []).flatMap(wordsOf)
    const own = wordsOf(word)
    return {
      stems: new Map([
        ...others.map(one => [one, other_weight] as const),
        ...own.map(one => [one, 1] as const),
      ]),
    }
  })
}

/** Of each section the score of the one that counts most: words of one meaning are one word. */
function scored(
  { stems }: Asked,
  postings: Postings,
  entries: readonly Entry[],
  average: number,
): Map<number, number> {
  const scores = new Map<number, number>()
  for (const [word, weight] of stems) {
    const found = matching(postings, word)
    const rarity = Math.log(1 + (entries.length - found.size + 0.5) / (found.size + 0.5))
    for (const [at, count] of found) {
      const norm = k1 * (1 - b + (b * (entries[at]?.length ?? 0)) / average)
      const score = (weight * rarity * count * (k1 + 1)) / (count + norm)
      scores.set(at, Math.max(scores.get(at) ?? 0, score))
    }
  }
  return scores
}

/** Finds the word itself. If no text contains the word, finds words that begin with it. */
function matching(postings: Postings, word: string): Map<number, number> {
  const exact = postings.get(word)
  if (exact || word.length < 3) return exact ?? new Map<number, number>()
  const found = new Map<number, number>()
  for (const [other, entries] of postings) {
    if (!other.startsWith(word)) continue
    for (const [at, count] of entries) found.set(at, (found.get(at) ?? 0) + count)
  }
  return found
}

/** A name such as `alias_taken` can be found as a whole and by its parts. */
function wordsOf(text: string): string[] {
  const whole = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return whole.flatMap(word =>
    word.includes('_') ? [word, ...word.split('_').filter(Boolean).map(stemOf)] : [stemOf(word)],
  )
}

/** The stemmer knows English letters only. */
function stemOf(word: string): string {
  return /^[a-z]+$/.test(word) ? stem(word) : word
}

function countsOf(text: string, weight: number, counts = new Map<string, number>()) {
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + weight)
  return counts
}

function hitOf(entry: Entry, words: readonly string[]): Hit {
  const text = entry.says.replaceAll(/\s+/g, ' ').trim()
  const wanted = new Set(words)
  const match = [...text.matchAll(/[\p{L}\p{N}_]+/gu)].find(([word]) =>
    wordsOf(word).some(one => wanted.has(one)),
  )
  const from = Math.max(0, (match?.index ?? 0) - 60)
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1
  const cut = text.slice(start, start + excerpt_length)
  const whole = start + excerpt_length >= text.length
  const excerpt = whole ? cut : cut.slice(0, Math.max(1, cut.lastIndexOf(' ')))
  const { page, name, heading, id } = entry
  return {
    page,
    name,
    heading,
    id,
    excerpt: `${start > 0 ? '… ' : ''}${excerpt}${whole ? '' : ' …'}`,
  }
}
