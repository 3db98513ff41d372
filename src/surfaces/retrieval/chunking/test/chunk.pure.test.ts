/** Chunks are exact slices, cover the text, and keep to sentences, headings, tables and code. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { default_limits } from '../../extraction/extract.ts'
import { readHtml } from '../../extraction/read-html.ts'
import { readMarkdown } from '../../extraction/read-markdown.ts'
import { chunk } from '../chunk.ts'
import { default_chunking, type Chunking } from '../chunking.ts'
import { sliceCodePoints } from '../code-points.ts'
import { anyText, canonicalOf } from './texts.ts'

const small: Chunking = {
  target_tokens: 32,
  max_tokens: 64,
  min_tokens: 8,
  overlap_tokens: 12,
  overlap_sentences: 2,
}
const english = (chunking: Chunking) => ({ language: 'en', chunking })
const markdown = (text: string) => readMarkdown(Buffer.from(text), default_limits)
/** One after another in an order that repeats after thousands. */
const syllable = (n: number) => String.fromCodePoint(0xac00 + ((n * 7919) % 11_172))
const sentence = (n: number) => `Sentence number ${n} says that writers wait for locks. `

describe('chunks of any text', () => {
  test('are slices between two code points, within the most tokens, and lose no character', () => {
    fc.assert(
      fc.property(anyText, text => {
        const canonical = canonicalOf(text)
        const points = Array.from(canonical.text)
        const covered = new Set<number>()
        const chunks = chunk(canonical, english(small))
        for (const [
          at,
          { ordinal, char_start, char_end, text: slice, token_count },
        ] of chunks.entries()) {
          expect(ordinal).toBe(at)
          expect(slice).toBe(points.slice(char_start, char_end).join(''))
          expect(sliceCodePoints(canonical.text, char_start, char_end)).toBe(slice)
          expect(slice).toBe(slice.trim().toWellFormed())
          expect(token_count).toBeLessThanOrEqual(small.max_tokens)
          for (let place = char_start; place < char_end; place++) covered.add(place)
        }
        const lost = points.filter((point, at) => point.trim() !== '' && !covered.has(at))
        expect(lost).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('are the same for the same text, with the same hashes', () => {
    const canonical = canonicalOf(Array.from({ length: 80 }, (_, n) => sentence(n)).join(''))
    const chunks = chunk(canonical, english(small))
    expect(chunk(canonical, english(small))).toEqual(chunks)
    expect(new Set(chunks.map(({ content_hash }) => content_hash)).size).toBe(chunks.length)
  })

  test.for([
    ['signs', 'aB3$'.repeat(50_000)],
    ['Hangul', Array.from({ length: 500_000 }, (_, n) => syllable(n)).join('')],
  ] as const)('end soon for a text without a space, of %s', ([, text]) => {
    const chunks = chunk(canonicalOf(text), english(default_chunking))
    expect(chunks.map(one => one.text).join('')).toHaveLength(text.length)
  })

  test('end soon for a text of many headings and tables', () => {
    const text = '# a\n\n| k |\n|---|\n| 1 |\n\n'.repeat(10_000)
    const chunks = chunk(markdown(text), english(default_chunking))
    expect(chunks).toHaveLength(10_000)
    expect(chunks.at(-1)).toMatchObject({ text: 'a\n\nk\n1', context: 'a' })
  })
})

describe('a chunk', () => {
  test('ends at the end of a sentence and repeats short last sentences of the one before', () => {
    const text = Array.from({ length: 40 }, (_, n) => sentence(n)).join('')
    const chunks = chunk(canonicalOf(text), english(small))
    expect(chunks.length).toBeGreaterThan(5)
    for (const [at, { text: slice }] of chunks.entries()) {
      expect(slice).toMatch(/^Sentence number .*locks\.$/s)
      const next = chunks[at + 1]
      const [first = ''] = next?.text.match(/number \d+/) ?? []
      expect(slice).toContain(first)
    }
  })

  test('does not cross a heading of level 1 or 2, and knows its headings', () => {
    const paragraph = Array.from({ length: 3 }, (_, n) => sentence(n)).join('')
    const chunks = chunk(
      markdown(`# Locks\n\n${paragraph}\n\n## Waiting\n\n${paragraph}\n\n### Limits\n\nTen.`),
      english(default_chunking),
    )
    expect(chunks.map(({ context }) => context)).toEqual(['Locks', 'Locks > Waiting'])
    expect(chunks[0]?.text).not.toContain('Waiting')
    expect(chunks[1]?.text).toMatch(/^Waiting\n\n/)
    expect(chunks[1]?.text).toContain('Limits\n\nTen.')
  })

  test('keeps a code block that fits as a whole', () => {
    const code = Array.from({ length: 6 }, (_, n) => `call(${n});`).join('\n')
    const before = Array.from({ length: 4 }, (_, n) => sentence(n)).join('')
    const chunks = chunk(markdown(`${before}\n\n\`\`\`\n${code}\n\`\`\`\n`), english(small))
    expect(chunks.filter(({ text }) => text.includes('call(0);'))).toHaveLength(1)
    expect(chunks.find(({ text }) => text.includes('call(0);'))?.text).toContain(code)
  })

  test('of a long table has the header as context', () => {
    const rows = Array.from(
      { length: 60 },
      (_, n) => `<tr><td>setting_${n}</td><td>${n} s</td></tr>`,
    )
    const html = `<table><tr><th>Name</th><th>Value</th></tr>${rows.join('')}</table>`
    const chunks = chunk(readHtml(Buffer.from(html), default_limits), english(small))
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks[0]?.text).toMatch(/^Name \| Value\nsetting_0 \| 0 s/)
    for (const { context } of chunks.slice(1)) expect(context).toBe('Name | Value')
  })
})
