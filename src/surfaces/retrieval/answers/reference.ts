/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const answersReference: Reference['members'] = {
  ...ofNoun('Answer', {
    state: '`redacted` is an answer whose sources the reader may not read any more.',
    error_code: 'Why there is no answer.',
    text: 'The answer, made of quotes; null until it is complete.',
  }),
}
