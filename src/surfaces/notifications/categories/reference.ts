/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const categoriesReference: Reference['members'] = {
  ...ofNoun('NotificationCategory', {
    name: 'The name of the category, which notifications and preferences use.',
    built_in: 'Whether it is of the platform.',
  }),
}
