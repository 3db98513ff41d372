/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { setting, type KernelOf, type SettingTable } from '#dodeca/kernel'

// prettier-ignore
export const settings = {
  'social.body_graphemes': setting.count(2000, 'characters', 'Longest post, in characters as a reader counts them', 1, 10_000),
  'social.body_bytes': setting.count(10_000, 'bytes', 'Longest post, in bytes of UTF-8', 1, 40_000),
  'social.comment_graphemes': setting.count(1000, 'characters', 'Longest comment, in characters as a reader counts them', 1, 5000),
  'social.comment_bytes': setting.count(5000, 'bytes', 'Longest comment, in bytes of UTF-8', 1, 20_000),
  'social.follows': setting.count(7500, 'follows', 'Accounts that one account follows', 1, 100_000),
  'social.follow_requests': setting.count(500, 'requests', 'Follow requests of one account that wait for an answer', 1, 100_000),
  'social.blocks': setting.count(10_000, 'blocks', 'Accounts that one account blocks; the same number counts for mutes', 1, 100_000),
  'social.edits_per_post': setting.count(50, 'edits', 'How often the text of a post may be changed', 0, 1000),
  'social.posts_per_5_minutes': setting.count(60, 'posts', 'Posts of one account in five minutes', 1, 1e6),
  'social.posts_per_day': setting.count(500, 'posts', 'Posts of one account in a day', 1, 1e6),
  'social.follows_per_minute': setting.count(60, 'follows', 'Follows of one account in a minute', 1, 1e6),
  'social.follows_per_day': setting.count(400, 'follows', 'Follows of one account in a day', 1, 1e6),
  'social.likes_per_5_minutes': setting.count(300, 'likes', 'Likes of one account in five minutes', 1, 1e6),
  'social.comments_per_5_minutes': setting.count(100, 'comments', 'Comments of one account in five minutes', 1, 1e6),
  'social.reports_per_hour': setting.count(30, 'reports', 'Reports of one account in an hour', 1, 1e6),
  'social.pull_units_per_minute': setting.count(60, 'units', 'Feed pages that are collected from scratch, for one reader; a page costs one unit for each 500 accounts that the reader follows', 1, 1e6),
  'social.push_max_followers': setting.count(5000, 'followers', 'An author with more followers is read instead of pushed', 0, 1e6),
  'social.fanout_chunk': setting.count(1000, 'followers', 'Followers whose feeds get a post in one commit', 1, 10_000),
  'social.feed_keep': setting.count(800, 'entries', 'Entries of a feed that are kept ready; older pages are collected from the posts', 20, 10_000),
  'social.feed_active_days': setting.count(14, 'days', 'A feed that was not read for so long is not kept ready', 1, 3650),
  'social.appeal_days': setting.count(30, 'days', 'How long a decision may be appealed', 1, 3650),
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>
