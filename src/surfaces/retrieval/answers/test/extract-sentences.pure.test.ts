/** Sentences of sources that answer a question, exact ones and those about a topic. */
import { expect, test } from 'vitest'
import type { Source } from '../../searches/hydrate.ts'
import { extractSentences } from '../extract-sentences.ts'

const source = (ordinal: number, context: string, text: string, document_id = 'd1'): Source => ({
  chunk_id: `${document_id}-${ordinal}`,
  collection_id: 'c',
  document_id,
  document_version: 1,
  source_kind: 'text',
  title: null,
  source_uri: null,
  page: null,
  page_starts: [],
  ordinal,
  context,
  text,
  content_hash: Buffer.alloc(32),
  metadata: {},
})
const refunds = [
  source(1, 'Handbook > Refunds', 'A voucher is never paid in cash. Ask the desk.'),
  source(
    0,
    'Handbook > Refunds',
    'Refunds\n\nMoney comes back within fourteen days. The parcel has to arrive first. A third one.',
  ),
  source(2, 'Handbook > Hours', 'The shop opens at nine.'),
]
const texts = (query: string, sources = refunds) =>
  extractSentences(query, sources).map(one => one.text)

test('a question about a topic is answered by the beginning of its section', () => {
  const lead = ['Money comes back within fourteen days.', 'The parcel has to arrive first.']
  for (const query of ['What about refunds?', 'Tell me about refunds', 'Please explain refunds.']) {
    expect(texts(query), query).toEqual(lead)
  }
  for (const { quotes } of extractSentences('refunds', refunds)) {
    for (const { source: from, quote, range } of quotes) {
      expect(Array.from(from.text).slice(range.start, range.end).join('')).toBe(quote)
    }
  }
})

test('a question with words that no heading and no sentence has is not answered', () => {
  expect(texts('Tell me about refunds of wine')).toEqual([])
  expect(texts('Tell me more, please')).toEqual([])
  expect(texts('What about the?')).toEqual([])
})

test('a sentence that has the words answers before the beginning of a section', () => {
  expect(texts('When does the shop open?')).toEqual(['The shop opens at nine.'])
  expect(texts('Is a voucher paid in cash?')).toEqual(['A voucher is never paid in cash.'])
})
