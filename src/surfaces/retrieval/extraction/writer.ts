/**
 * Builds canonical text block by block, with the positions of headings, pages and blocks in code
 * points.
 */
import type { Block, Canonical, Heading } from './canonical.ts'
import { ExtractionFailed } from './extract.ts'
import { codePointLength, normalizeLine, normalizeText } from './normalize.ts'

export type Writer = {
  paragraph(text: string): void
  /** Keeps its line breaks. */
  text(text: string): void
  heading(level: number, text: string): void
  code(text: string): void
  /** The first row is the header. */
  table(rows: readonly (readonly string[])[]): void
  page(page: number): void
  finish(title: string | null): Canonical
}

const separator = '\n\n'
const heading_characters_max = 300
const title_characters_max = 300

export function openWriter(characters_max: number): Writer {
  const parts: string[] = []
  const headings: Heading[] = []
  const blocks: Block[] = []
  const pages: { page: number; start: number }[] = []
  let length = 0
  const nextStart = () => length + (parts.length > 0 ? separator.length : 0)
  const add = (text: string): { start: number; end: number } | null => {
    if (text === '') return null
    const start = nextStart()
    length = start + codePointLength(text)
    if (length > characters_max) throw new ExtractionFailed('extraction_resource_limit')
    parts.push(text)
    return { start, end: length }
  }
  return {
    paragraph: text => void add(normalizeLine(text)),
    text: text => void add(normalizeText(text)),
    heading: (level, text) => {
      const line = normalizeLine(text)
      const place = add(line)
      if (!place) return
      const short = Array.from(line).slice(0, heading_characters_max).join('')
      headings.push({ level: Math.min(6, Math.max(1, level)), start: place.start, text: short })
    },
    code: text => {
      const place = add(normalizeText(text.replaceAll('\t', '    ')))
      if (place) blocks.push({ kind: 'code', ...place })
    },
    table: rows => {
      const lines = rows
        .map(row => row.map(normalizeLine).join(' | ').trim())
        .filter(line => /[^\s|]/.test(line))
      const place = add(lines.join('\n'))
      if (place) blocks.push({ kind: 'table', ...place, header: lines[0] ?? '' })
    },
    page: page => void pages.push({ page, start: nextStart() }),
    finish: title => {
      const line = normalizeLine(title ?? headings[0]?.text ?? '')
      const short = Array.from(line).slice(0, title_characters_max).join('')
      return {
        text: parts.join(separator),
        title: short === '' ? null : short,
        // Pages without text at the end begin where the text ends.
        pages: pages.map(({ page, start }) => ({ page, start: Math.min(start, length) })),
        headings,
        blocks,
      }
    },
  }
}
