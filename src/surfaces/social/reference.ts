/** The explanations of this surface in the published document. */
import type { Reference } from '#dodeca/kernel'
import { graphReference } from './graph/reference.ts'
import { moderationReference } from './moderation/reference.ts'
import { peopleReference } from './people/reference.ts'
import { postsReference } from './posts/reference.ts'
import { reactionsReference } from './reactions/reference.ts'

export const reference: Reference = {
  introduction:
    'Profiles, follows, posts, feeds, likes, comments, blocks and moderation. When the reply to a new post is sent, the post is in the feeds of followers. A block, a mute or a deletion applies from the next read on. `me` in a path is the caller.',
  members: {
    ...postsReference,
    ...peopleReference,
    ...moderationReference,
    ...reactionsReference,
    ...graphReference,
    'path.target_id': ['The id of the other person.'],
    'path.follower_id': ['The id of the person who follows, or asks to.'],
    handle: [
      'The name of an account in addresses and mentions, unique in its tenant.',
      'mara.lindqvist',
    ],
    display_name: ['The name that is shown.', 'Mara Lindqvist'],
    bio: ['A text by the person about themselves.', 'Ceramics and long walks.'],
    privacy_state: ['Who may follow without asking, and see posts and lists.', 'public'],
    profile_version: ['Increases with every change of the profile. The ETag contains it.', 3],
    avatar_file_id: ['A file that was uploaded for `avatar`.'],
    body: ['The text. Line breaks are kept.', 'Fresh out of the kiln!'],
    body_ref: ['The id of the current text. Each edit makes a new one.'],
    visibility: ['`public`, only for `followers`, or `private`: only for the author.', 'public'],
    media: ['Files of the post in their order.'],
    object_id: ['A file that the author uploaded for `post_media`.'],
    position: ['The position of the file, from 0.', 0],
    counts: ['The counts. They may lag for seconds.'],
    viewer: ['The relationship of the caller. It is exact.'],
    likes: ['How many users like it.', 12],
    comments: ['How many comments it has.', 3],
    followers: ['How many accounts follow this account.', 340],
    following: [
      'In `counts`: how many accounts this account follows. In `viewer`: whether the caller follows it.',
      120,
    ],
    'ProfileViewer.following': ['How the caller follows the account.', 'active'],
    posts: ['How many posts the account has.', 58],
    liked: ['Whether the caller likes it.', true],
    following_author: ['Whether the caller follows the author.', true],
    rank_or_time: [
      'The sort key of the feed: the time of the post in microseconds.',
      1_781_430_000_000_000,
    ],
    source_author_id: ['The author of the post.'],
    reason: ['Why it is in the feed.'],
    kind: ['`following`, or `self`: a post of the caller.', 'following'],
    expires_at: ['When the mute ends by itself; null: never.'],
    order: ['The order: oldest first (`asc`) or newest first (`desc`).', 'asc'],
    state: ['The state.'],
    subject_type: ['The kind of content that is reported.', 'post'],
    subject_id: ['The id of the post, comment or user.'],
    subject: ['The reported content as it is now; null after it is deleted.'],
    category: ['The kind of harm.', 'spam'],
    note: ['More information for the moderators.', 'The same advertisement five times.'],
    priority: ['3 is the most urgent.', 2],
    report_count: ['How many people reported it.', 4],
    assigned_to: ['The moderator who works on the case.'],
    resolved_at: ['The time of the last decision.'],
    action: ['The action of the moderator.', 'remove'],
    outcome: ['The decision on an appeal: the action stays (`upheld`) or is reversed.', 'upheld'],
    reason_code: ['The rule that was broken, in one word.', 'advertising'],
    statement: [
      'The reasons, as the affected person or the moderator wrote them.',
      'Advertising is not allowed here.',
    ],
    appeal_statement: ['Why the affected person appeals.'],
    appeal_until: ['The time until which you can appeal; null if you can no longer appeal.'],
    moderation_state: ['Whether moderators removed or suspended it.', 'none'],
  },
}
