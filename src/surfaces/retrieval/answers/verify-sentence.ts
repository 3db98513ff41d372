/**
 * Accepts a sentence of a model only if it is supported: each quote must occur in the block that it
 * names, at least one quote must remain, and every number of the sentence must occur in a quote.
 * Images, and links that no cited chunk contains, are removed, because they could leak text of
 * other documents. So are characters that cannot be stored or that hide what a text is.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { normalizeLine } from '../extraction/normalize.ts'
import type { Source } from '../searches/hydrate.ts'
import { locateQuote } from './locate-quote.ts'
import type { Quote, Sentence } from './pieces.ts'

const Said = Type.Object({
  text: Type.String(),
  citations: Type.Array(Type.Object({ label: Type.String(), quote: Type.String() })),
})
type Said = Static<typeof Said>

const citations_max = 8
const text_max = 4000

/** Null if the sentence is not supported. */
export function verifySentence(
  value: unknown,
  blocks: ReadonlyMap<string, Source>,
): Sentence | null {
  if (!Value.Check(Said, value) || value.text.length > text_max) return null
  const quotes = quotesOf(value, blocks)
  if (quotes.length === 0) return null
  const text = withoutLinks(normalizeLine(value.text), quotes)
  const quoted = quotes.map(one => one.quote).join(' ')
  if (text === '' || !hasNumbers(quoted, text)) return null
  return { text, quotes }
}

function quotesOf({ citations }: Said, blocks: ReadonlyMap<string, Source>): Quote[] {
  return citations.slice(0, citations_max).flatMap(({ label, quote }) => {
    const source = blocks.get(label)
    const located = source && locateQuote(source.text, quote)
    return located ? [{ source, ...located }] : []
  })
}

function withoutLinks(text: string, quotes: readonly Quote[]): string {
  const cited = (url: string) => quotes.some(({ source }) => source.text.includes(url))
  return text
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\[([^\]]*)\]\(([^)\s]*)[^)]*\)/g, (_all, label: string, url: string) =>
      cited(url) ? `${label} (${url})` : label,
    )
    .replaceAll(/\b(?:[a-z][a-z0-9+.-]*:\/\/|www\.)[^\s)\]"'<>]+/gi, found => {
      const url = found.replace(/[.,;:!?]+$/, '')
      return cited(url) ? found : ''
    })
    .replaceAll(bare_host, found => (cited(found.replace(/[.,;:!?]+$/, '')) ? found : ''))
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * A name such as `example.com`, which many programs show as a link, with what follows it. Browsers
 * read other dots like the usual one.
 */
const bare_host =
  /(?:[^\s()<>"'@/]{1,64}@)?(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]+[.\u3002\uff0e\uff61])+\p{L}{2,}(?![\p{L}\p{N}-])(?:[/?#:][^\s)\]"'<>]*)?/gu

/** `1,000` and `1000` are the same number, and so are those in the digits of other scripts. */
function hasNumbers(quoted: string, text: string): boolean {
  const numbers = (from: string) =>
    (inLatinDigits(from).match(/\d+(?:[.,:]\d+)*/g) ?? []).map(one => one.replaceAll(',', ''))
  const known = new Set(numbers(quoted))
  return numbers(text).every(one => known.has(one))
}

/** The ten digits of each script follow one another, and the one before a zero is no digit. */
function inLatinDigits(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Nd}/gu, digit => {
    const code = digit.codePointAt(0) ?? 0
    let value = 0
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
    return String(value)
  })
}
