/** Counts of words are added up; the sum is what the encoder counts of the whole text. */
import fc from 'fast-check'
import { countTokens as ofWhole } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { countTokens } from '../count-tokens.ts'
import { anyText } from './texts.ts'

const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
const spaced = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ' ',
        '  ',
        '\n',
        ' \n ',
        '\t',
        '. ',
        '" ',
        "it's ",
        "'S ",
        '/ ',
        'A ',
        ' 12 ',
      ),
      fc.string({ maxLength: 4 }),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 60 },
  )
  .map(parts => parts.join(''))

test('the tokens of a text are those of its words', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, spaced), text => {
      expect(countTokens(text)).toBe(ofWhole(text, plain))
    }),
    { numRuns: 300 },
  )
  expect(countTokens('<|endoftext|> is text')).toBe(ofWhole('<|endoftext|> is text', plain))
})
