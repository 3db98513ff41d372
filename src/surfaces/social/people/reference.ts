/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const peopleReference: Reference['members'] = {
  ...ofNoun('Profile', {
    id: 'The account to which the profile belongs.',
    'viewer.followed_by': 'Whether this person follows the caller.',
    'viewer.blocking': 'Whether the caller blocks this person.',
    'viewer.muting': 'Whether the caller has muted this person.',
  }),
}
