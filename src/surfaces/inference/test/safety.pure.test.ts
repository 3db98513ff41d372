/** The scanner of streamed outputs, the pinned prompts, and the count of tokens. */
import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countTokens } from '../operations/tokens.ts'
import { prompts } from '../prompts/prompts.ts'
import { decideOn, openPolicy } from '../safety/policy.ts'
import { OutputScanner } from '../safety/scanner.ts'

const policy = openPolicy({
  settings: { 'inference.blocklist': ['forbidden fruit', 'bad', 'badly'] },
} as unknown as Parameters<typeof openPolicy>[0])

function scan(pieces: readonly string[]) {
  const scanner = new OutputScanner(policy)
  let text = ''
  for (const piece of pieces) {
    const { text: passed, blocked } = scanner.push(piece)
    text += passed
    if (blocked) return { text, blocked, decided: scanner.decided }
  }
  const { text: rest, blocked } = scanner.end()
  return { text: text + rest, blocked, decided: scanner.decided }
}

describe('the scanner', () => {
  test('says the same of a text however it is cut', () => {
    const part = fc.constantFrom(
      'forbidden fruit',
      'forbidden ',
      'fruit',
      'bad',
      'badly',
      'badge',
      ' ',
      'sk-',
      'abcdefghij0123456789',
      'AKIA',
      'ABCDEFGHIJKLMNOP',
      '4111 1111 1111 1111',
      '4111',
      '1234567890123',
      '-',
      '🦊',
      '\ud83e',
      'ghp_',
      'word',
      '\u200b',
      'b\u200ba\u00add',
      'ｂａｄ',
      '\u0301',
      '\ud835\udc1b\ud835\udc1a\ud835\udc1d',
    )
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 12 }),
        fc.array(fc.nat(80), { maxLength: 20 }),
        (parts, cuts) => {
          const text = parts.join('')
          const places = [...new Set(cuts)].filter(at => at < text.length).sort((a, b) => a - b)
          const pieces = [0, ...places].map((from, at) => text.slice(from, places[at]))
          expect(scan(pieces)).toEqual(scan([text]))
        },
      ),
      { numRuns: 3000 },
    )
  })

  test.each([
    ['zero-width characters', 'b\u200ba\u200dd'],
    ['a soft hyphen', 'ba\u00add'],
    ['full-width letters', 'ｂａｄ'],
    ['letters of mathematics', '\ud835\udc1b\ud835\udc1a\ud835\udc1d'],
    ['half of a surrogate pair', 'b\ud83ead'],
    ['a byte order mark', 'B\ufeffAD'],
  ])('blocks a word that is written with %s, in inputs and outputs', (_how, word) => {
    const text = `this is ${word}, is it not`
    expect(scan(Array.from(text))).toMatchObject({ text: 'this is ', blocked: true })
    expect(decideOn(policy, 'input', text)).toEqual([{ category: 'blocklist', decision: 'block' }])
    expect(scan([`x${word}`]).blocked).toBe(false)
  })

  test('leaves no place behind at which the next text would be searched', () => {
    scan(['something forbidden fruit'])
    expect(decideOn(policy, 'input', 'forbidden fruit')).toEqual([
      { category: 'blocklist', decision: 'block' },
    ])
  })

  test('holds no ordinary text back', () => {
    const scanner = new OutputScanner(policy)
    expect(scanner.push('The weather is fine today.').text).toBe('The weather is fine today.')
  })

  test('redacts a card number with a valid check digit, and no other number', () => {
    expect(scan(['card 4111 1111 1111 1111.']).text).toBe('card [redacted].')
    expect(scan(['order 4111 1111 1111 1112.']).text).toBe('order 4111 1111 1111 1112.')
  })
})

test('a version of a server prompt never changes', () => {
  const pinned = Object.entries(prompts).map(([name, text]) => [
    name,
    hash('sha256', text).slice(0, 12),
  ])
  expect(Object.fromEntries(pinned)).toMatchInlineSnapshot(`
    {
      "cited_answer@1": "43a07eaa4e01",
      "none@1": "e3b0c44298fc",
      "plain@1": "81b57af2c638",
      "report@1": "baa2ef245822",
    }
  `)
})

test('other work runs while a long text without spaces is counted', async () => {
  let turns = 0
  let counting = true
  const turn = () => {
    turns++
    if (counting) setImmediate(turn)
  }
  setImmediate(turn)
  const tokens = await countTokens('x'.repeat(200_000))
  counting = false
  expect(tokens).toBeGreaterThan(1000)
  expect(turns).toBeGreaterThan(10)
})

test.each([
  ['an address', 'write to sam@example.com', true],
  ['an address after a line', `${'-'.repeat(100)}sam@example.com`, true],
  ['an address after another letter', 'ésam@example.com', true],
  ['no address', 'sam@example, @example.com, and sam.example.com', false],
])('%s is found in a text', (_what, text, found) => {
  const decided = found ? [{ category: 'pii_email', decision: 'flag' }] : []
  expect(decideOn(policy, 'input', text)).toEqual(decided)
})
