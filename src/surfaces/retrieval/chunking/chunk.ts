/**
 * Cuts canonical text into chunks. A chunk is an exact slice of the text. Its context (title,
 * headings, the header of a table) is searched with it but cannot be quoted. Chunks end at sentence
 * ends, do not cross a heading of level 1 or 2, and repeat the last short sentences of the chunk
 * before.
 */
import { createHash } from 'node:crypto'
import type { Block, Canonical, Heading } from '../extraction/canonical.ts'
import type { Chunk, ChunkOptions, Chunking } from './chunking.ts'
import { offsetsOf } from './code-points.ts'
import { countTokens } from './count-tokens.ts'
import { splitUnits, type Unit } from './split-units.ts'

const context_tokens_max = 64

/** Synchronous, about 1 s for 2,000,000 characters: `Extractors.chunk` runs it in a child process. */
export function chunk(
  { text, title, headings, blocks }: Canonical,
  options: ChunkOptions,
): Chunk[] {
  const { toUnits, toCodePoints } = offsetsOf(text)
  const placed = headings.map(heading => ({ ...heading, start: toUnits(heading.start) }))
  const placedBlocks = blocks.map(block => ({
    ...block,
    start: toUnits(block.start),
    end: toUnits(block.end),
  }))
  const blocksIn = inOrder(placedBlocks)
  const pathAt = headingPaths(placed)
  const limits = { language: options.language, max_tokens: options.chunking.max_tokens }
  const breaks = new Set(placed.map(({ start }) => start))
  const sections = sectionsOf(text, placed).map(section =>
    splitUnits(text, section, blocksIn(section), limits),
  )
  const { min_tokens } = options.chunking
  const joined = breaks.has(0) ? sections : joinOpening(sections, min_tokens)
  const groups = joined.flatMap(units => packUnits(units, breaks, options.chunking))
  return groups
    .flatMap(units => trimmed(text, units) ?? [])
    .map(({ start, end, units }, ordinal) => {
      const context = contextOf(title, pathAt(start), units[0]?.header)
      const slice = text.slice(start, end)
      return {
        ordinal,
        char_start: toCodePoints(start),
        char_end: toCodePoints(end),
        text: slice,
        context,
        token_count: sumOf(units),
        content_hash: createHash('sha256').update(`${context}\0${slice}`).digest('hex'),
      }
    })
}

type Range = { readonly start: number; readonly end: number }

function sectionsOf(text: string, headings: readonly Heading[]) {
  const cuts = headings.filter(({ level, start }) => level <= 2 && start > 0).map(h => h.start)
  return [...cuts, text.length]
    .map((end, at) => ({ start: cuts[at - 1] ?? 0, end }))
    .filter(({ start, end }) => end > start)
}

/** A few words before the first heading (a navigation bar, a date) do not form a chunk. */
function joinOpening(sections: Unit[][], min_tokens: number): Unit[][] {
  const [opening, first, ...rest] = sections
  if (!opening || !first || sumOf(opening) >= min_tokens) return sections
  return [[...opening, ...first], ...rest]
}

function packUnits(
  units: readonly Unit[],
  headings: ReadonlySet<number>,
  { target_tokens, max_tokens, min_tokens, overlap_tokens, overlap_sentences }: Chunking,
): Unit[][] {
  const chunks: Unit[][] = []
  let current: Unit[] = []
  /** The number of units of the current chunk that repeat the previous chunk. */
  let repeated = 0
  const close = (overlap: Unit[]) => {
    chunks.push(current)
    current = overlap
    repeated = overlap.length
  }
  for (const unit of units) {
    const size = sumOf(current)
    const fresh = current.length > repeated
    if (fresh && headings.has(unit.start) && size >= target_tokens / 2) close([])
    else if (fresh && size + unit.tokens > (size < min_tokens ? max_tokens : target_tokens)) {
      const tail = overlapOf(current, overlap_sentences, overlap_tokens)
      close(sumOf(tail) + unit.tokens <= max_tokens ? tail : [])
    }
    current.push(unit)
  }
  if (current.length > repeated) {
    const last = chunks.at(-1)
    const rest = current.slice(repeated)
    if (last && sumOf(rest) < min_tokens && sumOf(last) + sumOf(rest) <= max_tokens) {
      last.push(...rest)
    } else chunks.push(current)
  }
  return chunks
}

/** The last sentences, but never the whole chunk. */
function overlapOf(units: readonly Unit[], sentences: number, tokens: number): Unit[] {
  const tail: Unit[] = []
  for (const unit of units.slice(1).toReversed()) {
    if (tail.length === sentences || unit.kind !== 'sentence') break
    if (sumOf(tail) + unit.tokens > tokens) break
    tail.unshift(unit)
  }
  return tail
}

const sumOf = (units: readonly Unit[]) => units.reduce((sum, { tokens }) => sum + tokens, 0)

/** Trims whitespace; null if nothing remains. */
function trimmed(text: string, units: readonly Unit[]) {
  const from = units[0]?.start ?? 0
  const slice = text.slice(from, units.at(-1)?.end ?? from)
  const start = from + slice.length - slice.trimStart().length
  const end = from + slice.trimEnd().length
  return end > start ? { start, end, units } : null
}

/**
 * A document may have a hundred thousand headings and blocks. So sections and chunks, which come in
 * the order of the text, go through both once.
 */
function inOrder(blocks: readonly Block[]): (section: Range) => Block[] {
  const left = blocks.toSorted((one, other) => other.start - one.start)
  return ({ start, end }) => {
    const inside: Block[] = []
    for (let next = left.at(-1); next && next.start < end; next = left.at(-1)) {
      left.pop()
      if (next.start >= start && next.end <= end) inside.push(next)
    }
    return inside
  }
}

/** The headings above a place. The places are given in ascending order. */
function headingPaths(headings: readonly Heading[]): (start: number) => readonly Heading[] {
  const path: Heading[] = []
  let at = 0
  return start => {
    for (let next = headings[at]; next && next.start <= start; next = headings[++at]) {
      while (path.length > 0 && (path.at(-1)?.level ?? 0) >= next.level) path.pop()
      path.push(next)
    }
    return path
  }
}

function contextOf(
  title: string | null,
  path: readonly Heading[],
  header: string | undefined,
): string {
  const names = [title ?? '', ...path.map(({ text }) => text), header ?? ''].map(name =>
    name.trim(),
  )
  const distinct = names.filter((name, at) => name !== '' && names.indexOf(name) === at)
  return shortened(distinct.join(' > '))
}

function shortened(context: string): string {
  const words = Array.from(context)
    .slice(0, 8 * context_tokens_max)
    .join('')
    .split(' ')
  while (countTokens(words.join(' ')) > context_tokens_max) {
    words.pop()
  }
  return words.join(' ')
}
