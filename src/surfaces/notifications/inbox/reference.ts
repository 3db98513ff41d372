/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const inboxReference: Reference['members'] = {
  ...ofNoun('InboxItem', {
    url: 'Where the item leads; null if nowhere.',
  }),
  ...ofNoun('InboxItem', {
    title: 'The rendered title.',
    body: 'The rendered text.',
    read_at: 'When the person read it; null if it is unread.',
    archived_at: 'When the person put it away; null if it is in the list.',
  }),
  ...ofNoun('ReadAllInboxItemsReply', {
    read: 'How many items are read now that were not before.',
  }),
  ...ofNoun('ReadAllInboxItemsReply CountUnreadInboxItemsReply', {
    unread_count: 'How many items are unread.',
  }),
  ...ofNoun('ChangeInboxItem', {
    read: 'Whether the item is read.',
    archived: 'Whether the item is put away.',
  }),
}
