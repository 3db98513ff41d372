/**
 * Answers with sentences of the sources themselves, so that each sentence is its own quote. The
 * score of a sentence is its share of the question's words. Words of its headings count less, and
 * so do lines of programs and tables. If even the best sentence has too few words, a section may
 * answer with its beginning ("Tell me about refunds"). The headings of that section must contain
 * all words of the question. Otherwise there is no answer.
 */
import { offsetsOf } from '../chunking/code-points.ts'
import { isStopWord, stemOf, wordsOf } from '../embedding/words.ts'
import type { Source } from '../searches/hydrate.ts'
import type { Sentence } from './pieces.ts'

const sentences_max = 5
/** The minimum share of the question's words: for the best sentence, and for further ones. */
const share_best = 0.5
const share_more = 0.45
/** Further sentences must have a score close to the best one. */
const near_best = 0.8
const heading_weight = 0.75
const rank_bonus = 0.1
/** A line of a program or table, or another question, is used only if no sentence answers. */
const not_prose = 0.6
/** Two sentences with this share of common words count as equal. */
const same_share = 0.7
const length_max = 600
/** The number of sentences that form the beginning of a section. */
const lead_max = 2
/** Question words. They do not describe the subject of a question. */
const asking = new Set(
  'about any describe do does explain give help information know like list me more need overview please read show some summarize summary tell topic understand us want would'
    .split(' ')
    .map(stemOf),
)

type Candidate = {
  readonly source: Source
  readonly rank: number
  readonly start: number
  readonly end: number
  readonly text: string
  readonly terms: ReadonlySet<string>
  readonly headings: ReadonlySet<string>
}
type Scored = Candidate & { readonly score: number; readonly share: number }

export function extractSentences(query: string, sources: readonly Source[]): Sentence[] {
  const terms = termsOf(query)
  const subject = new Set([...terms].filter(term => !asking.has(term)))
  const asked = subject.size > 0 ? subject : terms
  if (asked.size === 0) return []
  const candidates = sources.flatMap(sentencesOf)
  const scored = candidates
    .map(one => ({ ...one, ...scoreOf(one, asked) }))
    .toSorted((a, b) => b.score - a.score || a.rank - b.rank || a.start - b.start)
  const [best] = scored
  if (!best || best.share < share_best) return leadOf(candidates, asked).map(asQuoted)
  const chosen: Scored[] = []
  for (const one of scored) {
    if (chosen.length === sentences_max) break
    if (one.share < share_more || one.score < best.score * near_best) break
    if (!chosen.some(other => areSame(one, other))) chosen.push(one)
  }
  return chosen.toSorted((a, b) => a.rank - b.rank || a.start - b.start).map(asQuoted)
}

function asQuoted({ source, start, end, text }: Candidate): Sentence {
  return { text, quotes: [{ source, quote: text, range: { start, end } }] }
}

/** The first sentences below headings that contain all words, from the best-ranked document. */
function leadOf(candidates: readonly Candidate[], asked: ReadonlySet<string>): Candidate[] {
  const below = candidates.filter(({ headings }) => [...asked].every(term => headings.has(term)))
  const document_id = below[0]?.source.document_id
  const [first] = below
    .filter(({ source }) => source.document_id === document_id)
    .toSorted((a, b) => a.source.ordinal - b.source.ordinal)
  return below.filter(one => one.source === first?.source && isProse(one.text)).slice(0, lead_max)
}

function termsOf(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .filter(word => !isStopWord(word))
      .map(stemOf),
  )
}

function sentencesOf(source: Source, rank: number): Candidate[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })
  const { toCodePoints } = offsetsOf(source.text)
  const headings = termsOf(source.context)
  // A line break ends a sentence too: lists and headings have no full stops.
  return [...source.text.matchAll(/[^\n]+/g)].flatMap(line =>
    [...segmenter.segment(line[0])].flatMap(({ segment, index }) => {
      const text = segment.trim()
      if (text === '' || text.length > length_max) return []
      const from = line.index + index + segment.indexOf(text)
      const terms = termsOf(text)
      // A heading repeats the question and does not answer it.
      if (!/[.!:?]["')]?$/.test(text) && [...terms].every(term => headings.has(term))) return []
      const start = toCodePoints(from)
      const end = toCodePoints(from + text.length)
      return [{ source, rank, start, end, text, terms, headings }]
    }),
  )
}

function scoreOf({ terms, headings, rank, text }: Candidate, asked: ReadonlySet<string>) {
  const all = [...asked]
  const own = all.filter(term => terms.has(term)).length
  const above = all.filter(term => !terms.has(term) && headings.has(term)).length
  // A sentence that contains none of the words is not an answer, whatever its headings are.
  const share =
    own === 0 ? 0 : ((own + above * heading_weight) / asked.size) * (isProse(text) ? 1 : not_prose)
  return { share, score: share + rank_bonus / (rank + 1) }
}

function isProse(text: string): boolean {
  return (
    /^["'(`\p{L}\p{N}]/u.test(text) &&
    /[.!:)"'`]$/.test(text) &&
    !/ \| |[$\\;]|[{}] |=>|&&/.test(text)
  )
}

function areSame(one: Candidate, other: Candidate): boolean {
  const common = [...one.terms].filter(term => other.terms.has(term)).length
  const all = one.terms.size + other.terms.size - common
  return all > 0 && common / all >= same_share
}
