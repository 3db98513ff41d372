/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const postsReference: Reference['members'] = {
  ...ofNoun('Comment Post', {
    author_id: 'The account that wrote it.',
    deleted_at: 'When it was deleted.',
    author: 'The profile of the author.',
  }),
  ...ofNoun('Comment', {
    post_id: 'The post that it is about.',
  }),
  ...ofNoun('Post', {
    edited_at: 'When its text was last changed; null if never.',
  }),
  ...ofNoun('FeedItem', {
    post_id: 'The post.',
    post: 'The post as it is now.',
  }),
  ...ofNoun('PostVersion', {
    edited_at: 'When this text was written.',
  }),
  ...ofNoun('Author', {
    id: 'The account of the author.',
  }),
}
