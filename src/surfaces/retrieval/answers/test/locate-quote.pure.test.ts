/** Quotes are found where they stand, and their ranges count code points, whatever the text is made of. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { locateQuote } from '../locate-quote.ts'

const piece = fc.constantFrom(
  'The gate opens. ',
  '👩‍👩‍👧 ',
  'é',
  'e\u0301',
  'ﬁ',
  'İstanbul ',
  'a“quote” – dash ',
  '\n',
  '漢字',
  'x',
)
const texts = fc
  .array(piece, { minLength: 5, maxLength: 40 })
  .map(all => all.join('').normalize('NFC'))

test('what is located is the slice of code points that its range names', () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.integer({ min: 20, max: 60 }), (text, from, length) => {
      const points = Array.from(text)
      const start = from % points.length
      const given = points.slice(start, start + length).join('')
      const located = locateQuote(text, given)
      if (!located) return Array.from(given.trim()).length < 20 || given.normalize('NFC') !== given
      const { range, quote } = located
      expect(points.slice(range.start, range.end).join('')).toBe(quote)
      return quote.trim() === given.trim()
    }),
  )
})

test('differences that models make are bridged, and the text itself is quoted', () => {
  const text = 'She said:\n“The gate — the old one — opens at NINE.”'
  const located = locateQuote(text, '"the gate - the old one - opens at nine."')
  expect(located?.quote).toBe('“The gate — the old one — opens at NINE.”')
})

test.each([
  ['a fragment that is too short', 'The gate opens at nine.', 'gate opens'],
  [
    'words that do not stand there',
    'The gate opens at nine.',
    'The gate opens at ten in the morning.',
  ],
  [
    'two places joined to one',
    'The gate opens. It is green. It is old.',
    'The gate opens. It is old.',
  ],
  ['nothing', 'The gate opens.', '  '],
])('%s is no quote', (_name, text, quote) => {
  expect(locateQuote(text, quote)).toBeNull()
})

test('a short sentence is one', () => {
  expect(locateQuote('Yes. The gate opens.', 'Yes.')?.range).toEqual({ start: 0, end: 4 })
})
