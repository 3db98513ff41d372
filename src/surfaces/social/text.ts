/**
 * Text that people write: in NFC, without control characters, with limits in bytes and in visible
 * characters.
 */
import { problem } from './errors.ts'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Every control character except line feed and tab. */
const control = /[^\P{Cc}\n\t]/u
/** White space and invisible characters. */
const blank = /^[\s\p{Cf}]*$/u

export type TextLimits = { readonly graphemes: number; readonly bytes: number }

/** Returns the text as it is stored; empty if it has no visible character. */
export function cleanText(given: string, member: string, { graphemes, bytes }: TextLimits): string {
  const text = given.normalize('NFC')
  if (control.test(text)) {
    throw refused(member, 'characters', `\`${member}\` has a control character. Remove it.`)
  }
  if (blank.test(text)) return ''
  if (Buffer.byteLength(text) > bytes || countGraphemes(text, graphemes) > graphemes) {
    throw refused(
      member,
      'length',
      `\`${member}\` may have at most ${graphemes} characters and ${bytes} bytes. Shorten it.`,
    )
  }
  return text
}

export function requireText(given: string, member: string, limits: TextLimits): string {
  const text = cleanText(given, member, limits)
  if (text === '') throw refused(member, 'empty', `\`${member}\` shows nothing. Write something.`)
  return text
}

function countGraphemes(text: string, most: number): number {
  // A text cannot have more graphemes than code units.
  if (text.length <= most) return text.length
  const segments = segmenter.segment(text)[Symbol.iterator]()
  let found = 0
  while (found <= most && !segments.next().done) found++
  return found
}

function refused(member: string, constraint: string, detail: string) {
  const errors = [{ location: 'body', pointer: `/${member}`, constraint } as const]
  return problem('validation_failed', { detail, errors })
}
