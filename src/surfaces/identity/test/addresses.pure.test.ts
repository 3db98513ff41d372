/** One mailbox has one spelling, and an address that could belong to another person is refused. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEmail } from '../accounts/email.ts'

describe('an address', () => {
  test.for([
    ['  Ann@Example.TEST ', 'ann@example.test'],
    ['Ａ@x.test', 'a@x.test'],
    ['\u212A@x.test', 'k@x.test'],
    ['ann@bücher.test', 'ann@xn--bcher-kva.test'],
    ['ann@xn--bcher-kva.test', 'ann@xn--bcher-kva.test'],
    ['a.b+c@x.test', 'a.b+c@x.test'],
    ['ann@x。test', 'ann@x.test'],
  ])('%s is %s', ([text = '', normalized]) => {
    expect(parseEmail(text)?.normalized).toBe(normalized)
  })

  test.for([
    ['', 'nothing'],
    ['ann', 'no domain'],
    ['@x.test', 'no local part'],
    ['ann@', 'an empty domain'],
    ['a\u0000@x.test', 'a NUL'],
    ['a b@x.test', 'a space'],
    ['"a b"@x.test', 'a quoted local part'],
    ['a@b@x.test', 'two signs'],
    ['a\u202Eb@x.test', 'a turned direction'],
    ['a..b@x.test', 'two dots'],
    [`${'a'.repeat(65)}@x.test`, 'a long local part'],
    [
      `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(20)}`,
      'too long',
    ],
    ['a@x y.test', 'a space in the domain'],
    ['a@-x.test', 'a label that begins with a hyphen'],
  ])('%s is refused: %s', ([text = '']) => {
    expect(parseEmail(text)).toBeNull()
  })

  test('İ keeps its own mailbox: it is neither i nor ı', () => {
    const dotted = parseEmail('İ@x.test')?.normalized
    expect([parseEmail('i@x.test')?.normalized, parseEmail('ı@x.test')?.normalized]).not.toContain(
      dotted,
    )
  })

  test('normalizing again changes nothing, and the stored spelling normalizes to the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.domain(), (local, domain) => {
        const address = parseEmail(`${local}@${domain}`)
        if (!address) return
        expect(parseEmail(address.normalized)?.normalized).toBe(address.normalized)
        expect(parseEmail(address.email)?.normalized).toBe(address.normalized)
        expect(address.normalized).toBe(address.normalized.normalize('NFKC'))
      }),
      { numRuns: 2000 },
    )
  })
})
