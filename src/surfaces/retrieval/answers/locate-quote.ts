/**
 * Finds a quote in the text of a chunk and returns its position in code points. It accepts typical
 * changes of models (white space, kinds of quotation marks and dashes, upper case). The result is
 * cut from the text itself, so a reader never sees the model's version.
 */
import { offsetsOf, sliceCodePoints } from '../chunking/code-points.ts'
import { codePointLength } from '../extraction/normalize.ts'
import type { Range } from './schemas.ts'

/** A shorter quote has to be a whole sentence. */
const quote_length_min = 20

const same: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '«': '"',
  '»': '"',
  '–': '-',
  '—': '-',
  '‑': '-',
}

export type Located = { readonly range: Range; readonly quote: string }

export function locateQuote(text: string, given: string): Located | null {
  const quote = given.normalize('NFC').trim()
  if (quote === '') return null
  const range = exactRange(text, quote) ?? looseRange(text, quote)
  if (!range) return null
  if (codePointLength(quote) < quote_length_min && !isSentence(text, range)) return null
  return { range, quote: sliceCodePoints(text, range.start, range.end) }
}

function exactRange(text: string, quote: string): Range | null {
  const at = text.indexOf(quote)
  if (at < 0) return null
  const { toCodePoints } = offsetsOf(text)
  return { start: toCodePoints(at), end: toCodePoints(at + quote.length) }
}

function looseRange(text: string, quote: string): Range | null {
  const loose = loosened(text)
  const wanted = loosened(quote).text.trim()
  const at = wanted === '' ? -1 : loose.text.indexOf(wanted)
  if (at < 0) return null
  const start = loose.places[at] ?? 0
  const end = (loose.places[at + wanted.length - 1] ?? 0) + 1
  return { start, end }
}

/** Each unit of the result, with the code point that it came from. */
function loosened(text: string): { text: string; places: number[] } {
  const places: number[] = []
  let result = ''
  let place = 0
  for (const character of text) {
    const plain = /\s/.test(character) ? ' ' : (same[character] ?? character.toLowerCase())
    if (plain !== ' ' || !result.endsWith(' ')) {
      result += plain
      // An upper-case letter may have a lower-case form of several units.
      for (const _ of plain.split('')) places.push(place)
    }
    place++
  }
  return { text: result, places }
}

function isSentence(text: string, { start, end }: Range): boolean {
  const before = sliceCodePoints(text, 0, start).trimEnd()
  const after = sliceCodePoints(text, end, codePointLength(text))
  const quote = sliceCodePoints(text, start, end)
  const begins = before === '' || /[.!?:]$/.test(before) || text.includes(`\n${quote}`)
  return begins && (/[.!?]$/.test(quote) || after.trim() === '' || after.startsWith('\n'))
}
