/**
 * The errors of chat. A conversation of other people gets the same error as a missing conversation.
 */
import { problemsOf } from '#dodeca/kernel'

export const errors = {
  conversation_not_found: {
    status: 404,
    title: 'There is no such conversation',
    cause: 'No conversation has this id, or you were never a member of it.',
    cure: 'List your conversations with `GET /v1/conversations`.',
  },
  message_not_found: {
    status: 404,
    title: 'There is no such message',
    cause: 'No message of this conversation that you may see has this id.',
    cure: 'List the messages with `GET /v1/conversations/{id}/messages`.',
  },
  member_not_found: {
    status: 404,
    title: 'There is no such member',
    cause: 'The person is not a member of this conversation.',
    cure: 'List the members with `GET /v1/conversations/{id}/members`.',
  },
  device_not_found: {
    status: 404,
    title: 'There is no such device',
    cause: 'You have no device with this id.',
    cure: 'List your devices with `GET /v1/devices`.',
  },
  not_a_member: {
    status: 403,
    title: 'You are not a member any more',
    cause: 'You left the conversation, or were removed from it.',
    cure: 'You may read what was sent until then. Ask an admin of the conversation to add you again.',
  },
  message_not_allowed: {
    status: 403,
    title: 'You may not write to this person',
    cause: 'The person blocks you, or you block the person.',
    cure: 'End your own block, if there is one.',
  },
  conversation_closed: {
    status: 409,
    title: 'The conversation is closed',
    cure: 'An owner or admin may open it again with `PATCH /v1/conversations/{id}`.',
    cause: 'An owner or admin has closed it, so it takes no messages.',
  },
  already_member: {
    status: 409,
    title: 'The person is a member already',
    cause: 'A person was added before, perhaps by another admin.',
    cure: 'Leave out the people whose places are in `errors`.',
  },
  direct_members_fixed: {
    status: 409,
    title: 'The members of a direct conversation do not change',
    cure: 'Create a group for more than two people. To take the conversation out of your list, hide it with `PATCH /v1/conversations/{id}/members/me`.',
    cause: 'A direct conversation belongs to its two people.',
  },
  edit_window_closed: {
    status: 409,
    title: 'The message is too old to be edited',
    cause: 'A message can be edited for a limited time.',
    cure: 'Send a new message.',
  },
  message_deleted: {
    status: 409,
    title: 'The message is deleted',
    cause: 'A deleted message has no text and cannot change.',
    cure: 'Send a new message.',
  },
  too_many_edits: {
    status: 409,
    title: 'The text was changed as often as is allowed',
    cause: 'The number of edits of one message is limited (`CHAT_EDITS_MAX`).',
    cure: 'Send a new message.',
  },
  member_unknown: {
    status: 422,
    title: 'A person cannot be added',
    cause: 'An id does not belong to an active account that you may add.',
    cure: 'Check the ids whose places are in `errors`.',
  },
  group_too_large: {
    status: 422,
    title: 'The group has as many members as it may have',
    cause: 'A conversation has an upper limit of members.',
    cure: 'Remove a member first, or use a second group.',
  },
  sequence_out_of_range: {
    status: 422,
    title: 'The conversation has no such sequence',
    cure: 'Send a sequence from 0 to `latest_sequence`.',
    cause: 'The sequence is larger than that of the newest message.',
  },
  attachment_not_ready: {
    status: 422,
    title: 'An attachment cannot be sent',
    cause: 'It is not yours, not of this conversation, sent already, rejected or not uploaded yet.',
    cure: 'Complete its upload first.',
  },
  reply_target_unknown: {
    status: 422,
    title: 'There is no message with this sequence to reply to',
    cause: 'The message does not exist, or you may not see it.',
    cure: 'Send the `sequence` of a message of this conversation.',
  },
  unsupported_version: {
    status: 400,
    title: 'This version of the envelope is not supported',
    cure: 'Send frames of version 1, or leave `v` out.',
    cause: '`v` of the frame is not 1.',
  },
  unknown_type: {
    status: 400,
    title: 'There is no frame of this type',
    cure: 'See the frames in docs/chat.md.',
    cause: '`type` of the frame is unknown, or only the platform sends it.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'This site may not connect',
    cause: 'The Origin of the page is not one that this platform allows.',
    cure: 'Add the origin of the page to KERNEL_CORS_ORIGINS, or to CHAT_ALLOWED_ORIGINS if it is set.',
  },
} as const

export const problem = problemsOf(errors)
