/** Patterns from outside: they mean what the language says, and their work is counted. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../pattern.ts'
import { Refused, TooMuchWork, Work } from '../work.ts'

const atoms = fc.constantFrom(
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\S',
  '[ab]',
  '[^a]',
  '[a-c1]',
  '\\u{1F600}',
  '😀',
  '\\x61',
  '\\p{L}',
  '\\P{Lu}',
  '[\\p{N}_-]',
  '\\/',
  '\\.',
  '[[]',
  '[\\]]',
  '\\ud83d\\ude00',
  '\\cJ',
  '\\0',
  '[^]',
  '[]',
  '^',
  '$',
  '\\b',
  '\\B',
  '\\\\',
  '\\t',
  '-',
  ' ',
)
const pattern = fc.letrec<{ node: string; many: string; one: string }>(tie => ({
  node: fc.oneof({ maxDepth: 4 }, tie('one'), tie('many')),
  one: atoms,
  many: fc.oneof(
    fc.array(tie('node'), { maxLength: 4 }).map(of => of.join('')),
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map(of => `(?:${of.join('|')})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0}', '{2,}', '*?'))
      .map(([of, times]) => `(${of})${times}`),
  ),
})).node
const texts = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    'c',
    '1',
    ' ',
    '\n',
    '-',
    '_',
    'É',
    '😀',
    '/',
    '\\',
    '.',
    '[',
    ']',
    '\u2028',
  ),
  maxLength: 12,
})

/**
 * What the specification of the language says: tried at each code point. V8's own search also looks between
 * the two halves of one, where it finds a `\B`.
 */
function occurs(source: string, text: string): boolean {
  const oracle = new RegExp(source, 'uy')
  for (let at = 0; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    oracle.lastIndex = at
    if (oracle.test(text)) return true
  }
  return false
}

test('means what the language means', () => {
  fc.assert(
    fc.property(pattern, fc.array(texts, { minLength: 1, maxLength: 5 }), (source, given) => {
      const own = compilePattern(source)
      for (const text of given)
        expect([source, text, own.test(text)]).toEqual([source, text, occurs(source, text)])
    }),
    { numRuns: 3000, endOnFailure: true },
  )
})

test.each([
  ['a back reference', '(a)\\1', 'refer back'],
  ['a named back reference', '(?<a>x)\\k<a>', 'refer back'],
  ['look-ahead', 'a(?=b)', 'Look-ahead'],
  ['look-behind', '(?<!a)b', 'Look-ahead'],
  ['flags inside', '(?i:a)', 'Look-ahead'],
  ['no pattern', '(a', 'not valid'],
  ['counts that multiply', '((a{100}){100}){100}', 'too large'],
  ['a count of nothing', '(?:){999999999}', 'too large'],
  ['a count without end', 'a{999999999}', 'too large'],
  ['a long one', 'a'.repeat(1001), 'at most 1000'],
])('%s is refused with a sentence', (_name, source, sentence) => {
  expect(() => compilePattern(source)).toThrow(Refused)
  expect(() => compilePattern(source)).toThrow(sentence)
})

describe('what explodes elsewhere', () => {
  const text = `${'a'.repeat(2000)}!`
  test.each([
    '^(a|a)*$',
    '^(a+)+$',
    '^(a*)*b$',
    '(.*a){20}b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
  ])('%s takes steps in proportion to the text', source => {
    const pattern = compilePattern(source)
    const steps = (length: number) => {
      const work = new Work(10_000_000)
      expect(pattern.test(text.slice(-length), work)).toBe(false)
      return 10_000_000 - work.steps_left
    }
    const [short, long] = [steps(1001), steps(2001)]
    expect(long / short).toBeLessThan(2.1)
  })

  test('ends at its limit, whatever it is', () => {
    const pattern = compilePattern('(?:[ab]?){500}[^x]{400}$')
    expect(() => pattern.test('ab'.repeat(10_000))).toThrow(TooMuchWork)
  })
})
