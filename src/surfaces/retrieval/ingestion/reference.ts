/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const ingestionReference: Reference['members'] = {
  ...ofNoun('IngestionStage', {
    name: 'The name of the stage.',
    state: 'How far the stage is.',
    started_at: 'When the stage began.',
  }),
  ...ofNoun('IngestionJob', {
    kind: 'What the job does.',
    collection_id: 'The collection on which it works.',
    document_id: 'The document on which it works; null if on several.',
    job_id: 'The same id, as jobs name it.',
    index_version: 'The version that it builds; null for the active one.',
    state: 'Where the job is in its life, exactly.',
    status: 'The same in fewer words.',
    error_code: 'Why the job failed.',
  }),
  ...ofNoun('IngestionStage', {
    completed_at: 'When the stage ended.',
  }),
  ...ofNoun('IngestionJob', {
    completed_at: 'When the last stage ended.',
  }),
}
