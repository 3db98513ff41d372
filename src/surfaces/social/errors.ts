/**
 * The errors of social. Content that is hidden by a block, a privacy setting or moderation gets the
 * same error as content that does not exist.
 */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  post_not_found: { status: 404, title: 'There is no such post' },
  comment_not_found: { status: 404, title: 'There is no such comment' },
  user_not_found: { status: 404, title: 'There is no such user' },
  follow_request_not_found: { status: 404, title: 'There is no such follow request' },
  moderation_case_not_found: { status: 404, title: 'There is no such case' },
  account_private: { status: 403, title: 'The account is private' },
  account_suspended: { status: 403, title: 'The account is suspended' },
  blocked_by_you: { status: 409, title: 'You block this user' },
  follow_limit_reached: { status: 409, title: 'You follow as many accounts as you may' },
  handle_taken: { status: 409, title: 'The handle is taken' },
  too_many_edits: { status: 409, title: 'The post was changed as often as it may be' },
  same_reviewer: { status: 409, title: 'Somebody else must decide the appeal' },
  already_appealed: { status: 409, title: 'The decision was appealed before' },
  appeal_window_closed: { status: 409, title: 'The time to appeal is over' },
  media_not_available: { status: 422, title: 'A file is not available' },
  cannot_follow_self: { status: 422, title: 'Nobody follows themselves' },
  cannot_block_self: { status: 422, title: 'Nobody blocks or mutes themselves' },
} as const

export const problem = problemsOf(errors)
