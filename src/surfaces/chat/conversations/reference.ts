/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const conversationsReference: Reference['members'] = {
  ...ofNoun('Conversation ChangeConversation', {
    state: 'A `closed` conversation accepts no messages.',
  }),
  ...ofNoun('ConversationMember', {
    user_id: 'The account of the member.',
  }),
  ...ofNoun('Conversation', {
    last_message_at: 'When the last message was written; null if there is none.',
    last_message: 'The last message that the caller may see.',
    member_count: 'How many members it has.',
    members: 'The first twenty members.',
    me: 'The caller as a member.',
  }),
}
