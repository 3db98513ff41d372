/** Normalizing takes linear time, whatever the text. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeText } from '../normalize.ts'

test('spaces at the ends of lines are removed, as by a plain expression', () => {
  const piece = fc.constantFrom(' ', '\t', '\n', '\u00a0', '\u2003', 'a', 'é', '\u200b')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
      const text = pieces.join('')
      const plain = text
        .replaceAll('\u200b', '')
        .replaceAll(/[^\S\n]+\n/g, '\n')
        .replaceAll(/\n{3,}/g, '\n\n')
        .trim()
      expect(normalizeText(text)).toBe(plain)
    }),
    { numRuns: 2000 },
  )
})

test('a million spaces between two words are normalized', () => {
  const spaces = ' '.repeat(1_000_000)
  expect(normalizeText(`a${spaces}b`)).toBe(`a${spaces}b`)
  expect(normalizeText(`a${spaces}\nb`)).toBe('a\nb')
})
