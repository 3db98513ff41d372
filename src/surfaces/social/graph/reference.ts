/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const graphReference: Reference['members'] = {
  ...ofNoun('ListedFollow Follow', {
    state: 'A `pending` follow waits for the yes of a private account.',
  }),
  ...ofNoun('ListedBlock ListedFollow ListedMute', {
    user: 'The profile of the other person.',
  }),
  ...ofNoun('ListedBlock Block', {
    blocker_id: 'The account that blocks.',
    blocked_id: 'The account that is blocked.',
  }),
  ...ofNoun('ListedFollow Follow', {
    follower_id: 'The account that follows.',
    followed_id: 'The account that is followed.',
  }),
  ...ofNoun('ListedMute Mute', {
    muter_id: 'The account that has muted.',
    muted_id: 'The account that is muted.',
  }),
}
