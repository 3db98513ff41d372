/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const messagesReference: Reference['members'] = {
  ...ofNoun('Message', {
    conversation_id: 'The conversation in which it was written.',
    sender_id: 'The account that wrote it.',
    attachments: 'The files of the message.',
    edited_at: 'When its text was last changed; null if never.',
    deleted_at: 'When it was deleted. Its place and its number stay.',
  }),
  ...ofNoun('SendMessage', {
    attachment_ids: 'Files that were sent for this conversation before.',
  }),
  ...ofNoun('MessageVersion', {
    edited_at: 'When this text was written.',
  }),
  ...ofNoun('Changes', {
    members: 'Members who came, left or changed.',
  }),
}
