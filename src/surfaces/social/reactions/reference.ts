/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const reactionsReference: Reference['members'] = {
  ...ofNoun('ListedLike Like', {
    post_id: 'The post that is liked.',
    user_id: 'The account that likes it.',
  }),
  ...ofNoun('ListedLike', {
    user: 'The profile of the person.',
  }),
}
