/**
 * The errors of social. Content that is hidden by a block, a privacy setting or moderation gets the
 * same error as content that does not exist.
 */
import { problemsOf } from '#dodeca/kernel'

export const errors = {
  post_not_found: {
    status: 404,
    title: 'There is no such post',
    cause: 'No post that you may see has this id: it may be deleted, or only for other people.',
    cure: 'Find the id in `GET /v1/feed` or in the posts of its author.',
  },
  comment_not_found: {
    status: 404,
    title: 'There is no such comment',
    cause: 'No comment that you may see has this id.',
    cure: 'Find the id with `GET /v1/posts/{post_id}/comments`.',
  },
  user_not_found: {
    status: 404,
    title: 'There is no such user',
    cause: 'No person of your tenant that you may see has this id.',
    cure: 'Use the id of an account of your tenant.',
  },
  follow_request_not_found: {
    status: 404,
    title: 'There is no such follow request',
    cause: 'This person has not asked to follow you, or the request was answered.',
    cure: 'List the requests with `GET /v1/users/me/follow-requests`.',
  },
  moderation_case_not_found: {
    status: 404,
    title: 'There is no such case',
    cause: 'No case that you may see has this id.',
    cure: 'Find the id with `GET /v1/moderation/cases`.',
  },
  account_private: {
    status: 403,
    title: 'The account is private',
    cause: 'Only accepted followers see the posts and lists of this account.',
    cure: 'Ask to follow it with `PUT /v1/users/{user_id}/following/{target_id}`.',
  },
  account_suspended: {
    status: 403,
    title: 'The account is suspended',
    cause: 'Moderators have suspended your account, so you can read but not act.',
    cure: 'Read the decision with `GET /v1/moderation/decisions/me`, and appeal it.',
  },
  blocked_by_you: {
    status: 409,
    title: 'You block this user',
    cause: 'You cannot follow or answer a person whom you block.',
    cure: 'End the block first.',
  },
  follow_limit_reached: {
    status: 429,
    title: 'You follow as many accounts as you may',
    cause:
      'An account follows a limited number of others (`SOCIAL_FOLLOWS`), and has a limited number of requests that wait.',
    cure: 'Unfollow an account, or wait until requests are answered.',
  },
  handle_taken: {
    status: 409,
    title: 'The handle is taken',
    cause: 'Handles are unique in a tenant, and a handle of an erased account stays taken.',
    cure: 'Choose another handle.',
  },
  too_many_edits: {
    status: 409,
    title: 'The text was changed as often as is allowed',
    cause: 'A post keeps all its versions, so their number is limited (`SOCIAL_EDITS_PER_POST`).',
    cure: 'Write a new post.',
  },
  same_reviewer: {
    status: 409,
    title: 'Somebody else must decide the appeal',
    cause: 'An appeal is decided by another person than the one who took the decision.',
    cure: 'Ask another moderator to decide it.',
  },
  already_appealed: {
    status: 409,
    title: 'The decision was appealed before',
    cause: 'A decision can be appealed once.',
    cure: 'Wait for the decision, or read it with `GET /v1/moderation/decisions/me`.',
  },
  appeal_window_closed: {
    status: 409,
    title: 'The time to appeal is over',
    cause: 'A decision can be appealed for a limited time (`SOCIAL_APPEAL_DAYS`).',
    cure: 'Write to the operator of the platform.',
  },
  media_not_available: {
    status: 422,
    title: 'A file is not available',
    cause:
      'A file does not exist, is not yours, has not passed its checks, or has another purpose.',
    cure: 'Upload the file for a post, and wait until it is `available`.',
  },
  cannot_follow_self: {
    status: 422,
    title: 'You cannot follow yourself',
    cause: 'The two ids in the path are the same.',
    cure: 'Send the id of another person.',
  },
  cannot_block_self: {
    status: 422,
    title: 'You cannot block or mute yourself',
    cause: 'The id in the path is your own.',
    cure: 'Send the id of another person.',
  },
} as const

export const problem = problemsOf(errors)
