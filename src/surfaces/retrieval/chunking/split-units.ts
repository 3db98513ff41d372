/**
 * Splits canonical text into units for chunks: sentences, and code blocks and tables that fit
 * whole. A unit never exceeds the maximum tokens of a chunk. Offsets are UTF-16 units, and the
 * units of a section follow each other without a gap.
 */
import type { Block } from '../extraction/canonical.ts'
import { countTokens } from './count-tokens.ts'

export type Unit = {
  readonly start: number
  readonly end: number
  readonly tokens: number
  readonly kind: 'sentence' | 'code' | 'table'
  /** The header of its table, for each unit except the one that contains the header. */
  readonly header?: string
}

/** Longer pieces are halved before they are counted. */
const counted_characters_max = 2000
/**
 * The tokenizer takes the square of the length of a run of letters, or of signs. 500,000 Hangul
 * without a space took 7 s. No sentence of a language has such a run.
 */
const run_characters_max = 500
const runs = /[\p{L}\p{M}]+|[^\s\p{L}\p{N}]+/gu
const paragraph_characters_max = 20_000
const segmenters = new Map<string, Intl.Segmenter>()

export function splitUnits(
  text: string,
  section: { readonly start: number; readonly end: number },
  blocks: readonly Block[],
  options: { readonly language: string; readonly max_tokens: number },
): Unit[] {
  const units: Unit[] = []
  let at = section.start
  for (const block of blocks) {
    units.push(...splitProse(text, at, block.start, options))
    units.push(...splitBlock(text, block, options.max_tokens))
    at = block.end
  }
  units.push(...splitProse(text, at, section.end, options))
  return units
}

function splitProse(
  text: string,
  start: number,
  end: number,
  { language, max_tokens }: { readonly language: string; readonly max_tokens: number },
): Unit[] {
  const segmenter = segmenterOf(language)
  return partsOf(text.slice(start, end), /\n\n+/g, start).flatMap(paragraph =>
    windowsOf(text, paragraph).flatMap(window => {
      // The time for a whole text would grow with the square of its length.
      const segments = segmenter.segment(text.slice(window.start, window.end))
      return [...segments].flatMap(({ index, segment }) => {
        const sentence = { start: window.start + index, end: window.start + index + segment.length }
        return fitting(text, sentence, max_tokens, 'sentence')
      })
    }),
  )
}

function splitBlock(text: string, block: Block, max_tokens: number): Unit[] {
  const { kind, header } = block
  const whole = fitting(text, block, max_tokens, kind)
  if (whole.length <= 1) return whole
  return partsOf(text.slice(block.start, block.end), /\n/g, block.start).flatMap((line, at) =>
    fitting(text, line, max_tokens, kind).map(unit =>
      header === undefined || at === 0 ? unit : { ...unit, header },
    ),
  )
}

type Range = { readonly start: number; readonly end: number }

/** Cuts after each match. The match stays with the part before it. */
function partsOf(text: string, separator: RegExp, offset: number): Range[] {
  const ends = [...text.matchAll(separator)].map(match => match.index + match[0].length)
  const cuts = [0, ...ends.filter(end => end < text.length), text.length]
  return cuts
    .slice(1)
    .map((end, at) => ({ start: offset + (cuts[at] ?? 0), end: offset + end }))
    .filter(({ start, end }) => end > start)
}

function windowsOf(text: string, range: Range): Range[] {
  if (range.end - range.start <= paragraph_characters_max) return [range]
  return halves(text, range).flatMap(half => windowsOf(text, half))
}

function fitting(text: string, range: Range, max_tokens: number, kind: Unit['kind']): Unit[] {
  const { start, end } = range
  const piece = end - start <= counted_characters_max ? text.slice(start, end) : null
  if (piece !== null && !hasLongRun(piece)) {
    const tokens = countTokens(piece)
    if (tokens <= max_tokens || end - start <= 1) return [{ start, end, tokens, kind }]
  }
  return halves(text, range).flatMap(half => fitting(text, half, max_tokens, kind))
}

function hasLongRun(piece: string): boolean {
  if (piece.length <= run_characters_max) return false
  return piece.match(runs)?.some(run => run.length > run_characters_max) ?? false
}

/** Cuts at the last whitespace before the middle; otherwise between two characters. */
function halves(text: string, { start, end }: Range): Range[] {
  const middle = start + Math.floor((end - start) / 2)
  // In a text without spaces, a search beyond the range would go back to the beginning of the text.
  const half = text.slice(start, middle + 1)
  const space = Math.max(half.lastIndexOf(' '), half.lastIndexOf('\n')) + 1
  const cut = space > 0 ? start + space : betweenCharacters(text, middle, start, end)
  return [
    { start, end: cut },
    { start: cut, end },
  ]
}

/** Cuts between graphemes, so that letters keep their marks and emoji their parts. */
function betweenCharacters(text: string, middle: number, start: number, end: number): number {
  const from = Math.max(start, middle - 200)
  const around = text.slice(from, Math.min(end, middle + 200))
  const grapheme = graphemes.segment(around).containing(middle - from)
  const before = from + (grapheme?.index ?? 0)
  if (grapheme && before > start && grapheme.segment.length < 200) return before
  // A grapheme with hundreds of marks is cut between two code points.
  return isLow(text, middle) && middle - 1 > start
    ? middle - 1
    : middle + Number(isLow(text, middle))
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

function segmenterOf(language: string): Intl.Segmenter {
  const known = segmenters.get(language)
  if (known) return known
  const made = new Intl.Segmenter(language, { granularity: 'sentence' })
  segmenters.set(language, made)
  return made
}
