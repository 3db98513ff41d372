/** The checks of HTML read each character a few times at most, and find what plain expressions find. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { faultOf } from '../check-html.ts'

/** The rules as plain expressions, whose time grows with the square of the text. */
const plain = [
  ['no_script', /<\s*(script|iframe|object|embed|base|meta\s+http-equiv)\b/i],
  ['no_event_handler', /<[^>]*\son[a-z]+\s*=/i],
  ['quoted_attribute', /<[^>]*=\s*\{\{/],
  ['safe_url', /\b(href|src)\s*=\s*["']\s*\{\{(?![^}]*\|\s*safe_url\s*\}\})/i],
] as const

const words =
  '< > / = " \' {{ }} } | a on href SRC onclick script meta http-equiv <script safe_url %'.split(
    ' ',
  )
const piece = fc.constantFrom(' ', '\n', ' onclick', 'href="{{', '| safe_url }}', ...words)

test('find what plain expressions find', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
      const html = pieces.join('')
      const expected = plain.find(([, found]) => found.test(html))?.[0] ?? null
      expect(faultOf(html)?.constraint ?? null).toBe(expected)
    }),
    { numRuns: 5000 },
  )
})

test.each(['<', '<=', '< on', "href='{{ a ", "src='{{", '| ', '| safe_url', '<a =  '])(
  'a quarter of a million characters of %j are checked',
  part => {
    const html = part.repeat(250_000 / part.length)
    expect(faultOf(`${html}>`)?.constraint ?? null).toBe(
      faultOf(`${part.repeat(20)}>`)?.constraint ?? null,
    )
  },
)
