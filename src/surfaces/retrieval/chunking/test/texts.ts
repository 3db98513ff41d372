/** Texts with what breaks offsets: emoji, joiners, marks, ligatures, line ends, characters to remove. */
import fc from 'fast-check'
import type { Canonical } from '../../extraction/canonical.ts'
import { default_limits } from '../../extraction/extract.ts'
import { readText } from '../../extraction/read-text.ts'

const pieces = [
  'The index is rebuilt. ',
  'Does it wait? ',
  '👩‍👩‍👧‍👦 ',
  '🏳️‍🌈',
  '🇩🇪',
  'e\u0301',
  'a\u0323\u0302',
  'ﬁle ',
  'co\u00adoperate ',
  '\r\n',
  '\n\n',
  'مرحبا ',
  '数据库。',
  '𝕏',
  '\ufeff',
  '\u202e',
  '\ud800',
  'Supercalifragilistic'.repeat(40),
  ' x'.repeat(60),
]

export const anyText = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 12 })), {
    maxLength: 400,
  })
  .map(parts => parts.join(''))

export function canonicalOf(text: string): Canonical {
  return readText(Buffer.from(text.toWellFormed()), default_limits)
}
