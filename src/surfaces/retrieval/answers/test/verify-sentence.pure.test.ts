/** What of a model's words becomes a sentence of an answer. */
import { expect, test } from 'vitest'
import type { Source } from '../../searches/hydrate.ts'
import { verifySentence } from '../verify-sentence.ts'

const text =
  'The fee is 1,000 francs from 3 May on. See https://example.com/fees for the list of fees.'
const source = { chunk_id: 'one', text } as Source
const blocks = new Map([['k1', source]])
const quote = 'The fee is 1,000 francs from 3 May on.'
const said = (sentence: string, label = 'k1') =>
  verifySentence({ text: sentence, citations: [{ label, quote }] }, blocks)?.text

test.each([
  ['numbers of its quote', 'It costs 1000 francs.', 'It costs 1000 francs.'],
  ['another number', 'It costs 2,000 francs.', undefined],
  [
    'a link of the source',
    'See https://example.com/fees for it.',
    'See https://example.com/fees for it.',
  ],
  [
    'a link of the source at the end',
    'The list is at https://example.com/fees.',
    'The list is at https://example.com/fees.',
  ],
  ['a longer link', 'The list is at https://example.com/fees?d=1.', 'The list is at'],
  ['a hidden link', 'See ht\u200btps://evil.test/x for it.', 'See for it.'],
  ['another number in wide digits', 'It costs \uff12\uff10\uff10\uff10 francs.', undefined],
  ['another number in Arabic digits', 'It costs \u0662\u0660\u0660\u0660 francs.', undefined],
  [
    'its number in Arabic digits',
    'It costs \u0661\u0660\u0660\u0660 francs.',
    'It costs \u0661\u0660\u0660\u0660 francs.',
  ],
  ['another number in letters of mathematics', 'It costs \u{1d7da}\u{1d7d8} francs.', undefined],
  ['a bare host', 'Pay at evil.test/pay?to=1 now.', 'Pay at now.'],
  ['a bare host with another dot', 'Pay at evil\u3002test now.', 'Pay at now.'],
  ['an address', 'Write to pay@evil.test.', 'Write to .'],
  ['a host of the source', 'See example.com/fees for it.', 'See example.com/fees for it.'],
  [
    'abbreviations',
    'The fee, e.g. of 3 May, is due at 3 p.m.',
    'The fee, e.g. of 3 May, is due at 3 p.m.',
  ],
  ['what cannot be stored', 'It\u0000 costs \u202emoney\ud800.\n', 'It costs money\ufffd.'],
  ['another link', 'See https://evil.test/x for it.', 'See for it.'],
  ['a link with a label', 'See [here](https://evil.test/x) for it.', 'See here for it.'],
  ['an image', 'It costs ![x](https://evil.test/x) money.', 'It costs money.'],
])('%s', (_name, sentence, kept) => {
  expect(said(sentence)).toBe(kept)
})

test('a label that was not sent supports nothing', () => {
  expect(said('It costs money.', 'k2')).toBeUndefined()
})

test('other shapes are no sentences', () => {
  for (const value of [null, 'text', { text: 'It costs.' }, { text: 1, citations: [] }]) {
    expect(verifySentence(value, blocks)).toBeNull()
  }
})
