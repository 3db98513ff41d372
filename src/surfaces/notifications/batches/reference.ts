/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const batchesReference: Reference['members'] = {
  ...ofNoun('NotificationBatch NotificationBatchSummary', {
    state: 'Whether recipients are read, messages sent, or the batch has ended.',
  }),
  ...ofNoun('NotificationBatch NotificationBatchSummary', {
    total: 'How many notifications the batch has.',
    duplicates: 'How many recipients were named before.',
    rejected_count: 'How many lines could not be used.',
    completed_at: 'When the last message was finished.',
  }),
  ...ofNoun('NewNotificationBatch', {
    recipients: 'The recipients, each with its own data and language.',
  }),
}
