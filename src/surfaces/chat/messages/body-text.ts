/**
 * Checks texts: they are normalized to NFC and contain no control characters except line feeds and
 * tabs.
 */
import type { Kernel } from '../settings.ts'
import { problem } from '../errors.ts'
import { limit } from '#dodeca/kernel'

const code_points_max = limit(
  'chat.message_characters',
  8000,
  'characters',
  'Longest text of a message',
)
// oxlint-disable-next-line no-control-regex -- these are the characters that are refused
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

export function normalText(
  { settings }: Pick<Kernel, 'settings'>,
  given: string,
  pointer = '/body',
): string {
  const text = given.normalize('NFC')
  const refuse = (constraint: string, detail: string) =>
    problem('validation_failed', {
      detail,
      errors: [{ location: 'body', pointer, constraint }],
    })
  if (control.test(text) || !text.isWellFormed()) {
    throw refuse(
      'characters',
      'The text has a control character. Only line feeds and tabs may be sent.',
    )
  }
  if (text.length > code_points_max && Array.from(text).length > code_points_max) {
    throw refuse('maxLength', `The text has more than ${code_points_max} characters.`)
  }
  const bytes_max = settings['chat.body_bytes']
  if (Buffer.byteLength(text) > bytes_max) {
    throw refuse('maxBytes', `The text has more than ${bytes_max} bytes.`)
  }
  return text
}
