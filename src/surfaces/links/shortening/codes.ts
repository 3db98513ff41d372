/**
 * Decides which codes a link may have. Random codes use 49 symbols without vowels or look-alikes,
 * so that no code is a word or is misread (8 symbols are 44.9 bits). Aliases consist of lower-case
 * letters, digits, `-` and `_`. An alias with capital letters is changed to lower case, and the
 * reply shows the change. Any other wrong input is refused.
 */
import { customAlphabet } from 'nanoid'
import type { ReservedWords } from '#dodeca/kernel'
import { problem } from '../errors.ts'

const alphabet = '23456789bcdfghjkmnpqrstvwxyzBCDFGHJKLMNPQRSTVWXYZ'

export const newCode: (length: number) => string = customAlphabet(alphabet)

const alias = /^[A-Za-z0-9][A-Za-z0-9_-]{1,62}[A-Za-z0-9]$/

export function aliasOf(given: string, reserved: ReservedWords, pointer: string): string {
  // Checked before the change to lower case, because the Kelvin sign, for example, would become a
  // k.
  if (!alias.test(given)) {
    throw problem('alias_invalid', {
      errors: [{ location: 'body', pointer, constraint: 'alias' }],
      detail:
        '3 to 64 letters of English, digits, - and _, beginning and ending with a letter or digit.',
    })
  }
  const code = given.toLowerCase()
  if (reserved.has(code)) {
    throw problem('alias_reserved', {
      errors: [{ location: 'body', pointer, constraint: 'reserved' }],
      detail: 'The platform needs this word, or one that reads like it; take another.',
    })
  }
  return code
}

/**
 * The codes that a look-up tries: first the given code, then the code in lower case, like aliases.
 */
export function spellings(code: string): string[] {
  return /[A-Z]/.test(code) ? [code, code.toLowerCase()] : [code]
}
