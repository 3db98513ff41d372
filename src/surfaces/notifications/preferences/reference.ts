/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const preferencesReference: Reference['members'] = {
  ...ofNoun('NotificationPreferences', {
    user_id: 'The account whose preferences they are.',
    'preferences.user_id': 'The account whose preference it is.',
    updated_at: 'When the set was last replaced; null if never.',
  }),
}
