/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const evaluationsReference: Reference['members'] = {
  ...ofNoun('Evaluating', {
    id: 'The id of the evaluation.',
  }),
}
