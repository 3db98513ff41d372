/**
 * The errors of chat. A conversation of other people gets the same error as a missing conversation.
 */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  conversation_not_found: {
    status: 404,
    title: 'There is no such conversation',
    cause: 'No conversation has this id, or you were never a member of it.',
    cure: 'List your conversations with `GET /v1/conversations`.',
  },
  message_not_found: { status: 404, title: 'There is no such message' },
  member_not_found: { status: 404, title: 'There is no such member' },
  device_not_found: { status: 404, title: 'There is no such device' },
  not_a_member: {
    status: 403,
    title: 'You are not a member any more',
    cause: 'You left the conversation, or were removed from it.',
    cure: 'You may read what was sent until then. Ask an admin of the conversation to add you again.',
  },
  message_not_allowed: { status: 403, title: 'You may not write to this person' },
  conversation_closed: {
    status: 409,
    title: 'The conversation is closed',
    cure: 'An owner or admin may open it again with `PATCH /v1/conversations/{id}`.',
  },
  already_member: { status: 409, title: 'The person is a member already' },
  direct_members_fixed: {
    status: 409,
    title: 'The members of a direct conversation do not change',
    cure: 'Create a group for more than two people.',
  },
  edit_window_closed: { status: 409, title: 'The message is too old to be edited' },
  message_deleted: { status: 409, title: 'The message is deleted' },
  too_many_edits: { status: 409, title: 'The message was edited as often as is allowed' },
  member_unknown: {
    status: 422,
    title: 'A person cannot be added',
    cause: 'An id does not belong to an active account that you may add.',
    cure: 'Check the ids.',
  },
  group_too_large: { status: 422, title: 'The group has as many members as it may have' },
  sequence_out_of_range: {
    status: 422,
    title: 'The conversation has no such sequence',
    cure: 'Send a sequence from 0 to `latest_sequence`.',
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
  },
  unsupported_version: {
    status: 400,
    title: 'This version of the envelope is not supported',
    cure: 'Send frames of version 1, or leave `v` out.',
  },
  unknown_type: {
    status: 400,
    title: 'There is no frame of this type',
    cure: 'See the frames in docs/chat.md.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'This site may not connect',
    cause: 'The Origin of the page is not one that this platform allows.',
    cure: 'Serve the page from an origin in CHAT_ALLOWED_ORIGINS.',
  },
} as const

export const problem = problemsOf(errors)
