/** The names and descriptions of this surface for the published document. */
import type { Reference } from '#dodeca/kernel'

export const reference: Reference = {
  introduction:
    'Bookmarks of one person: an address on the web with a title and tags. A bookmark that was not changed for some time is marked as stale.',
  members: {
    url: ['The address, with `http` or `https`.', 'https://www.example.com/recipes'],
    title: ['The title that the owner gave the bookmark.', 'Recipes'],
    tags: ['Words by which the owner sorts bookmarks.', ['cooking']],
    stale: ['Whether the bookmark was not changed for some time.', false],
  },
}
