/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const ingestionReference: Reference['members'] = {
  ...ofNoun('IngestionStage', {
    completed_at: 'When the stage ended.',
  }),
  ...ofNoun('IngestionJob', {
    completed_at: 'When the last stage ended.',
  }),
}
