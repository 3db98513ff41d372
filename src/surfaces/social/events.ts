/** The events of social. They contain ids, states and times, never text. */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Id, Time, Version, type Tx } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 100 })
const declared = <const P extends Parameters<typeof Type.Object>[0]>(properties: P) => ({
  version: 1,
  data: Type.Object(properties),
})
const post = { post_id: Id, author_id: Id, visibility: Short, version: Version }
const follow = declared({ follower_id: Id, followed_id: Id })
const block = { ...declared({ blocker_id: Id, blocked_id: Id }), internal: true } as const
const like = declared({ post_id: Id, user_id: Id, author_id: Id })
const comment = declared({ comment_id: Id, post_id: Id, author_id: Id })
const moderated = declared({
  case_id: Id,
  subject_type: Short,
  subject_id: Id,
  action: Short,
  version: Version,
})

export const events = {
  'post.created': declared({ ...post, created_at: Time }),
  'post.updated': declared({ ...post, edited_at: Time }),
  'post.deleted': declared({ ...post, deleted_at: Time }),
  'follow.requested': follow,
  'follow.activated': follow,
  'follow.removed': follow,
  'user.blocked': block,
  'user.unblocked': block,
  'post.liked': like,
  'post.unliked': like,
  'comment.created': comment,
  'comment.deleted': comment,
  'profile.updated': declared({ user_id: Id, profile_version: Version }),
  'moderation_case.opened': declared({ case_id: Id, subject_type: Short, subject_id: Id }),
  'moderation_action.applied': moderated,
  'moderation_action.reversed': moderated,
} as const

export type SocialEvent = keyof typeof events
type Emits = Pick<Tx, 'emit'>

export type ChangedPost = {
  readonly tenant_id: string
  readonly id: string
  readonly author_id: string
  readonly visibility: string
  readonly version: number
  readonly at: string
}

const moment = {
  'post.created': 'created_at',
  'post.updated': 'edited_at',
  'post.deleted': 'deleted_at',
} as const

export function announcePost(tx: Emits, type: keyof typeof moment, changed: ChangedPost): void {
  const { tenant_id, id: post_id, author_id, visibility, version, at } = changed
  tx.emit({
    type,
    tenant_id,
    aggregate_type: 'post',
    aggregate_id: post_id,
    aggregate_version: version,
    data: { post_id, author_id, visibility, version, [moment[type]]: at },
  })
}

const aggregates: Readonly<Record<string, string>> = { post: 'like', user: 'block' }

/**
 * Events about the relationship of two ids: follows, likes, blocks. The aggregate is the pair and
 * not the post, so a like does not change the version of its post. The version is the time of the
 * write in microseconds.
 */
export function announcePair(
  tx: Emits,
  type: SocialEvent,
  pair: {
    readonly tenant_id: string
    readonly ids: readonly [string, string]
    readonly at_us: number
  },
  data: object,
): void {
  const { tenant_id, ids, at_us } = pair
  const aggregate_type = aggregates[type.split('.')[0] ?? ''] ?? 'follow'
  tx.emit({
    type,
    tenant_id,
    aggregate_type,
    aggregate_id: pairId(aggregate_type, ids),
    aggregate_version: at_us,
    data,
  })
}

/** Makes a UUID of version 8 from two ids. */
function pairId(kind: string, [one, other]: readonly [string, string]): string {
  const hex = createHash('sha256').update(`${kind}:${one}:${other}`).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
