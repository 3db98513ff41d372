/** The explanations of this surface in the published document. */
import type { Reference } from '#dodeca/kernel'
import { attachmentsReference } from './attachments/reference.ts'
import { conversationsReference } from './conversations/reference.ts'
import { devicesReference } from './devices/reference.ts'
import { messagesReference } from './messages/reference.ts'
import { realtimeReference } from './realtime/reference.ts'

export const reference: Reference = {
  introduction:
    'Direct and group conversations: ordered durable messages, real-time delivery over a WebSocket, offline sync, edits, receipts, typing, presence, attachments and devices. Each message has a sequence number in its conversation, without gaps and in commit order. Each change of a conversation has a revision. A device that was offline fetches all changes after the last revision that it has.',
  members: {
    ...attachmentsReference,
    ...messagesReference,
    ...conversationsReference,
    ...devicesReference,
    ...realtimeReference,
    'path.device_id': ['The id of the device.'],
    type: ['Two people, or a group.'],
    member_ids: ['The other members.', ['0198c2f0-6d5e-7cc3-98a1-3f2f7a6b1c01']],
    user_ids: ['The people to add.', ['0198c2f0-6d5e-7cc3-98a1-3f2f7a6b1c01']],
    title: ['The name of a group.', 'Weekend in the mountains'],
    state: ['Whether messages may be sent.'],
    role: ['What the member may do: the owner changes roles, admins change the group.'],
    sequence: ['The number of the message in its conversation: 1, 2, 3 and so on.', 42],
    latest_sequence: ['The sequence of the latest message.', 42],
    revision: ['The number of the latest change: a message, an edit, a member.', 57],
    body: [
      'The text, up to 8000 characters in NFC; null after it is deleted.',
      'See you at eight.',
    ],
    'SendMessage.body': [
      'The text. It is required if the message has no attachments.',
      'See you at eight.',
    ],
    reply_to_sequence: ['The message that is answered.', 41],
    client_request_id: [
      'The key of the request that sent it; shown to its sender only.',
      'a-key-of-the-sender-0001',
    ],
    last_read_sequence: ['The last message that the person has read.', 40],
    through_sequence: ['The last message that was read.', 42],
    joined_sequence: ['The person sees only messages after this sequence.', 0],
    left_sequence: ['The last message that the person sees; null while they are a member.'],
    unread_count: ['How many messages come after the last one that was read.', 2],
    muted_until: ['The time until which no push messages are sent; null if they are sent.'],
    hidden: ['Whether the conversation is left out of your list until the next message.'],
    before: ['Messages with a lower sequence, newest first.', 42],
    after: [
      'Messages with a higher sequence, oldest first; for changes, those after this revision.',
      42,
    ],
    next_before: ['Send it as `before` for the next page; null at the end.', 22],
    next_after: ['Send it as `after` for the next page; null at the end.', 62],
    filename: ['The name that readers see.', 'route.gpx'],
    claimed_type: ['The media type, as the sender knows it.', 'application/gpx+xml'],
    expected_size: ['The size of the file in bytes.', 48_213],
    platform: ['The kind of device.'],
    push_token: [
      'The token of the push service; it is not shown again.',
      'fcm-token-of-this-device',
    ],
    push_token_ref: ['The fingerprint of the push token.'],
    device_id: ['The device for which the socket is opened.'],
    version: ['Increases with each edit.', 1],
  },
}
