/** The title of a group: normalized like a message, and with something to see. */
import { problem } from '../errors.ts'
import { normalText } from '../messages/body-text.ts'
import type { Kernel } from '../settings.ts'

/** White space and invisible characters. */
const blank = /^[\s\p{Cf}]*$/u

export function normalTitle(kernel: Pick<Kernel, 'settings'>, given: string): string {
  const title = normalText(kernel, given, '/title')
  if (!blank.test(title)) return title
  throw problem('validation_failed', {
    detail: 'The title has no visible character. Write one, or send no title.',
    errors: [{ location: 'body', pointer: '/title', constraint: 'blank' }],
  })
}
